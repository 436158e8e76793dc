// Owns: memory for decoded frames: page-aligned, on huge pages where the system gives them, given back when asked.
// Must not know: frames, what is decoded into it.
import type { Addon } from "../addon";
import type { OutputMemory } from "../backend";

/** Largest outside memory that Node makes an ArrayBuffer of. */
const LARGEST_EXTERNAL = 2 ** 32;
/** Above, an ArrayBuffer of V8 with room to start at a page boundary (16 KiB pages are the largest in use). */
const ALIGNMENT = 16_384;

/** Output memory with what is known of its contents. */
export interface AllocatedOutput extends OutputMemory {
  /** False: the bytes are those of an earlier output; every byte must be decoded, filled or zeroed. */
  readonly zeroed: boolean;
}

/**
 * `bytes` bytes, page-aligned. Without an addon, or where the host takes no outside memory, V8's own.
 * @throws RangeError the system has not so much memory; nothing stays allocated.
 */
export function allocateOutput(bytes: number, addon: Addon | null): AllocatedOutput {
  if (!addon) return { buffer: new ArrayBuffer(bytes), start: 0, bytes, zeroed: true };
  if (bytes > 0 && bytes < LARGEST_EXTERNAL) {
    const outside = allocateOutside(bytes, addon);
    if (outside) return { buffer: outside.buffer, start: 0, bytes, zeroed: outside.zeroed };
  }
  const buffer = new ArrayBuffer(bytes + ALIGNMENT);
  return { buffer, start: addon.adviseMemory(buffer), bytes, zeroed: true };
}

function allocateOutside(bytes: number, addon: Addon): { buffer: ArrayBuffer; zeroed: boolean } | null {
  try {
    return addon.allocateMemory(bytes);
  } catch (cause) {
    throw new RangeError(`${bytes} bytes of memory cannot be allocated`, { cause });
  }
}

/**
 * Gives the memory of an output back at once, not when it is collected. Every array over it has length 0 afterwards. A
 * buffer that is already released is left alone. @throws Error while a batch is decoded into it.
 */
export function releaseOutput(buffer: ArrayBuffer, addon: Addon | null): void {
  if (buffer.byteLength === 0) return;
  // Without an addon only a transfer detaches; the copy is dropped.
  if (addon) addon.releaseMemory(buffer);
  else structuredClone(buffer, { transfer: [buffer] });
}

/**
 * Opt-in pool: released outputs stay mapped, up to `bytes` bytes in the whole process, and the next output of a like
 * size takes them, which saves the system's work of finding and clearing pages. 0, the default, gives them back.
 */
export function keepReleasedOutputs(bytes: number, addon: Addon | null): void {
  addon?.keepMemory(bytes);
}
