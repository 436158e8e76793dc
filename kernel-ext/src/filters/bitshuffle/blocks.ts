// Owns: the block geometry of bitshuffle: block sizes, the default, the raw elements at the end.
// Must not know: compression, chunk bytes.

/** Elements are shuffled in groups of 8: one bit of each fills one byte of a plane. */
export const GROUP_ELEMENTS = 8;

const TARGET_BLOCK_BYTES = 8192;
const LEAST_DEFAULT_ELEMENTS = 128;

/** Elements of a block where neither header nor client data names a size. */
export function defaultBlockElements(elementBytes: number): number {
  const fitting = Math.floor(TARGET_BLOCK_BYTES / elementBytes);
  return Math.max(fitting - (fitting % GROUP_ELEMENTS), LEAST_DEFAULT_ELEMENTS);
}

/** Bytes at the end of a chunk that are neither shuffled nor compressed: its last (elements mod 8) elements. */
export function rawTailBytes(chunkBytes: number, elementBytes: number): number {
  return chunkBytes % (GROUP_ELEMENTS * elementBytes);
}
