// Owns: descriptions of reductions, and the type of what they give.
// Must not know: how they are computed, where frames come from.
import type { NdArray } from "ndarray";
import type { LoadReport, Note } from "../types";
import type { DetectorMask } from "./masks";

/** What a reduction computes: one number a frame, or one a pixel of the detector. */
export type ReductionKind =
  | "virtual-image"
  | "mean-pattern"
  | "sum-pattern"
  | "max-pattern"
  | "center-of-mass";

/** A reduction that has not run yet. Made by `virtualImage(mask)`, `meanPattern()`, …; run by `reduce`. */
export interface Reduction {
  readonly kind: ReductionKind;
  /** Pixels that take part; null = all. */
  readonly mask: DetectorMask | null;
}

/**
 * Result of a reduction: an ndarray of 64-bit floats, [rows, cols] for a pattern of the detector; for a number a frame
 * [scan rows, scan cols], or [frames] where there is no scan shape, with a last axis of 2 (row, column) for a centre of
 * mass. NaN = nothing was measured there.
 */
export interface Reduced extends NdArray<Float64Array> {
  /** What each axis counts: `scan row`, `scan column`, `frame`, `detector row`, `detector column`, `row, column`. */
  readonly axes: readonly string[];
  /** `counts` as stored, or `pixels` of the detector. */
  readonly unit: "counts" | "pixels";
  /** What was left out: flagged pixels, damaged and missing frames. */
  readonly notes: readonly Note[];
  /** The report on the frames that were reduced: its `damaged` and `missing` list the frames that are NaN. */
  readonly report: LoadReport;
}

const MADE = new WeakSet<object>();

/** Describes a reduction. */
export function describeReduction(kind: ReductionKind, mask: DetectorMask | null): Reduction {
  const made = Object.freeze({ kind, mask });
  MADE.add(made);
  return made;
}

/** Whether a value is a description of this package. */
export function isReduction(value: unknown): value is Reduction {
  return typeof value === "object" && value !== null && MADE.has(value);
}
