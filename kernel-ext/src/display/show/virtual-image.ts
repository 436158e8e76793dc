// Owns: the sum of every frame of a scan as a picture of the scan.
// Must not know: how it is drawn.
import ndarray from "ndarray";
import type { Frames } from "../../types";
import { isFlagged } from "./grid";

/** Most pixels that are read for one picture: about half a second of a card's time. */
const MAX_READS = 100_000_000;

/** The picture, and which pixels went into it. */
export interface VirtualImage {
  readonly array: ndarray.NdArray<Float64Array>;
  /** Every n-th pixel of a frame was summed; 1 = all. */
  readonly every: number;
}

/**
 * Sums each frame of a 4-D scan, without flagged pixels and those of the pixel mask. Frames that are not valid
 * are NaN. A scan too large to read at once is summed over every n-th pixel.
 */
export function virtualImage(frames: Frames): VirtualImage {
  const [rows, cols, height, width] = frames.shape as [number, number, number, number];
  const pixels = height * width;
  // An odd step, so that it does not keep to one column of a frame of even width.
  const every = Math.max(1, Math.ceil((rows * cols * pixels) / MAX_READS)) | 1;
  const skip = isFlagged(frames.dtype);
  const mask = frames.pixelMask?.data;
  const sums = new Float64Array(rows * cols).fill(Number.NaN);
  for (let i = 0; i < sums.length; i++) {
    if (frames.valid[i] === 0) continue;
    const { data, offset } = frames.frame(i); // Dense: its elements follow one another.
    let sum = 0;
    for (let pixel = 0; pixel < pixels; pixel += every) {
      if (mask !== undefined && mask[pixel] !== 0) continue;
      const value = Number(data[offset + pixel]);
      if (!skip(value)) sum += value;
    }
    sums[i] = sum;
  }
  return { array: ndarray(sums, [rows, cols]), every };
}
