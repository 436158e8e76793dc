// Owns: assembling and freezing the report of a load.
// Must not know: how its parts were found.
import type { LoadReport } from "../types";

/** Freezes a report and everything in it; its lists are sorted by frame, then block. */
export function freezeReport(report: LoadReport): LoadReport {
  const byFrame = (
    a: { frame: number; block?: number | null },
    b: { frame: number; block?: number | null },
  ) => a.frame - b.frame || (a.block ?? -1) - (b.block ?? -1);
  return deepFreeze({
    ...report,
    damaged: [...report.damaged].sort(byFrame),
    missing: [...report.missing].sort(byFrame),
    suspect: [...report.suspect].sort(byFrame),
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
