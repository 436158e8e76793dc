// Owns: the contenders of the load bench: the command of each and the kinds of output that it offers.
// Must not know: how loads are timed.
import { join } from "node:path";
import { root } from "../../scripts/run-step.mjs";
import { python } from "./sources.mjs";

const here = join(root, "bench", "contenders");

function inNode(file) {
  return [process.execPath, "--expose-gc", join(here, file)];
}

/**
 * `{ contender, processes, outputs, command }`. `fresh` output is new memory in every load, `reused` the same again.
 * `processes` null = FrameLab's own threads.
 */
export function framelabLoader(output) {
  return { contender: "framelab", processes: null, outputs: [output], command: inNode("load-framelab.mjs") };
}

/** A process for each kind of output: a fresh load gives back what is kept for the reused ones of its process. */
export function framelabLoaders() {
  return ["fresh", "reused"].map(framelabLoader);
}

export function h5wasmLoader() {
  return { contender: "h5wasm", processes: 1, outputs: ["fresh"], command: inNode("load-h5wasm.mjs") };
}

export function h5pyLoader(processes) {
  const command = [python, join(here, "load_h5py.py"), String(processes)];
  return { contender: "h5py+hdf5plugin", processes, outputs: ["fresh", "reused"], command };
}

/** In one process; `threads` of them decode. */
export function imagecodecsLoader(threads) {
  const command = [python, join(here, "load_imagecodecs.py"), String(threads)];
  return { contender: "h5py+imagecodecs", processes: 1, outputs: ["reused"], command };
}

/** A plain read of the data files: its sum is that of their bytes. */
export function readLoader() {
  const command = [python, join(here, "read_files.py"), "serve"];
  return { contender: "plain read", processes: 1, outputs: ["none"], command, readsBytes: true };
}
