// Owns: sums over frames for every pixel, exact for integers of any width and number.
// Must not know: pixel masks, which frames are good, files.
import type { Dtype, PixelArray } from "../types";
import { type Measured, measuredValues } from "./measured";

/** Base of the limbs. */
const LIMB = 2 ** 32;
/** Integers up to here are exact in a 64-bit float. */
const EXACT = 2 ** 53;

type Numbers = Exclude<PixelArray, BigUint64Array | BigInt64Array>;

/**
 * Exact sums. A pixel's sum is limbs[0] + 2^32 limbs[1] + 2^64 limbs[2], each limb an integer in a 64-bit float. Before
 * a limb could pass 2^53, what exceeds 2^32 is carried to the next. Floats are added in the order of the frames.
 */
export class PatternSums {
  /** Frames added. */
  frames = 0;
  /** For each pixel, the added frames in which it held no measurement; these are not in its sum. */
  readonly flagged: Uint32Array;
  private readonly limbs: Float64Array[];
  private readonly measured: Measured;
  /** Limbs that a value itself fills. */
  private readonly own: number;
  /** Frames that can be added between two carries. */
  private readonly room: number;
  private sinceCarry = 0;

  constructor(
    dtype: Dtype,
    private readonly size: number,
  ) {
    const bits = Number(dtype.slice(1));
    this.own = bits === 64 && !dtype.startsWith("f") ? 2 : 1;
    // A carried limb is below 2^32; each frame adds at most 2^min(bits, 32).
    this.room = dtype.startsWith("f")
      ? Number.POSITIVE_INFINITY
      : Math.floor((EXACT - LIMB) / 2 ** Math.min(bits, 32));
    this.measured = measuredValues(dtype);
    this.flagged = new Uint32Array(size);
    this.limbs = Array.from({ length: this.own }, () => new Float64Array(size));
  }

  /** Adds a frame of `size` pixels. */
  add(frame: PixelArray): void {
    if (this.sinceCarry >= this.room) this.carry();
    this.sinceCarry += 1;
    this.frames += 1;
    if (frame instanceof BigUint64Array || frame instanceof BigInt64Array) this.addHalves(frame);
    else this.addNumbers(frame);
  }

  private addNumbers(frame: Numbers): void {
    const { size, flagged } = this;
    const { above, below } = this.measured;
    const sums = this.limbs[0]!;
    for (let pixel = 0; pixel < size; pixel++) {
      const value = frame[pixel]!;
      if (value > above && value < below) sums[pixel]! += value;
      else flagged[pixel]! += 1;
    }
  }

  /** 64-bit integers as two halves, the upper one signed where the type is. */
  private addHalves(frame: BigUint64Array | BigInt64Array): void {
    const halves = new Uint32Array(frame.buffer, frame.byteOffset, frame.length * 2);
    const upper =
      frame instanceof BigInt64Array
        ? new Int32Array(frame.buffer, frame.byteOffset, frame.length * 2)
        : halves;
    const [low, high] = this.limbs as [Float64Array, Float64Array];
    for (let pixel = 0; pixel < this.size; pixel++) {
      low[pixel]! += halves[2 * pixel]!;
      high[pixel]! += upper[2 * pixel + 1]!;
    }
  }

  private carry(): void {
    if (this.limbs.length === this.own) this.limbs.push(new Float64Array(this.size));
    for (let k = 0; k + 1 < this.limbs.length; k++) {
      const [limb, next] = [this.limbs[k]!, this.limbs[k + 1]!];
      for (let pixel = 0; pixel < this.size; pixel++) {
        const over = Math.floor(limb[pixel]! / LIMB);
        limb[pixel]! -= over * LIMB;
        next[pixel]! += over;
      }
    }
    this.sinceCarry = 0;
  }

  /** Adds sums of `frames` frames that were added elsewhere, of integers of up to 32 bits. */
  addSums(frames: number, sums: BigInt64Array, flagged: Uint32Array): void {
    this.carry();
    this.frames += frames;
    const [low, high] = this.limbs as [Float64Array, Float64Array];
    // As halves: a bigint for each pixel would take longer than adding a thousand frames.
    const halves = new Int32Array(sums.buffer, sums.byteOffset, sums.length * 2);
    for (let pixel = 0; pixel < this.size; pixel++) {
      low[pixel]! += halves[2 * pixel]! >>> 0;
      high[pixel]! += halves[2 * pixel + 1]!;
      this.flagged[pixel]! += flagged[pixel]!;
    }
    this.carry();
  }

  /** The sums as 64-bit floats, each rounded once: exact up to 2^53. */
  values(): Float64Array {
    const [low, high, top] = this.limbs as [Float64Array, Float64Array?, Float64Array?];
    if (!high) return low.slice();
    return low.map((lowest, pixel) => {
      const upper = top ? top[pixel]! * LIMB + high[pixel]! : high[pixel]!;
      // Both terms are integers that a float holds: their sum is rounded once.
      return Math.abs(upper) < EXACT ? upper * LIMB + lowest : this.wholeSum(pixel);
    });
  }

  private wholeSum(pixel: number): number {
    return Number(this.limbs.reduceRight((total, limb) => (total << 32n) + BigInt(limb[pixel]!), 0n));
  }
}
