// Owns: the centre of mass of chosen pixels of every frame.
// Must not know: masks' shapes, which frames are good, files.

import { type FrameTarget, isSummable, pixelRuns } from "../sum-plan";
import type { Dtype, PixelArray } from "../types";
import { type Measured, measuredValues } from "./measured";

/** Integers up to here are exact in a 64-bit float. */
const EXACT = 2 ** 53;

/** Centres of mass, two numbers (row, column) a frame; NaN where the sum is 0. */
export class CentersOfMass {
  /** Row and column of frame i at 2 i and 2 i + 1, NaN until it is added. */
  readonly values: Float64Array;
  /** Values that were no measurements. */
  flagged = 0;
  private readonly measured: Measured;
  private readonly rows: Uint32Array;
  private readonly cols: Uint32Array;
  /** Pixels whose sums are exact together. */
  private readonly run: number;

  /** `pixels`: row-major numbers on a detector that is `width` pixels wide. */
  constructor(
    dtype: Dtype,
    private readonly pixels: Uint32Array,
    private readonly width: number,
    frames: number,
  ) {
    this.measured = measuredValues(dtype);
    const farthest = Math.max(width, Math.floor((pixels.at(-1) ?? 0) / width), 1);
    this.run = isSummable(dtype)
      ? Math.floor(EXACT / 2 ** Number(dtype.slice(1)) / farthest)
      : Number.POSITIVE_INFINITY;
    this.rows = pixels.map((pixel) => Math.floor(pixel / width));
    this.cols = pixels.map((pixel) => pixel % width);
    this.values = new Float64Array(2 * frames).fill(Number.NaN);
  }

  /** What adds to these centres elsewhere; null for what is added only here. */
  target(dtype: Dtype): FrameTarget | null {
    if (!isSummable(dtype)) return null;
    const runs = pixelRuns(this.pixels, this.width);
    return { center: true, runs, values: this.values, flagged: new Float64Array(1) };
  }

  /** Sums of integers of up to 32 bits are exact; those of others are added in the order of the pixels. */
  add(frame: PixelArray, index: number): void {
    const { length } = this.pixels;
    if (length <= this.run) {
      this.set(index, this.sumsOf(frame, 0, length));
      return;
    }
    const totals = [0n, 0n, 0n];
    for (let from = 0; from < length; from += this.run) {
      const sums = this.sumsOf(frame, from, Math.min(length, from + this.run));
      for (const [k, sum] of sums.entries()) totals[k]! += BigInt(sum);
    }
    this.set(index, totals.map(Number));
  }

  private set(index: number, [sum, down, across]: readonly number[]): void {
    if (sum === 0) return;
    this.values[2 * index] = down! / sum!;
    this.values[2 * index + 1] = across! / sum!;
  }

  /** Of pixels [from, to): values, values times rows, values times columns. */
  private sumsOf(frame: PixelArray, from: number, to: number): [number, number, number] {
    const { pixels, rows, cols } = this;
    const { above, below } = this.measured;
    let sum = 0;
    let down = 0;
    let across = 0;
    let flagged = 0;
    for (let k = from; k < to; k++) {
      const value = Number(frame[pixels[k]!]);
      if (value > above && value < below) {
        sum += value;
        down += value * rows[k]!;
        across += value * cols[k]!;
      } else {
        flagged += 1;
      }
    }
    this.flagged += flagged;
    return [sum, down, across];
  }
}
