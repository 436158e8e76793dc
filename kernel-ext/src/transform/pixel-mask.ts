// Owns: the pixel mask that belongs to transformed frames.
// Must not know: pixel values, files.
import type { Bin, PixelMask } from "../types";
import { binnedShape } from "./bin";
import { cropFrame, isWhole, type Region } from "./region";

/** The mask of a region; the mask itself where that is everything. */
export function cropMask(mask: PixelMask, region: Region): PixelMask {
  if (isWhole(region, mask.shape)) return mask;
  const data = new Uint32Array(region.height * region.width);
  cropFrame(mask.data, mask.shape[1], region, data);
  return { shape: [region.height, region.width], data };
}

/**
 * The mask of binned frames. A pixel is flagged only when every pixel that it was summed of is, so that sums over the
 * unflagged pixels of a frame stay the same; its flags are the bitwise or of theirs.
 */
export function binMask(mask: PixelMask, bin: Bin): PixelMask {
  const [rows, cols] = mask.shape;
  const shape = binnedShape(mask.shape, bin);
  const data = new Uint32Array(shape[0] * shape[1]);
  const good = new Uint8Array(data.length);
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const at = Math.floor(row / bin) * shape[1] + Math.floor(col / bin);
      const flag = mask.data[row * cols + col];
      if (flag === 0) good[at] = 1;
      data[at] |= flag;
    }
  }
  for (let at = 0; at < data.length; at++) if (good[at]) data[at] = 0;
  return { shape, data };
}
