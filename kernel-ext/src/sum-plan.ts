// Owns: reductions as plain data, for a backend that adds frames while it decodes them.
// Must not know: masks' shapes, files, how a backend adds.
import type { Dtype } from "./types";

/** The sum, or the centre of mass, of chosen pixels of every frame. */
export interface FrameTarget {
  readonly center: boolean;
  /** Pixels as pairs (first, count), ascending, each inside one row of the detector. */
  readonly runs: Uint32Array;
  /** One value a frame, or two (row, column); written for frames that have one. */
  readonly values: Float64Array;
  /** One count: values of accepted frames that were no measurements. */
  readonly flagged: Float64Array;
}

/** A number for every pixel over all frames; arrays of the detector's pixels. */
export interface PatternTarget {
  /** Exact sums; null = not asked for. */
  readonly sums: BigInt64Array | null;
  /** Largest measurements, -Infinity before the first; null = not asked for. */
  readonly largest: Float64Array | null;
  /** For each pixel, the frames in which it held no measurement. */
  readonly flagged: Uint32Array;
  /** One count: frames added. */
  readonly frames: Float64Array;
}

/** Sums of integer frames. A backend only ever adds to the arrays, and only frames of chunks that it accepts. */
export interface SumPlan {
  readonly dtype: Dtype;
  /** Pixels of a frame, and of its rows. */
  readonly framePixels: number;
  readonly width: number;
  /** Frames that results have a place for. */
  readonly results: number;
  readonly perFrame: readonly FrameTarget[];
  /** Null = no pattern asked for. */
  readonly pattern: PatternTarget | null;
}

/** Integers of up to 32 bits: their sums are exact in 64 bits, in any order. */
export function isSummable(dtype: Dtype): boolean {
  return !dtype.startsWith("f") && !dtype.endsWith("64");
}

/** Ascending pixels of rows of `width` as runs. */
export function pixelRuns(pixels: Uint32Array, width: number): Uint32Array {
  const runs: number[] = [];
  let end = -1;
  for (const pixel of pixels) {
    if (pixel === end && pixel % width !== 0) runs[runs.length - 1]! += 1;
    else runs.push(pixel, 1);
    end = pixel + 1;
  }
  return Uint32Array.from(runs);
}
