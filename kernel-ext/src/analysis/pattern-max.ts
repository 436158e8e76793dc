// Owns: the largest value over frames for every pixel.
// Must not know: pixel masks, which frames are good, files.
import type { Dtype, PixelArray } from "../types";
import { type Measured, measuredValues } from "./measured";

type Numbers = Exclude<PixelArray, BigUint64Array | BigInt64Array>;

/** Largest measurement of every pixel; exact for 64-bit integers too, until they are given out. */
export class PatternMax {
  private readonly numbers: Float64Array | null;
  private readonly bigints: BigInt64Array | BigUint64Array | null;
  private readonly measured: Measured;
  /** For each pixel, the added frames in which it held no measurement. */
  readonly flagged: Uint32Array;
  private frames = 0;

  constructor(
    dtype: Dtype,
    private readonly size: number,
  ) {
    this.measured = measuredValues(dtype);
    this.flagged = new Uint32Array(size);
    this.bigints =
      dtype === "u64" ? new BigUint64Array(size) : dtype === "i64" ? new BigInt64Array(size) : null;
    this.numbers = this.bigints ? null : new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  }

  add(frame: PixelArray): void {
    if (this.bigints) this.addBigints(frame as BigUint64Array, this.bigints as BigUint64Array);
    else this.addNumbers(frame as Numbers, this.numbers as Float64Array);
    this.frames += 1;
  }

  private addNumbers(frame: Numbers, largest: Float64Array): void {
    const { above, below } = this.measured;
    for (let pixel = 0; pixel < this.size; pixel++) {
      const value = frame[pixel]!;
      if (!(value > above && value < below)) this.flagged[pixel]! += 1;
      else if (value > largest[pixel]!) largest[pixel] = value;
    }
  }

  private addBigints(frame: BigUint64Array, largest: BigUint64Array): void {
    for (let pixel = 0; pixel < this.size; pixel++) {
      if (this.frames === 0 || frame[pixel]! > largest[pixel]!) largest[pixel] = frame[pixel]!;
    }
  }

  /** Takes the largest values of `frames` frames that were looked at elsewhere, of integers of up to 32 bits. */
  addLargest(frames: number, largest: Float64Array, flagged: Uint32Array): void {
    const own = this.numbers as Float64Array;
    for (let pixel = 0; pixel < this.size; pixel++) {
      own[pixel] = Math.max(own[pixel]!, largest[pixel]!);
      this.flagged[pixel]! += flagged[pixel]!;
    }
    this.frames += frames;
  }

  /** The largest values as 64-bit floats; NaN where nothing was measured. */
  values(): Float64Array {
    const { numbers, bigints, frames, size } = this;
    if (frames === 0) return new Float64Array(size).fill(Number.NaN);
    if (bigints) return Float64Array.from({ length: size }, (_, pixel) => Number(bigints[pixel]));
    return (numbers as Float64Array).map((value) =>
      value === Number.NEGATIVE_INFINITY ? Number.NaN : value,
    );
  }
}
