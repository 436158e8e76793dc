// Owns: the sum of chosen pixels of every frame, exact for integers of any width and number.
// Must not know: masks' shapes, which frames are good, files.

import { type FrameTarget, isSummable, pixelRuns } from "../sum-plan";
import type { Dtype, PixelArray } from "../types";
import { type Measured, measuredValues } from "./measured";

/** Pixels that are summed in one go: below 2^53 even when each is 2^32. */
const RUN = 2 ** 20;

type Numbers = Exclude<PixelArray, BigUint64Array | BigInt64Array>;

/** Sums of some pixels, one a frame. A frame without a measurement in any of them is NaN. */
export class FrameSums {
  /** One a frame, NaN until it is added. */
  readonly values: Float64Array;
  /** Values that were no measurements. */
  flagged = 0;
  private readonly measured: Measured;
  private readonly isFloat: boolean;

  constructor(
    dtype: Dtype,
    private readonly pixels: Uint32Array,
    frames: number,
  ) {
    this.measured = measuredValues(dtype);
    this.isFloat = dtype.startsWith("f");
    this.values = new Float64Array(frames).fill(Number.NaN);
  }

  add(frame: PixelArray, index: number): void {
    const before = this.flagged;
    const sum = this.sumOf(frame);
    if (this.flagged - before < this.pixels.length) this.values[index] = sum;
  }

  /** What adds to these sums elsewhere; null for what is added only here. `width`: pixels of a row. */
  target(dtype: Dtype, width: number): FrameTarget | null {
    if (!isSummable(dtype)) return null;
    const runs = pixelRuns(this.pixels, width);
    return { center: false, runs, values: this.values, flagged: new Float64Array(1) };
  }

  private sumOf(frame: PixelArray): number {
    const { length } = this.pixels;
    if (frame instanceof BigUint64Array || frame instanceof BigInt64Array) return this.sumHalves(frame);
    if (length <= RUN || this.isFloat) return this.sumNumbers(frame, 0, length);
    let total = 0n;
    for (let from = 0; from < length; from += RUN) {
      total += BigInt(this.sumNumbers(frame, from, Math.min(length, from + RUN)));
    }
    return Number(total);
  }

  private sumNumbers(frame: Numbers, from: number, to: number): number {
    const { pixels } = this;
    const { above, below } = this.measured;
    let sum = 0;
    let flagged = 0;
    for (let k = from; k < to; k++) {
      const value = frame[pixels[k]!]!;
      if (value > above && value < below) sum += value;
      else flagged += 1;
    }
    this.flagged += flagged;
    return sum;
  }

  /** 64-bit integers as two halves, the upper one signed where the type is. */
  private sumHalves(frame: BigUint64Array | BigInt64Array): number {
    const { pixels } = this;
    const halves = new Uint32Array(frame.buffer, frame.byteOffset, frame.length * 2);
    const upper =
      frame instanceof BigInt64Array
        ? new Int32Array(frame.buffer, frame.byteOffset, frame.length * 2)
        : halves;
    let total = 0n;
    for (let from = 0; from < pixels.length; from += RUN) {
      let low = 0;
      let high = 0;
      for (let k = from; k < Math.min(pixels.length, from + RUN); k++) {
        low += halves[2 * pixels[k]!]!;
        high += upper[2 * pixels[k]! + 1]!;
      }
      total += (BigInt(high) << 32n) + BigInt(low);
    }
    return Number(total);
  }
}
