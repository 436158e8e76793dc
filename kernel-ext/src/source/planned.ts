// Owns: the frames that an acquisition meant to record and its scan shape, from numbers that its master holds.
// Must not know: files, h5wasm. Pure functions.
import type { Note } from "../types";
import type { Acquisition } from "./acquisition";

/** More planned frames than any acquisition holds: triggers set to "endless", or a damaged number. */
const MAX_PLANNED = 2 ** 31;
/** A single pattern is no scan. */
const MIN_SCAN_FRAMES = 4;

export interface Planned {
  /** null = the file does not say. */
  readonly frames: number | null;
  readonly notes: readonly Note[];
}

/** `nimages` images for each of `ntrigger` triggers; where one of the two is absent it counts as 1. */
export function plannedFrames(nimages: number | null, ntrigger: number | null): Planned {
  if (nimages === null && ntrigger === null) return { frames: null, notes: [] };
  const frames = (nimages ?? 1) * (ntrigger ?? 1);
  if (Number.isSafeInteger(frames) && frames >= 1 && frames <= MAX_PLANNED) return { frames, notes: [] };
  const text = `The master plans nimages ${nimages ?? "(absent)"} x ntrigger ${ntrigger ?? "(absent)"} frames, which is no usable number: the frames found count as planned.`;
  return { frames: null, notes: [{ code: "planned-unusable", text }] };
}

export interface ScanFact {
  readonly scan: Acquisition["scan"];
  readonly notes: readonly Note[];
}

/**
 * The scan shape: the first `scan_shape` attribute, else the square that the planned frames are where every trigger
 * took one image. A product other than the frames planned is for the caller to judge, with both numbers.
 */
export function scanOf(
  attributes: readonly { readonly at: string; readonly value: readonly number[] | undefined }[],
  planned: number | null,
  nimages: number | null,
): ScanFact {
  const notes: Note[] = [];
  for (const { at, value } of attributes) {
    if (value === undefined) continue;
    const [rows, cols] = value;
    if (value.length === 2 && isExtent(rows) && isExtent(cols)) {
      return { scan: { shape: [rows, cols], from: "attribute" }, notes };
    }
    const text = `The attribute scan_shape of ${at} is [${value.join(", ")}], not two positive whole numbers: ignored.`;
    notes.push({ code: "scan-shape-unusable", text });
  }
  if (nimages !== 1 || planned === null || planned < MIN_SCAN_FRAMES) return { scan: null, notes };
  const side = Math.round(Math.sqrt(planned));
  return { scan: side * side === planned ? { shape: [side, side], from: "square" } : null, notes };
}

function isExtent(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 1 && value <= MAX_PLANNED;
}
