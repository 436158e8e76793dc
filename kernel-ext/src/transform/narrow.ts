// Owns: converting a frame to a narrower element type, when every measured value fits.
// Must not know: files, how a refusal is worded.
import type { Dtype, NarrowDtype, PixelArray } from "../types";
import type { Misfit } from "./bin";
import { firstSentinel, measurable } from "./element";

/** From which type to which. */
export interface Narrowing {
  readonly from: Dtype;
  readonly to: NarrowDtype;
}

/**
 * Converts a frame. An unflagged value must be a whole number that `to` can hold as a measurement. Flagged ones keep
 * their meaning: the largest value of `from` becomes the largest of `to`, the second largest the second largest; any
 * other that does not fit becomes the largest.
 * @returns the first unflagged value, in row-major order, that does not fit; the output is then unfinished.
 */
export function narrowFrame(
  frame: PixelArray,
  flags: Uint8Array | null,
  narrowing: Narrowing,
  output: PixelArray,
): Misfit | null {
  const highest = Number(measurable(narrowing.to)?.highest);
  const to = output as Uint16Array;
  for (let at = 0; at < frame.length; at++) {
    // 64-bit integers lose digits here only beyond 2^53, far outside every narrow type.
    const value = Number(frame[at]);
    if (value >= 0 && value <= highest && Number.isInteger(value)) to[at] = value;
    else if (flags !== null && flags[at] !== 0) to[at] = narrowFlag(value, narrowing);
    else return { at, value: frame[at] };
  }
  return null;
}

/** What a flagged value becomes that `to` cannot hold as a measurement. */
function narrowFlag(value: number, { from, to }: Narrowing): number {
  const largest = to === "u8" ? 255 : 65_535;
  return value === firstSentinel(from) ? largest - 1 : largest;
}

/** A missing frame's fill value in the narrow type: itself where it fits, as a flag where it is one, else 0. */
export function narrowFill(value: number | bigint, narrowing: Narrowing): number {
  const largest = narrowing.to === "u8" ? 255 : 65_535;
  const plain = Number(value);
  if (plain >= 0 && plain <= largest && Number.isInteger(plain)) return plain;
  return plain >= firstSentinel(narrowing.from) ? narrowFlag(plain, narrowing) : 0;
}
