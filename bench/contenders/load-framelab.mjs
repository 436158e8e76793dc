// Owns: FrameLab's `load` as a contender of the load bench.
// Must not know: the other contenders.
import { createRequire } from "node:module";
import { serve } from "./loader.mjs";

const require = createRequire(import.meta.url);
const { load } = require("framelab");
const { loadAddon } = require("#framelab/backends/addon");
const { keepReleasedOutputs } = require("#framelab/backends/cpu/memory");

const loaded = loadAddon();
const addon = "addon" in loaded ? loaded.addon : null;

await serve(async ({ path, output, bytes }) => {
  // Released outputs stay mapped for the next load only where that is asked for.
  keepReleasedOutputs(output === "reused" ? 2 * bytes : 0, addon);
  const start = performance.now();
  const frames = await load(path, { scanShape: null, progress: false });
  const ms = performance.now() - start;
  const { backend, stages } = frames.report;
  return {
    ...{ ms, pixels: [frames.data], done: () => frames.release() },
    facts: { backend: backend.name, device: backend.device, stages },
  };
});
