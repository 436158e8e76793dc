// Owns: counting flagged pixels while frames go by, and the part of the report that says where they are.
// Must not know: how pixels are found or treated.
import type { DetectorPixel, FlaggedPixels, Note } from "../types";
import type { Transform } from "./transform";

/** Pixels listed at most; the pixel mask itself has them all. */
export const FLAGGED_LISTED = 1000;

/** What one piece of work has seen so far. */
export interface FlagCount {
  /** For each pixel of the region that the mask leaves: frames in which it held a sentinel. Empty if nobody looks. */
  readonly seen: Uint32Array;
  /** Values that the median set to 0 for want of neighbours. */
  withoutNeighbours: number;
}

/** Starts counting. */
export function startFlagCount({ region, seeksFlagged }: Transform): FlagCount {
  return { seen: new Uint32Array(seeksFlagged ? region.height * region.width : 0), withoutNeighbours: 0 };
}

/** The counts so far, for a report. */
export function flaggedFacts(transform: Transform, count: FlagCount): FlaggedPixels {
  const { mask, seeksFlagged, treatment } = transform;
  const { seen, withoutNeighbours } = count;
  const masked = listPixels(transform, mask ?? new Uint8Array(0), (pixel) => pixel);
  if (!seeksFlagged) return { treatment, masked, sentinels: null, withoutNeighbours };
  const values = seen.reduce((sum, frames) => sum + frames, 0);
  const held = listPixels(transform, seen, (pixel, frames) => ({ ...pixel, frames }));
  return { treatment, masked, sentinels: { ...held, values }, withoutNeighbours };
}

/** What a user should know of flagged values that the result cannot mark. */
export function flagNotes({ narrow, treatment, bin }: Transform, count: FlagCount): Note[] {
  if (narrow !== "u8" || treatment !== "keep" || bin !== null) return [];
  const pixels = count.seen.filter((frames) => frames > 0).length;
  if (pixels === 0) return [];
  const subject = pixels === 1 ? "1 pixel" : `${pixels} pixels`;
  const text = `${subject} outside the pixel mask held flagged values; they became 255 or 254, which u8 cannot tell from counts. Pass flagged: "zero" or "median".`;
  return [{ code: "flags-lost", text }];
}

/** Pixels of the region with a count: how many, and the first of them by their place on the whole detector. */
function listPixels<T>(
  { region }: Transform,
  counts: Uint8Array | Uint32Array,
  entry: (pixel: DetectorPixel, count: number) => T,
): { pixels: number; listed: T[] } {
  const listed: T[] = [];
  let pixels = 0;
  for (let at = 0; at < counts.length; at++) {
    if (counts[at] === 0) continue;
    pixels += 1;
    if (listed.length === FLAGGED_LISTED) continue;
    const row = region.top + Math.floor(at / region.width);
    listed.push(entry({ row, col: region.left + (at % region.width) }, counts[at]));
  }
  return { pixels, listed };
}
