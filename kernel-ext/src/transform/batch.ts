// Owns: the transform of a batch of decoded frames, stage after stage, frame by frame: the judge of native twins.
// Must not know: files, why a frame is not valid, who asks.
import { emptyPixels } from "../pixel-arrays";
import type { PixelArray } from "../types";
import { binFrame, binnedDtype } from "./bin";
import { firstSentinel } from "./element";
import type { FlagCount } from "./flag-count";
import { markFlagged, treatFlagged } from "./flagged";
import type { FrameMisfit } from "./misfit";
import { narrowFill, narrowFrame } from "./narrow";
import { cropFrame, isWhole } from "./region";
import type { FrameFacts, Transform } from "./transform";

/** Consecutive frames: decoded pixels in, transformed pixels out, one entry of `valid` a frame. */
export interface FrameBatch {
  readonly input: PixelArray;
  readonly output: PixelArray;
  readonly valid: Uint8Array;
}

/** Runs one transform over batch after batch; its scratch is a few frames. */
export type BatchTransform = (batch: FrameBatch) => FrameMisfit | null;

/**
 * Opens a transform. A frame that is not valid holds one value (0, or the fill value) and is filled with what that
 * becomes; its pixels are not counted. Each batch gives the first value, by frame and pixel, that does not fit: the
 * output is then unfinished from its frame on.
 */
export function openTransform(transform: Transform, count: FlagCount): BatchTransform {
  const stages = openStages(transform, count);
  const inputSize = pixelsOf(transform.from);
  const outputSize = pixelsOf(transform.to);
  return ({ input, output, valid }) => {
    for (let frame = 0; frame < valid.length; frame++) {
      const from = input.subarray(frame * inputSize, (frame + 1) * inputSize);
      const to = output.subarray(frame * outputSize, (frame + 1) * outputSize);
      if (valid[frame] === 0) {
        fillInvalid(transform, from, to);
        continue;
      }
      const misfit = stages(from, to);
      if (misfit) return { ...misfit, frame };
    }
    return null;
  };
}

/** Most bytes that an open transform and its counts hold. */
export function transformBytes({ from, to, region, changes }: Transform): number {
  if (!changes) return 0;
  const pixel = emptyPixels(from.dtype, 1).byteLength;
  // Two frames of scratch, the flags, the counts, and the sums.
  return region.height * region.width * (2 * pixel + 1 + 4) + pixelsOf(to) * 8;
}

function pixelsOf({ detector }: FrameFacts): number {
  return detector[0] * detector[1];
}

function fillInvalid({ from, narrow }: Transform, input: PixelArray, output: PixelArray): void {
  const value = narrow ? narrowFill(input[0], { from: from.dtype, to: narrow }) : input[0];
  output.fill(value as never);
}

type FrameStages = (input: PixelArray, output: PixelArray) => Omit<FrameMisfit, "frame"> | null;

/** The stages of a transform; each writes scratch of its own, the last one the output. */
function openStages(transform: Transform, count: FlagCount): FrameStages {
  const { from, to, region, mask, treatment, bin, narrow, seeksFlagged } = transform;
  const shape = [region.height, region.width] as const;
  const size = region.height * region.width;
  const sentinel = firstSentinel(from.dtype);
  const flags = seeksFlagged && (mask || sentinel !== Number.POSITIVE_INFINITY) ? new Uint8Array(size) : null;
  const treats = flags !== null && treatment !== "keep";
  const crops = !isWhole(region, from.detector);
  const summed = bin ? binnedDtype(from.dtype) : from.dtype;
  const cropped = crops && (treats || bin || narrow) ? emptyPixels(from.dtype, size) : null;
  const treated = treats && (bin || narrow) ? emptyPixels(from.dtype, size) : null;
  const sums = bin && narrow ? emptyPixels(summed, pixelsOf(to)) : null;

  return (input, output) => {
    let frame = input;
    if (crops) {
      frame = cropped ?? output;
      cropFrame(input, from.detector[1], region, frame);
    }
    if (flags) markFlagged(frame, mask, sentinel, count.seen, flags);
    if (flags && treats) {
      const target = treated ?? output;
      count.withoutNeighbours += treatFlagged(frame, flags, region.width, treatment, target);
      frame = target;
    }
    // Treated pixels hold a value like any other, and so do sums.
    let left = treats ? null : flags;
    if (bin) {
      const target = sums ?? output;
      const misfit = binFrame(frame, left, { shape, bin, dtype: summed }, target);
      if (misfit) return { ...misfit, stage: "bin", dtype: summed };
      frame = target;
      left = null;
    }
    if (narrow) {
      const misfit = narrowFrame(frame, left, { from: summed, to: narrow }, output);
      return misfit && { ...misfit, stage: "dtype", dtype: narrow };
    }
    if (frame !== output) (output as Uint8Array).set(frame as Uint8Array);
    return null;
  };
}
