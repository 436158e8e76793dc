// Owns: the data sets of the bench: raw frames on disk, their chunks, and what those chunks' streams look like.
// Must not know: contenders under test, clocks. Frames come from the tests' generator, chunks from the library given.
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root, step } from "../../scripts/run-step.mjs";
import { buildFolder } from "../harness/folders.mjs";

const require = createRequire(import.meta.url);
const fixtures = join(root, "build", "test", "fixtures");

export const HEIGHT = 192;
export const WIDTH = 192;
/** Different frames of a data set, spread over the scan: enough that no branch predictor learns their streams. */
export const FRAMES = 128;
/** Scan positions from one frame to the next. */
export const SCAN_STEP = 256 / FRAMES;

/**
 * Sequences and stream bytes of a block of counts: the definition of that data set. A decoder's speed follows from
 * them, so data that differs by more than 5 % is refused.
 */
export const COUNTS_STREAMS = {
  u8: { sequences: 205, streamBytes: 1189 },
  u16: { sequences: 112, streamBytes: 694 },
  u32: { sequences: 56, streamBytes: 377 },
};
const STREAM_TOLERANCE = 0.05;

/**
 * The 15 data sets, counts first: `{ name: "counts-u16", group: "decode", kind, dtype, elementBytes, frameBytes,
 * blockElements: 0, elements }`. Blocks of 0 elements have the library's default; `elements(i)` gives frame `i`.
 */
export const DATA_SETS = ["counts", "poisson20", "random", "zeros", "gaps"].flatMap((kind) =>
  ["u8", "u16", "u32"].map((dtype) => {
    const elementBytes = Number(dtype.slice(1)) / 8;
    return {
      ...{ name: `${kind}-${dtype}`, group: "decode", kind, dtype, elementBytes, blockElements: 0 },
      ...{ frameBytes: HEIGHT * WIDTH * elementBytes, elements: (i) => frameOf(kind, dtype, i * SCAN_STEP) },
    };
  }),
);

/**
 * Makes the files of a data set where they are absent or were made by other code. `encoder` is `{ program, library }`.
 * Gives paths and statistics: `{ ...set, raw, chunks, streams }`.
 */
export function prepareDataSet(set, encoder) {
  const folder = buildFolder("data");
  const raw = join(folder, `${set.name}.raw`);
  const chunks = join(folder, `${set.name}.chunks`);
  const facts = join(folder, `${set.name}.json`);
  const key = makerKey(encoder, set);
  if (!existsSync(facts) || JSON.parse(readFileSync(facts, "utf8")).key !== key) {
    mkdirSync(folder, { recursive: true });
    console.log(`Making ${set.name}`);
    writeRaw(set, raw);
    const numbers = [set.frameBytes, set.elementBytes, set.blockElements].map(String);
    step("", encoder.program, ["encode", encoder.library, raw, chunks, ...numbers]);
    writeFileSync(facts, JSON.stringify({ key, streams: streamsOf(set, chunks) }));
  }
  const { streams } = JSON.parse(readFileSync(facts, "utf8"));
  checkStreams(set, streams);
  return { ...set, raw, chunks, streams };
}

/** Changes with the generator, the encoder and the set. */
function makerKey(encoder, { group, dtype, blockElements }) {
  const hash = createHash("sha256");
  const sources = ["counts.js", "random.js"].map((file) => join(fixtures, file));
  if (group === "formats") sources.push(join(root, "bench", "cases", "formats.mjs"));
  for (const file of sources) hash.update(readFileSync(file));
  const numbers = `${FRAMES} ${HEIGHT} ${WIDTH} ${dtype} ${blockElements}`;
  return hash.update(`${encoder.version} ${numbers}`).digest("hex");
}

function frameOf(kind, dtype, i) {
  const { frameElements, STANDARD_PATTERN } = require(join(fixtures, "counts.js"));
  return frameElements(kind, dtype, { ...STANDARD_PATTERN, height: HEIGHT, width: WIDTH }, i);
}

function writeRaw(set, path) {
  const file = openSync(path, "w");
  for (let i = 0; i < FRAMES; i++) writeSync(file, set.elements(i));
  closeSync(file);
}

/** Chunks of a chunk file: a u32 LE length before each. */
export function readChunks(path) {
  const bytes = readFileSync(path);
  const chunks = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    at += 4;
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

function streamsOf(set, path) {
  const { streamStatistics } = require(join(fixtures, "lz4-statistics.js"));
  return streamStatistics(readChunks(path), set.elementBytes);
}

function checkStreams(set, streams) {
  if (!set.name.startsWith("counts-")) return;
  for (const [name, wanted] of Object.entries(COUNTS_STREAMS[set.dtype])) {
    if (Math.abs(streams[name] / wanted - 1) <= STREAM_TOLERANCE) continue;
    throw new Error(`${set.name}: ${streams[name].toFixed(1)} ${name} a block, wanted ${wanted} within 5 %`);
  }
}
