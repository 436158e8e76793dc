// Owns: the notes that say what a reduction left out.
// Must not know: how reductions are computed.
import { frameList } from "../damage/ranges";
import type { LoadReport, Note } from "../types";

/** Flagged pixels that a reduction met. */
export interface LeftOut {
  /** Pixels that the pixel mask flags, among those that take part. */
  readonly masked: number;
  /** Values elsewhere that were no measurements. */
  readonly values: number;
}

/** Notes on flagged pixels, and on frames without pixels. `lost` says what became of those frames. */
export function leftOutNotes({ masked, values }: LeftOut, report: LoadReport, lost: string): Note[] {
  const notes: Note[] = [];
  const parts = [
    ...(masked > 0 ? [`${count(masked, "pixel")} of the pixel mask`] : []),
    ...(values > 0 ? [`${count(values, "value")} of other pixels without a measurement`] : []),
  ];
  if (parts.length > 0) notes.push({ code: "flagged-left-out", text: `Left out: ${parts.join(", ")}.` });
  const damaged = report.damaged.map(({ frame }) => frame);
  const missing = report.missing.map(({ frame }) => frame);
  if (damaged.length > 0) {
    notes.push({ code: "damaged-left-out", text: `Damaged frames are ${lost}: ${frameList(damaged)}.` });
  }
  if (missing.length > 0) {
    notes.push({ code: "missing-left-out", text: `Missing frames are ${lost}: ${frameList(missing)}.` });
  }
  return notes;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
