// Owns: the acquisitions of the load bench: counts in a master and its data files, and the sum of their pixels.
// Must not know: contenders under test, clocks. Chunks are those of the data set, written by the tests' HDF5 writer.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../../scripts/run-step.mjs";
import { buildFolder } from "../harness/folders.mjs";
import { HEIGHT, readChunks, WIDTH } from "./frames.mjs";

const require = createRequire(import.meta.url);

/** `small` is 75 MB decoded in one data file; `large` is 1.2 GB in 27, as many as the field's standard acquisition. */
export const ACQUISITIONS = {
  small: { name: "counts-u16-75MB", frames: 1024, files: 1 },
  large: { name: "counts-u16-1.2GB", frames: 16_384, files: 27 },
  /** Growth with frames: 3.7 GB decoded, below the 4 GiB up to which released memory is kept. */
  long: { name: "counts-u8-3.7GB", frames: 100_000, files: 27 },
};

/** Frames of the loads that show growth. */
export const GROWTH = [1000, 10_000, 100_000];

/** Where the frames lie in a data file. */
const DATASET = "/entry/data/data";

/**
 * Makes the files where they are absent. `set` is that of its counts, of prepareDataSet. Gives what a loader is asked for:
 * paths, frames, decoded `bytes` and the exact `sum` of all pixels.
 */
export function prepareAcquisition(acquisition, set) {
  const folder = buildFolder("acquisitions");
  const facts = join(folder, `${acquisition.name}.json`);
  const key = readFileSync(set.chunks.replace(/chunks$/, "json"), "utf8");
  if (existsSync(facts)) {
    const known = JSON.parse(readFileSync(facts, "utf8"));
    if (known.key === key && known.fileBytes) return known;
  }
  console.log(`Making ${acquisition.name}`);
  const made = { key, ...write(folder, acquisition, set) };
  writeFileSync(facts, JSON.stringify(made));
  return made;
}

function write(folder, { name, frames, files }, set) {
  const { writeAcquisition } = require(join(root, "build", "test", "fixtures", "acquisition.js"));
  const chunks = readChunks(set.chunks);
  const blank = new Uint8Array(set.frameBytes);
  const filesOf = filesOfSplit(frames, files);
  const written = writeAcquisition(folder, {
    ...{ name, count: frames, height: HEIGHT, width: WIDTH, dtype: set.dtype, filesOf },
    frames: () => blank,
    // A copy each: one and the same chunk would be stored once, and read from the cache.
    store: (i) => chunks[i % chunks.length].slice(),
  });
  const { path, dataFiles } = written;
  return {
    ...{ name, path, dataFiles, filesOf, dataset: DATASET, frames, height: HEIGHT, width: WIDTH },
    bytes: frames * set.frameBytes,
    sum: sumOf(set, frames, chunks.length),
    sums: Object.fromEntries(GROWTH.map((count) => [count, sumOf(set, count, chunks.length)])),
    fileBytes: dataFiles.reduce((total, file) => total + statSync(file).size, 0),
  };
}

function filesOfSplit(frames, files) {
  const first = (i) => Math.floor((frames * i) / files);
  return Array.from({ length: files }, (_, i) => first(i + 1) - first(i));
}

/** Below 2^53 for any count that these files hold. */
function sumOf(set, frames, different) {
  const raw = readFileSync(set.raw);
  const Pixels = set.elementBytes === 1 ? Uint8Array : Uint16Array;
  const pixels = new Pixels(raw.buffer, raw.byteOffset, raw.length / set.elementBytes);
  const frameLength = HEIGHT * WIDTH;
  let sum = 0;
  for (let i = 0; i < different; i++) {
    const repeats = Math.floor(frames / different) + (i < frames % different ? 1 : 0);
    for (let at = i * frameLength; at < (i + 1) * frameLength; at++) sum += repeats * pixels[at];
  }
  return sum;
}
