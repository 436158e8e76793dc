// Owns: questions about FrameLab's loads beside their whole time, each answered by one process with one line of JSON.
// Must not know: who asks. Every answer is of verified loads.
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";

const require = createRequire(import.meta.url);
const { load, keepReleasedMemory } = require("framelab");

const [question, text] = process.argv.slice(2);
const request = JSON.parse(text);
const OPTIONS = { scanShape: null, progress: false };

/** Least and median of several measured loads after one whose sum is checked. */
async function timed(options, sum) {
  const times = [];
  for (let round = 0; round <= request.rounds; round++) {
    const start = performance.now();
    const frames = await load(request.path, { ...OPTIONS, ...options });
    const ms = performance.now() - start;
    if (round > 0) times.push(ms);
    else verify(frames.data, sum);
    frames.release();
    globalThis.gc?.();
  }
  times.sort((a, b) => a - b);
  return { minMs: times[0], medianMs: times[times.length >> 1] };
}

function verify(data, sum) {
  let total = 0;
  for (let i = 0; i < data.length; i++) total += data[i];
  if (total !== sum) throw new Error(`the sum of all pixels is ${total}, not ${sum}`);
}

const ANSWERS = {
  /** Loads of more and more frames, into kept memory. */
  async frames() {
    const rows = [];
    for (const count of request.counts) {
      // One size at a time: memory of a longer load is not left to a shorter one.
      keepReleasedMemory(0);
      keepReleasedMemory(2 * count * request.frameBytes);
      const times = await timed({ frames: { from: 0, to: count } }, request.sums[count]);
      rows.push({ frames: count, threads: availableParallelism(), ...times });
    }
    return rows;
  },

  /** How late timers are while nothing runs, and while loads run. */
  async loop() {
    keepReleasedMemory(2 * request.bytes);
    const delays = monitorEventLoopDelay({ resolution: 1 });
    const summary = () => ({ meanMs: delays.mean / 1e6, p99Ms: delays.percentile(99) / 1e6 });
    await timed({}, request.sum);
    delays.enable();
    await setTimeout(1000);
    const idle = summary();
    let busy = null;
    for (let round = 0; round < request.rounds; round++) {
      await setTimeout(50);
      delays.reset();
      const frames = await load(request.path, OPTIONS);
      const seen = summary();
      if (busy === null || seen.meanMs < busy.meanMs) busy = seen;
      frames.release();
    }
    return [{ idle, busy }];
  },
};

console.log(JSON.stringify(await ANSWERS[question]()));
