// Owns: the plan bench: the field's standard acquisition from its path to chunk jobs, nothing decoded.
// Must not know: how files are opened, indexes read or jobs made.
import { existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../../scripts/run-step.mjs";
import { HEIGHT, WIDTH } from "../cases/frames.mjs";
import { buildFolder } from "./folders.mjs";

const require = createRequire(import.meta.url);
const own = (path) => require(join(root, "dist", `${path}.js`));

/** 512 x 512 scan positions, one chunk each, in 27 data files. */
const STANDARD = { name: "512x512x192x192-u16", side: 512, files: 27 };

/** The files where they are absent. All frames of a file share one stored chunk: the index is that of the whole. */
function prepareStandard({ name, side, files }) {
  const folder = buildFolder("acquisitions", name);
  const path = join(folder, `${name}_master.h5`);
  if (existsSync(path)) return path;
  console.log(`Making ${name}`);
  const { writeAcquisition } = require(join(root, "build", "test", "fixtures", "acquisition.js"));
  const count = side * side;
  const share = (i) => Math.floor((count * i) / files);
  const filesOf = Array.from({ length: files }, (_, i) => share(i + 1) - share(i));
  const blank = new Uint8Array(HEIGHT * WIDTH * 2);
  const chunk = Uint8Array.of(0);
  try {
    const spec = { name, count, height: HEIGHT, width: WIDTH, dtype: "u16", filesOf };
    writeAcquisition(folder, { ...spec, frames: () => blank, store: () => chunk });
    return path;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Plans it `rounds` times after one that is not timed. Gives one row
 * `{ case, contender, isa: null, threads, output: null, chunks, files, minMs, medianMs, stages }`.
 */
export async function runPlan(rounds) {
  const path = prepareStandard(STANDARD);
  const times = [];
  let best = null;
  for (let round = 0; round <= rounds; round++) {
    const planned = await planOnce(path);
    if (planned.jobs !== STANDARD.side ** 2) throw new Error(`${planned.jobs} chunks were planned`);
    if (round === 0) continue;
    times.push(planned.ms);
    if (planned.ms === Math.min(...times)) best = planned;
  }
  const sorted = times.toSorted((a, b) => a - b);
  const { side, files, name } = STANDARD;
  return {
    ...{ case: `plan/${name}`, contender: "framelab", isa: null, threads: 1, output: null },
    ...{ chunks: side * side, files, minMs: sorted[0], medianMs: sorted[sorted.length >> 1] },
    stages: best.stages,
  };
}

async function planOnce(path) {
  const { checkLoadOptions } = own("options");
  const { prepare } = own("run/prepare");
  const { segmentJobs } = own("run/segment-jobs");
  const { openTask } = own("run/task");
  const options = checkLoadOptions(path, { progress: false });
  const { cancel, clock, done } = openTask("load", path, options, () => () => {});
  const start = performance.now();
  // One frame is held at a time: the plan is the same, and 19.3 GB of memory are not asked for.
  const prepared = await prepare(path, options, cancel, clock, () => 1);
  const window = { from: 0, to: prepared.count };
  const jobs = await clock.time("jobs", () => {
    return prepared.indexes.reduce((sum, index) => sum + segmentJobs(index, window).count, 0);
  });
  const ms = performance.now() - start;
  done("");
  return { ms, jobs, stages: clock.stages };
}
