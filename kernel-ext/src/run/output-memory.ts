// Owns: the memory that frames are decoded into: native where there is an addon, and who gives it back.
// Must not know: what the frames are.
import { type Addon, loadAddon } from "../backends/addon";
import type { OutputMemory } from "../backends/backend";
import { allocateOutput, keepReleasedOutputs, releaseOutput } from "../backends/cpu/memory";
import { OptionError } from "../errors";
import { allocationFailed } from "./admission";

/** The addon's memory is better than V8's for every backend: page-aligned, and on huge pages. */
function addonHere(): Addon | null {
  const loaded = loadAddon();
  return "addon" in loaded ? loaded.addon : null;
}

/**
 * Allocates output for `bytes` admitted bytes. What they hold at first is unspecified.
 * @throws MemoryLimitError when the system refuses all the same.
 */
export function allocateFrames(path: string, bytes: number): OutputMemory {
  try {
    return allocateOutput(bytes, addonHere());
  } catch (cause) {
    throw allocationFailed(path, bytes, cause);
  }
}

/** Gives output memory back at once: every array over it becomes empty. */
export function releaseFrames(memory: OutputMemory): void {
  releaseOutput(memory.buffer, addonHere());
}

/**
 * Keeps the memory of released frames, up to `bytes` bytes in this process, for the loads that follow: a load into
 * kept memory saves the system's work of finding and clearing pages. 0, the default, gives it back. Without a native
 * decoder it does nothing.
 * @throws OptionError for anything but a whole number of bytes from 0.
 * @example
 * keepReleasedMemory(2e9);
 * const frames = await load("demo/demo_master.h5");
 * frames.release(); // the next load of a like size takes its memory
 */
export function keepReleasedMemory(bytes: number): void {
  if (!Number.isSafeInteger(bytes) || bytes < 0) {
    const expected = "a whole number of bytes, 0 or more";
    throw new OptionError(`keepReleasedMemory takes ${expected}, but got ${String(bytes)}.`, {
      place: "bytes",
      expected,
      got: String(bytes),
    });
  }
  keepReleasedOutputs(bytes, addonHere());
}
