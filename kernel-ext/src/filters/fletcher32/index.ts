// Owns: the Fletcher-32 checksum filter (3) of HDF5 itself, and the checksum's arithmetic.
// Must not know: backends, what is done about a mismatch.
import type { Filter } from "../filter";

/** Bytes of the checksum behind the data. */
export const CHECKSUM_BYTES = 4;

export const fletcher32: Filter = {
  id: 3,
  name: "fletcher32",
  addedBytes: CHECKSUM_BYTES,
  lower: ({ filter }) => [{ op: "checksum", filter }],
};

/** Words that are added up before both sums are folded to 16 bits: the most that keep them below 2^32. */
const WORDS_PER_FOLD = 360;

/** HDF5's Fletcher-32 over big-endian 16-bit words; an odd last byte is the high half of a word. */
export function fletcher32Sum(bytes: Uint8Array): number {
  let sum1 = 0;
  let sum2 = 0;
  const evenEnd = bytes.length - (bytes.length % 2);
  for (let at = 0; at < evenEnd; ) {
    const stop = Math.min(at + 2 * WORDS_PER_FOLD, evenEnd);
    for (; at < stop; at += 2) {
      sum1 += (bytes[at]! << 8) | bytes[at + 1]!;
      sum2 += sum1;
    }
    sum1 = fold(sum1);
    sum2 = fold(sum2);
  }
  if (evenEnd < bytes.length) {
    sum1 += bytes[evenEnd]! << 8;
    sum2 += sum1;
    sum1 = fold(sum1);
    sum2 = fold(sum2);
  }
  return fold(sum2) * 0x10000 + fold(sum1);
}

/** One end-around carry of a sum below 2^32. */
function fold(sum: number): number {
  return (sum & 0xffff) + (sum >>> 16);
}

/**
 * Stored little-endian. HDF5 before 1.6.3 swapped the bytes of both halves on little-endian machines; like HDF5 itself,
 * readers take either form.
 */
export function storedChecksumMatches(sum: number, stored: Uint8Array): boolean {
  const [b0, b1, b2, b3] = [sum & 0xff, (sum >>> 8) & 0xff, (sum >>> 16) & 0xff, sum >>> 24];
  const [s0, s1, s2, s3] = stored;
  const plain = s0 === b0 && s1 === b1 && s2 === b2 && s3 === b3;
  const swapped = s0 === b1 && s1 === b0 && s2 === b3 && s3 === b2;
  return plain || swapped;
}
