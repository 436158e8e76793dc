// Owns: summing squares of pixels, exactly or not at all.
// Must not know: files, which option asked for it, how a refusal is worded.
import type { Bin, Dtype, PixelArray } from "../types";
import { type Limits, measurable } from "./element";

/** A pixel of the output whose value does not fit its type. */
export interface Misfit {
  /** Index in the output frame. */
  readonly at: number;
  readonly value: number | bigint;
}

/** Element type of sums: integers are widened to 32 bits, 64-bit integers and floats keep their type. */
export function binnedDtype(dtype: Dtype): Dtype {
  if (dtype.startsWith("f") || dtype.endsWith("64")) return dtype;
  return dtype.startsWith("u") ? "u32" : "i32";
}

/** Shape [rows, cols] of a binned frame: an odd edge gets a pixel of its own. */
export function binnedShape([rows, cols]: readonly [number, number], bin: Bin): readonly [number, number] {
  return [Math.ceil(rows / bin), Math.ceil(cols / bin)];
}

/** What binning one frame needs to know. */
export interface BinShape {
  /** Shape [rows, cols] of the frame before. */
  readonly shape: readonly [number, number];
  readonly bin: Bin;
  /** Element type of the sums. */
  readonly dtype: Dtype;
}

/**
 * Sums squares of pixels without those whose `omit` is set. Integer sums are exact; float sums add in row-major order
 * in double precision and are rounded once.
 * @returns the first sum, in row-major order, that its type cannot hold as a measurement; the output is then unfinished.
 */
export function binFrame(
  frame: PixelArray,
  omit: Uint8Array | null,
  { shape, bin, dtype }: BinShape,
  output: PixelArray,
): Misfit | null {
  const [rows, cols] = shape;
  const outCols = binnedShape(shape, bin)[1];
  const limits = measurable(dtype);
  const wide = dtype === "u64" || dtype === "i64";
  // 64 values of 32 bits stay below 2^38, which doubles hold exactly.
  const sums: Sums = wide ? new Array<bigint>(outCols) : new Float64Array(outCols);
  const zero = wide ? 0n : 0;
  const shift = Math.log2(bin);
  for (let top = 0, at = 0; top < rows; top += bin, at += outCols) {
    sums.fill(zero as never);
    for (let row = top; row < Math.min(rows, top + bin); row++) {
      const start = row * cols;
      for (let col = 0; col < cols; col++) {
        if (omit === null || omit[start + col] === 0) {
          // Both sides are numbers, or both are bigints.
          (sums as Float64Array)[col >> shift] += frame[start + col] as number;
        }
      }
    }
    const bad = limits ? firstOutside(sums, limits) : -1;
    if (bad >= 0) return { at: at + bad, value: sums[bad] };
    (output as Uint8Array).set(sums as Float64Array, at);
  }
  return null;
}

type Sums = Float64Array | bigint[];

function firstOutside(sums: Sums, limits: Limits): number {
  for (let i = 0; i < sums.length; i++) {
    if (sums[i] < limits.lowest || sums[i] > limits.highest) return i;
  }
  return -1;
}
