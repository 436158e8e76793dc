// Owns: getting a run ready: sources, compiled contenders, data sets and acquisitions, each made when it is first asked for.
// Must not know: rounds, floors, results.
import { ACQUISITIONS, prepareAcquisition } from "../cases/acquisitions.mjs";
import { FORMAT_SETS } from "../cases/formats.mjs";
import { DATA_SETS, prepareDataSet } from "../cases/frames.mjs";
import { buildDecodeBench, buildDecoders, buildEncoder } from "../contenders/decoders.mjs";
import { framelabLoaders, h5pyLoader, h5wasmLoader, imagecodecsLoader } from "../contenders/loaders.mjs";
import { ensurePythonPackages, ensureSources } from "../contenders/sources.mjs";

/** What everything else needs. @throws with one line where pip, Python or a compiler is missing. */
export function prepareTools() {
  const sources = ensureSources();
  const program = buildDecodeBench();
  return { sources, program, encoder: buildEncoder(program, sources) };
}

/** Data sets whose names, or group, start with `name`. */
export function setsNamed(name) {
  const all = [...DATA_SETS, ...FORMAT_SETS];
  return all.filter((set) => set.name.startsWith(name) || set.group.startsWith(name));
}

/** Data sets named by one of `names`, ready to be decoded. */
export function prepareSets({ encoder }, names) {
  const wanted = new Set(names.flatMap(setsNamed));
  return [...wanted].map((set) => prepareDataSet(set, encoder));
}

/** The decode contenders that this machine runs, and the libraries that did not compile. */
export function prepareDecoders({ sources }) {
  return buildDecoders(sources);
}

/** An acquisition of ACQUISITIONS by its key. */
export function prepareLoad(tools, size) {
  const acquisition = ACQUISITIONS[size];
  const set = acquisition.name.split("-").slice(0, 2).join("-");
  return prepareAcquisition(acquisition, prepareSets(tools, [set])[0]);
}

/** All loaders; h5py in one process and in as many as FrameLab has threads. */
export function prepareLoaders(threads) {
  const loaders = [...framelabLoaders(), h5wasmLoader()];
  try {
    const versions = ensurePythonPackages();
    const counts = threads > 1 ? [1, threads] : [1];
    const others = [...counts.map(h5pyLoader), imagecodecsLoader(threads)];
    return { loaders: [...loaders, ...others], versions, skipped: [] };
  } catch (error) {
    return { loaders, versions: [], skipped: [{ what: "h5py+hdf5plugin", why: error.message }] };
  }
}
