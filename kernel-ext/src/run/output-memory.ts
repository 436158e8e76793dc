// Owns: the memory that frames are decoded into: native where there is an addon, and who gives it back.
// Must not know: what the frames are.
import { type Addon, loadAddon } from "../backends/addon";
import type { OutputMemory } from "../backends/backend";
import { allocateOutput, releaseOutput } from "../backends/cpu/memory";
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
