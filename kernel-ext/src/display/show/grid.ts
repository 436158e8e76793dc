// Owns: a 2-D ndarray as plain numbers with its flagged pixels found, made smaller when it is larger than a screen.
// Must not know: how it is drawn.
import type { Data, NdArray } from "ndarray";

/** Any ndarray that can be drawn: numbers or 64-bit integers. */
export type AnyArray = NdArray<Data<number>> | NdArray<BigInt64Array | BigUint64Array>;

/** Values of a picture, row by row; NaN where a pixel holds no measurement. */
export interface Grid {
  readonly rows: number;
  readonly cols: number;
  readonly values: Float64Array;
  /** Pixels of the source without a measurement: sentinels of the detector, NaN, infinities. */
  readonly flagged: number;
  /** Source pixels along each side of one value; 1 = as it is. */
  readonly binned: number;
}

/** Largest side of a picture; a larger one is averaged down to it. */
const MAX_SIDE = 1024;

/** Values that detectors write for "no measurement", by ndarray dtype. */
const SENTINELS: Readonly<Record<string, readonly number[]>> = {
  uint16: [65535, 65534],
  uint32: [4294967295, 4294967294],
};

/** A test for values without a measurement in arrays of this ndarray dtype. */
export function isFlagged(dtype: string): (value: number) => boolean {
  const [first, second] = SENTINELS[dtype] ?? [];
  return (value) => value === first || value === second || !Number.isFinite(value);
}

/** The element at an index as a number; 64-bit integers lose what a number cannot hold, a picture does not show it. */
export function numberAt(array: AnyArray, ...index: number[]): number {
  return Number((array as NdArray<Data<number>>).get(...index));
}

/** Reads a 2-D ndarray, averaged so that no side is longer than `maxSide`. */
export function gridOf(array: AnyArray, maxSide: number = MAX_SIDE): Grid {
  const [rows, cols] = array.shape as [number, number];
  const binned = Math.max(1, Math.ceil(Math.max(rows, cols) / maxSide));
  const outRows = Math.ceil(rows / binned);
  const outCols = Math.ceil(cols / binned);
  const sums = new Float64Array(outRows * outCols);
  const counts = new Uint32Array(outRows * outCols);
  const skip = isFlagged(array.dtype);
  let flagged = 0;
  for (let row = 0; row < rows; row++) {
    const start = Math.floor(row / binned) * outCols;
    for (let col = 0; col < cols; col++) {
      const value = numberAt(array, row, col);
      if (skip(value)) {
        flagged += 1;
        continue;
      }
      const at = start + Math.floor(col / binned);
      sums[at]! += value;
      counts[at]! += 1;
    }
  }
  const values = sums.map((sum, i) => (counts[i]! > 0 ? sum / counts[i]! : Number.NaN));
  return { rows: outRows, cols: outCols, values, flagged, binned };
}
