// Owns: the centre of mass of chosen pixels of every frame.
// Must not know: masks' shapes, which frames are good, files.
import type { Dtype, PixelArray } from "../types";
import { type Measured, measuredValues } from "./measured";

/** Centres of mass, two numbers (row, column) a frame; NaN where the sum is 0. */
export class CentersOfMass {
  /** Row and column of frame i at 2 i and 2 i + 1, NaN until it is added. */
  readonly values: Float64Array;
  /** Values that were no measurements. */
  flagged = 0;
  private readonly measured: Measured;
  private readonly rows: Uint32Array;
  private readonly cols: Uint32Array;

  /** `pixels`: row-major numbers on a detector that is `width` pixels wide. */
  constructor(
    dtype: Dtype,
    private readonly pixels: Uint32Array,
    width: number,
    frames: number,
  ) {
    this.measured = measuredValues(dtype);
    this.rows = pixels.map((pixel) => Math.floor(pixel / width));
    this.cols = pixels.map((pixel) => pixel % width);
    this.values = new Float64Array(2 * frames).fill(Number.NaN);
  }

  add(frame: PixelArray, index: number): void {
    const { pixels, rows, cols } = this;
    const { above, below } = this.measured;
    let sum = 0;
    let down = 0;
    let across = 0;
    for (let k = 0; k < pixels.length; k++) {
      const value = Number(frame[pixels[k]!]);
      if (value > above && value < below) {
        sum += value;
        down += value * rows[k]!;
        across += value * cols[k]!;
      } else {
        this.flagged += 1;
      }
    }
    if (sum === 0) return;
    this.values[2 * index] = down / sum;
    this.values[2 * index + 1] = across / sum;
  }
}
