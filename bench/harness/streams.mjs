// Owns: one run of the streams bench: stream, verify, reduce and encoded reads beside h5py, a plain read, and peak memory.
// Must not know: how a contender does its work, what figures should be.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/run-step.mjs";
import { HEIGHT, WIDTH } from "../cases/frames.mjs";
import { ensurePythonPackages, python } from "../contenders/sources.mjs";
import { buildFolder } from "./folders.mjs";
import { runLoad } from "./load.mjs";

const require = createRequire(import.meta.url);
const here = (file) => join(root, "bench", "contenders", file);

const DISK = { center: [96, 96], radius: 30 };
const MEMORY_FRAMES = [1000, 10_000, 100_000];
const MEMORY_WORKS = ["stream", "verify", "reduce"];

function contenders() {
  const framelab = {
    ...{ contender: "framelab", processes: null, outputs: ["stream", "verify", "reduce", "encoded"] },
    command: [process.execPath, "--expose-gc", here("streams-framelab.mjs")],
  };
  try {
    const versions = ensurePythonPackages();
    const command = [python, here("streams_h5py.py")];
    const h5py = { contender: "h5py+NumPy", processes: 1, outputs: framelab.outputs, command };
    return {
      all: [framelab, h5py, { ...h5py, contender: "plain read", outputs: ["read"] }],
      versions,
      skipped: [],
    };
  } catch (error) {
    return { all: [framelab], versions: [], skipped: [{ what: "h5py+NumPy", why: error.message }] };
  }
}

/**
 * Does every piece of work on `acquisition` in turn, `rounds` times after one that is not timed. All sums are checked.
 * GB/s are of decoded bytes; a plain read is of the stored bytes, in the same unit.
 * Gives rows `{ case, contender, isa, threads, work, minMs, medianMs, gbPerS }` and those of memory.
 */
export async function runStreams(acquisition, rounds) {
  const { all, versions, skipped } = contenders();
  const run = await runLoad({ ...acquisition, ...DISK }, all, rounds);
  const images = new Set(run.rows.flatMap(({ image }) => image ?? []));
  if (images.size > 1) throw new Error(`virtual images differ: ${[...images].join(", ")}`);
  const rows = run.rows.map(({ case: name, output, image: _, ...row }) => {
    return { ...row, case: name.replace("load/", "streams/"), work: output };
  });
  return { rows: [...rows, ...runMemory()], versions, skipped: [...skipped, ...run.skipped] };
}

/** The most memory of a process, by work and frames: rows `{ case, contender, threads, work, frames, peakMb }`. */
function runMemory() {
  return MEMORY_FRAMES.flatMap((frames) => {
    const { path, sum } = prepareLong(frames);
    return MEMORY_WORKS.map((work) => {
      const child = spawnSync(process.execPath, [here("stream-memory.mjs"), work, path], {
        encoding: "utf8",
      });
      if (child.status !== 0) throw new Error(`${work} of ${frames} frames: ${child.stderr.trim()}`);
      const found = JSON.parse(child.stdout);
      if (found.frames !== frames || ![null, sum].includes(found.sum)) {
        throw new Error(`${work} of ${frames} frames gives ${child.stdout.trim()}, not a sum of ${sum}`);
      }
      const threads = availableParallelism();
      return {
        ...{ case: `streams/memory-${frames}`, contender: "framelab", threads, work, frames },
        peakMb: found.peakBytes / 1e6,
      };
    });
  });
}

/** An acquisition whose frames share one stored chunk: what grows with it is its index, and the bytes that are decoded. */
function prepareLong(frames) {
  const name = `long-u16-${frames}`;
  const facts = join(buildFolder("acquisitions"), `${name}.json`);
  if (existsSync(facts)) return JSON.parse(readFileSync(facts, "utf8"));
  const { writeAcquisition } = require(join(root, "build", "test", "fixtures", "acquisition.js"));
  const frame = new Uint8Array(HEIGHT * WIDTH * 2).map((_, i) => (i % 14 === 0 ? 1 + (i % 3) : 0));
  const { path } = writeAcquisition(buildFolder("acquisitions"), {
    ...{ name, count: frames, height: HEIGHT, width: WIDTH, dtype: "u16", frames: () => frame },
  });
  const pixels = new Uint16Array(frame.buffer);
  const made = { path, sum: frames * pixels.reduce((sum, value) => sum + value, 0) };
  writeFileSync(facts, JSON.stringify(made));
  return made;
}
