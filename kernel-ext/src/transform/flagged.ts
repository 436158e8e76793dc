// Owns: finding the flagged pixels of a frame, and what becomes of them.
// Must not know: files, where the mask came from, what follows.
import type { FlaggedTreatment, PixelArray } from "../types";

/** Any pixel array as the loops see it: elements of one kind, read and written by index. */
type Pixels = { readonly length: number; [i: number]: number | bigint };

/** Marks the pixels of a mask: 1 = flagged. */
export function maskFlags(mask: Uint32Array): Uint8Array {
  return Uint8Array.from(mask, (flag) => (flag === 0 ? 0 : 1));
}

/**
 * Marks the pixels of one frame that hold no measurement: those of the mask, and values from `sentinel` on.
 * `seen` counts, for each pixel that the mask leaves, the frames in which it held a sentinel.
 */
export function markFlagged(
  frame: PixelArray,
  mask: Uint8Array | null,
  sentinel: number,
  seen: Uint32Array,
  flags: Uint8Array,
): void {
  if (mask) flags.set(mask);
  else flags.fill(0);
  // No sentinels in this type; 64-bit integers have none either.
  if (sentinel === Number.POSITIVE_INFINITY) return;
  for (let at = 0; at < frame.length; at++) {
    if (frame[at] < sentinel || flags[at] !== 0) continue;
    flags[at] = 1;
    seen[at] += 1;
  }
}

/**
 * Writes a frame with its flagged pixels treated.
 * @returns pixels that `median` set to 0 because no neighbour is left.
 */
export function treatFlagged(
  frame: PixelArray,
  flags: Uint8Array,
  width: number,
  treatment: FlaggedTreatment,
  output: PixelArray,
): number {
  (output as Uint8Array).set(frame as Uint8Array);
  if (treatment === "keep") return 0;
  const zero = typeof frame[0] === "bigint" ? 0n : 0;
  let alone = 0;
  for (let at = 0; at < frame.length; at++) {
    if (flags[at] === 0) continue;
    const value = treatment === "zero" ? zero : neighbourMedian(frame as Pixels, flags, width, at);
    if (value === null) alone += 1;
    (output as Pixels)[at] = value ?? zero;
  }
  return alone;
}

/**
 * Median of the unflagged pixels among the 8 around one, or null where there is none. Of an even number, the mean of
 * the middle two: rounded down for integers, exact for floats.
 */
export function neighbourMedian(
  frame: Pixels,
  flags: Uint8Array,
  width: number,
  at: number,
): number | bigint | null {
  const height = frame.length / width;
  const row = Math.floor(at / width);
  const col = at % width;
  const values: (number | bigint)[] = [];
  for (let y = Math.max(0, row - 1); y <= Math.min(height - 1, row + 1); y++) {
    for (let x = Math.max(0, col - 1); x <= Math.min(width - 1, col + 1); x++) {
      const near = y * width + x;
      if (near !== at && flags[near] === 0) values.push(frame[near]);
    }
  }
  if (values.length === 0) return null;
  values.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const high = values[values.length >> 1];
  if (values.length % 2 === 1) return high;
  return middle(values[(values.length >> 1) - 1], high, frame);
}

function middle(low: number | bigint, high: number | bigint, frame: Pixels): number | bigint {
  // A shift rounds down on either side of zero, which the division of bigints does not.
  if (typeof low === "bigint") return (low + (high as bigint)) >> 1n;
  const mean = (low + (high as number)) / 2;
  return frame instanceof Float32Array || frame instanceof Float64Array ? mean : Math.floor(mean);
}
