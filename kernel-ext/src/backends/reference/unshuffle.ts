// Owns: the judge's inverse of bit and byte shuffling, and of the byte order.
// Must not know: compression, chunks, where bytes come from.
import { GROUP_ELEMENTS } from "../../filters/bitshuffle/blocks";

/**
 * Turns the bit planes of each block back into elements. Blocks of `blockElements` elements (a multiple of 8), then one
 * short block, then up to 7 elements that were never shuffled. `planes` holds a whole number of elements.
 */
export function bitUnshuffle(planes: Uint8Array, elementBytes: number, blockElements: number): Uint8Array {
  const out = new Uint8Array(planes.length);
  const elements = planes.length / elementBytes;
  const shuffled = elements - (elements % GROUP_ELEMENTS);
  for (let first = 0; first < shuffled; first += blockElements) {
    const count = Math.min(blockElements, shuffled - first);
    const span = [first * elementBytes, (first + count) * elementBytes] as const;
    bitUnshuffleBlock(planes.subarray(...span), out.subarray(...span), elementBytes);
  }
  const tail = shuffled * elementBytes;
  out.set(planes.subarray(tail), tail);
  return out;
}

/**
 * One block of n elements of s bytes: 8 * s planes of n / 8 bytes. Element e takes its bit b from bit e % 8 of byte
 * e / 8 of plane b. `out` starts as zeros. Counts are low, so most planes are empty and most bytes are passed over.
 */
function bitUnshuffleBlock(planes: Uint8Array, out: Uint8Array, elementBytes: number): void {
  const planeCount = 8 * elementBytes;
  const planeBytes = planes.length / planeCount;
  for (let plane = 0, from = 0; plane < planeCount; plane++) {
    const elementByte = plane >> 3;
    const bit = plane & 7;
    for (let group = 0; group < planeBytes; group++) {
      const bits = planes[from++]!;
      if (bits === 0) continue;
      let to = GROUP_ELEMENTS * group * elementBytes + elementByte;
      for (let element = 0; element < GROUP_ELEMENTS; element++, to += elementBytes) {
        out[to]! |= ((bits >> element) & 1) << bit;
      }
    }
  }
}

/** Turns byte planes (all first bytes, all second bytes, …) back into elements; left-over bytes stay at the end. */
export function byteUnshuffle(planes: Uint8Array, elementBytes: number): Uint8Array {
  const out = new Uint8Array(planes.length);
  const elements = Math.floor(planes.length / elementBytes);
  let from = 0;
  for (let byte = 0; elements > 0 && byte < elementBytes; byte++) {
    for (let element = 0; element < elements; element++) out[element * elementBytes + byte] = planes[from++]!;
  }
  out.set(planes.subarray(from), from);
  return out;
}

/** Reverses the bytes of every element. `bytes` holds a whole number of elements. */
export function byteswap(bytes: Uint8Array, elementBytes: number): Uint8Array {
  const out = new Uint8Array(bytes.length);
  for (let first = 0; first < bytes.length; first += elementBytes) {
    for (let byte = 0; byte < elementBytes; byte++)
      out[first + byte] = bytes[first + elementBytes - 1 - byte]!;
  }
  return out;
}
