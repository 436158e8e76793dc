// Owns: the plan of what happens to decoded frames: crop, then flags, then bin, then narrow; and what comes out.
// Must not know: files, chunks, how frames are decoded, how the stages compute.
import type { Bin, Dtype, FlaggedTreatment, NarrowDtype, PixelMask } from "../types";
import { binnedDtype, binnedShape } from "./bin";
import { maskFlags } from "./flagged";
import { binMask, cropMask } from "./pixel-mask";
import { type DetectorRanges, isWhole, type Region, regionOf } from "./region";

/** Frames of one kind: what they are made of. */
export interface FrameFacts {
  readonly dtype: Dtype;
  /** Shape [rows, cols] of a frame. */
  readonly detector: readonly [number, number];
  readonly pixelMask: PixelMask | null;
}

/** What the caller asked for; undefined = as it is. */
export interface TransformRequest {
  readonly detector: DetectorRanges;
  readonly flagged: FlaggedTreatment | undefined;
  readonly bin: Bin | undefined;
  readonly dtype: NarrowDtype | undefined;
}

/** A planned transform. Pure data: the judge in TypeScript and native twins run the same plan. */
export interface Transform {
  /** Frames as decoded. */
  readonly from: FrameFacts;
  /** Frames as returned. */
  readonly to: FrameFacts;
  readonly region: Region;
  /** Flagged pixels are looked for (and counted): something depends on them. */
  readonly seeksFlagged: boolean;
  readonly treatment: FlaggedTreatment;
  /** Pixels of the region that the mask flags (1); null without a mask that flags any. */
  readonly mask: Uint8Array | null;
  readonly bin: Bin | null;
  readonly narrow: NarrowDtype | null;
  /** False: frames stay as they are decoded. */
  readonly changes: boolean;
}

/** Plans the transform of an acquisition's frames. @throws SelectionError when the crop reaches outside. */
export function planTransform(from: FrameFacts, request: TransformRequest): Transform {
  const region = regionOf(request.detector, from.detector);
  const cropped: readonly [number, number] = [region.height, region.width];
  const bin = request.bin ?? null;
  const summed = bin ? binnedDtype(from.dtype) : from.dtype;
  const narrow = request.dtype && request.dtype !== summed ? request.dtype : null;
  const pixelMask = from.pixelMask && cropMask(from.pixelMask, region);
  const flags = pixelMask?.data.some((flag) => flag !== 0) ? maskFlags(pixelMask.data) : null;
  const seeksFlagged = request.flagged !== undefined || bin !== null || narrow !== null;
  return {
    from,
    to: {
      dtype: narrow ?? summed,
      detector: bin ? binnedShape(cropped, bin) : cropped,
      pixelMask: pixelMask && bin ? binMask(pixelMask, bin) : pixelMask,
    },
    region,
    seeksFlagged,
    treatment: request.flagged ?? "keep",
    mask: flags,
    bin,
    narrow,
    changes: seeksFlagged || !isWhole(region, from.detector),
  };
}
