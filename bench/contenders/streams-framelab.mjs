// Owns: FrameLab as a contender of the streams bench: stream, verify, reduce, and reads of encoded frames.
// Must not know: the other contenders.
import { createRequire } from "node:module";
import { serve } from "./loader.mjs";

const require = createRequire(import.meta.url);
const { disk, load, reduce, stream, sumPattern, verify, virtualImage } = require("framelab");

const QUIET = { scanShape: null, progress: false };

/** Adds outside the clock: `ms` is the time of the calls alone. */
class Clock {
  ms = 0;

  async time(work) {
    const start = performance.now();
    const result = await work();
    this.ms += performance.now() - start;
    return result;
  }
}

function sumOf(array) {
  let sum = 0;
  for (let i = 0; i < array.length; i++) sum += array[i];
  return sum;
}

const WORKS = {
  async stream({ path }, clock) {
    const batches = stream(path, QUIET);
    let sum = 0;
    for (;;) {
      const { done, value } = await clock.time(() => batches.next());
      if (done) return { sum };
      sum += sumOf(value.frames.data);
    }
  },

  /** Nothing is kept that could be added: the report must find every frame whole. */
  async verify({ path, bytes, sum }, clock) {
    const { damaged, missing, bytes: decoded } = await clock.time(() => verify(path, QUIET));
    const isWhole = damaged.length === 0 && missing.length === 0 && decoded.decoded === bytes;
    return { sum: isWhole ? sum : Number.NaN };
  },

  async reduce({ path, center, radius }, clock) {
    const wanted = { image: virtualImage(disk({ center, radius })), sum: sumPattern() };
    const results = await clock.time(() => reduce(path, wanted, QUIET));
    const image = results.image.data.reduce((total, value, i) => total + (i + 1) * value, 0);
    return { sum: sumOf(results.sum.data), facts: { image } };
  },

  /** Reads from memory, one frame after the other; the load before them is not timed. */
  async encoded({ path }, clock) {
    const frames = await load(path, { ...QUIET, representation: "encoded" });
    let sum = 0;
    for (let i = 0; i < frames.valid.length; i++) {
      sum += sumOf((await clock.time(() => frames.frame(i))).data);
    }
    frames.release();
    return { sum };
  },
};

await serve(async ({ output: work, ...request }) => {
  const clock = new Clock();
  const { sum, facts } = await WORKS[work](request, clock);
  return { ms: clock.ms, pixels: [[sum]], facts };
});
