// Owns: the memory that frames are decoded into.
// Must not know: what the frames are.
import type { OutputMemory } from "../backends/backend";
import { allocationFailed } from "./admission";

/** Allocates output for `bytes` admitted bytes. @throws MemoryLimitError when the system refuses all the same. */
export function allocateFrames(path: string, bytes: number): OutputMemory {
  try {
    return { buffer: new ArrayBuffer(bytes), start: 0, bytes };
  } catch (cause) {
    throw allocationFailed(path, bytes, cause);
  }
}

/** Gives output memory back at once: every array over it becomes empty. */
export function releaseFrames(memory: OutputMemory): void {
  if (memory.buffer.byteLength > 0) structuredClone(memory.buffer, { transfer: [memory.buffer] });
}
