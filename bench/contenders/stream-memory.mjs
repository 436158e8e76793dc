// Owns: a process that does one piece of work over an acquisition and says the most memory that it held.
// Must not know: other processes, what is compared.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { forEachBatch, sumPattern, verify } = require("framelab");

const QUIET = { scanShape: null, progress: false };
const [, , work, path] = process.argv;

const WORKS = {
  async stream() {
    let frames = 0;
    await forEachBatch(
      path,
      ({ valid }) => {
        frames += valid.length;
      },
      QUIET,
    );
    return frames;
  },
  async verify() {
    const { frames, damaged, missing } = await verify(path, QUIET);
    return frames.selected - damaged.length - missing.length;
  },
  async reduce() {
    const { data, report } = await sumPattern(path, QUIET);
    return { sum: data.reduce((sum, value) => sum + value, 0), frames: report.frames.selected };
  },
};

const found = await WORKS[work]();
const { frames, sum } = typeof found === "number" ? { frames: found } : found;
console.log(JSON.stringify({ frames, sum: sum ?? null, peakBytes: process.resourceUsage().maxRSS * 1024 }));
