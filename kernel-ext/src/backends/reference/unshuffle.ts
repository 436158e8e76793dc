// Owns: the judge's inverse of bit and byte shuffling, and of the byte order.
// Must not know: compression, chunks, where bytes come from.
import { GROUP_ELEMENTS } from "../../filters/bitshuffle/blocks";

/** Bit i of a byte spread to the lowest bit of byte i: elements 0 to 3 of a group, and 4 to 7. */
const SPREAD_FIRST = new Uint32Array(256);
const SPREAD_LAST = new Uint32Array(256);
for (let byte = 0; byte < 256; byte++) {
  for (let bit = 0; bit < 4; bit++) {
    SPREAD_FIRST[byte]! |= ((byte >> bit) & 1) << (8 * bit);
    SPREAD_LAST[byte]! |= ((byte >> (bit + 4)) & 1) << (8 * bit);
  }
}

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
 * One block of n elements of s bytes: 8 * s planes of n / 8 bytes, plane b holding bit b of every element, 8 elements
 * to a byte. Byte g of the 8 planes of an element byte therefore has that byte of elements 8g to 8g + 7.
 */
function bitUnshuffleBlock(planes: Uint8Array, out: Uint8Array, elementBytes: number): void {
  const planeBytes = planes.length / (8 * elementBytes);
  for (let byte = 0; byte < elementBytes; byte++) {
    for (let group = 0; group < planeBytes; group++) {
      let first = 0;
      let last = 0;
      for (let bit = 0, at = 8 * byte * planeBytes + group; bit < 8; bit++, at += planeBytes) {
        const column = planes[at]!;
        first |= SPREAD_FIRST[column]! << bit;
        last |= SPREAD_LAST[column]! << bit;
      }
      let to = GROUP_ELEMENTS * group * elementBytes + byte;
      for (let element = 0; element < 4; element++, to += elementBytes) out[to] = first >>> (8 * element);
      for (let element = 0; element < 4; element++, to += elementBytes) out[to] = last >>> (8 * element);
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
