// Owns: assembling and freezing the report of a piece of work.
// Must not know: how its parts were found.
import type { Backend } from "../backends/backend";
import type { Acquisition } from "../source/acquisition";
import type { DamagedBlock, LoadReport, MissingFrame, Note } from "../types";

/** What a report is made of; every part comes from the stage that knows it. */
export interface ReportParts {
  readonly acquisition: Acquisition;
  /** Frames selected. */
  readonly count: number;
  readonly scanShape: LoadReport["scanShape"];
  readonly missing: readonly MissingFrame[];
  /** Backends that could run, best first; those before `backend` were dropped. */
  readonly candidates: readonly Backend[];
  readonly backend: number;
  readonly why: string;
  readonly tried: LoadReport["backend"]["tried"];
  readonly damaged: readonly DamagedBlock[];
  readonly suspect: LoadReport["suspect"];
  readonly flagged: LoadReport["flagged"];
  readonly notes: readonly Note[];
  /** Accepted chunks with stored bytes that nothing needs. */
  readonly trailing: number;
  readonly stages: LoadReport["stages"];
  readonly bytes: LoadReport["bytes"];
  readonly seconds: number;
}

/** Makes the frozen report; its lists are sorted by frame, then block. */
export function makeReport(parts: ReportParts): LoadReport {
  const { acquisition, count, missing, damaged, suspect, stages, bytes, seconds } = parts;
  const { planned, found } = acquisition;
  return deepFreeze({
    path: acquisition.path,
    backend: backendFacts(parts),
    frames: { planned, found, selected: count },
    scanShape: parts.scanShape && [...parts.scanShape],
    damaged: [...damaged].sort(byFrame),
    missing: [...missing].sort(byFrame),
    suspect: [...suspect].sort(byFrame),
    flagged: parts.flagged,
    notes: [...parts.notes, ...trailingNote(parts.trailing)],
    stages: [...stages],
    bytes,
    seconds,
  });
}

function backendFacts({ candidates, backend, why, tried }: ReportParts): LoadReport["backend"] {
  const { name, device } = candidates[backend];
  if (backend === 0) return { name, device, why, tried: [...tried] };
  const reason = "dropped during this work, see the notes";
  const dropped = candidates.slice(0, backend).map((candidate) => ({ name: candidate.name, reason }));
  return { name, device, why: "the next one after a backend was dropped", tried: [...tried, ...dropped] };
}

function trailingNote(chunks: number): Note[] {
  if (chunks === 0) return [];
  const subject = chunks === 1 ? "1 chunk holds" : `${chunks} chunks hold`;
  return [{ code: "trailing-bytes", text: `${subject} bytes behind the data; they are not used.` }];
}

interface Placed {
  readonly frame: number;
  readonly block?: number | null;
  readonly offset?: number;
}

function byFrame(a: Placed, b: Placed): number {
  return a.frame - b.frame || (a.offset ?? 0) - (b.offset ?? 0) || (a.block ?? -1) - (b.block ?? -1);
}

/** Freezes a value and everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
