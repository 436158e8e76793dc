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
export function framelabLoader() {
  return {
    contender: "framelab",
    processes: null,
    outputs: ["fresh", "reused"],
    command: inNode("load-framelab.mjs"),
  };
}

export function h5wasmLoader() {
  return { contender: "h5wasm", processes: 1, outputs: ["fresh"], command: inNode("load-h5wasm.mjs") };
}

export function h5pyLoader(processes) {
  const command = [python, join(here, "load_h5py.py"), String(processes)];
  return { contender: "h5py+hdf5plugin", processes, outputs: ["fresh", "reused"], command };
}
