// Owns: the state that one piece of work (load, stream, verify) carries from its first check to its report.
// Must not know: what the work returns.
import { type BackendChoice, chooseBackends } from "../backends/registry";
import { missingFramesError } from "../damage/messages";
import type { CheckedOptions } from "../options";
import { trimLeading } from "../plan/missing";
import { makeReport } from "../result/report";
import { type FlagCount, flaggedFacts, flagNotes, startFlagCount } from "../transform/flag-count";
import type { LoadReport } from "../types";
import type { CancelScope } from "./cancel";
import type { DecodeRun } from "./decode";
import { gatherEvidence } from "./evidence";
import { Outcome } from "./outcome";
import type { Prepared } from "./prepare";
import { besideBytes } from "./produce";
import type { ProgressTicker } from "./progress-ticker";
import type { StageClock } from "./stage-clock";

/** A prepared piece of work with its backends chosen. */
export interface Session {
  readonly prepared: Prepared;
  readonly choice: BackendChoice;
  readonly run: DecodeRun;
  readonly flagCount: FlagCount;
  readonly clock: StageClock;
}

/**
 * Chooses the backends and opens the books; refuses missing frames where `onMissing` says so, or where no other is left.
 * @throws BackendUnavailableError, MissingFramesError.
 */
export function openSession(
  prepared: Prepared,
  options: CheckedOptions,
  cancel: CancelScope,
  ticker: ProgressTicker,
  clock: StageClock,
): Session {
  const { count, frameBytes, indexes, selection } = prepared;
  const program = indexes[0]?.program ?? { steps: [], elementBytes: 1, chunkBytes: frameBytes };
  const choice = chooseBackends(options.backend, program);
  const outcome = new Outcome();
  ticker.begin(count, frameBytes, () => outcome.damagedFrames.size);
  const { scanOf } = selection;
  const session = {
    prepared,
    choice,
    clock,
    flagCount: startFlagCount(prepared.transform),
    run: { choice, backend: 0, cancel, outcome, ticker, scanOf, trailing: 0 },
  };
  if (prepared.missing.length > 0 && (options.onMissing === "throw" || count === 0)) {
    const [rows, cols = 1] = trimLeading(selection.leading, prepared.missing[0]!.output);
    throw missingFramesError(sessionReport(session, 0, 0), rows * cols);
  }
  return session;
}

/** The report of finished work, with the pictures for its card kept beside it. Arguments as of `sessionReport`. */
export function finalReport(session: Session, decoded: number, held: number): Promise<LoadReport> {
  return gatherEvidence(session.prepared, sessionReport(session, decoded, held));
}

/** The report of the work so far: frames decoded, and frames held at once as they are returned. */
export function sessionReport(session: Session, decoded: number, held: number): LoadReport {
  const { prepared, choice, run, clock, flagCount } = session;
  const { transform, frameBytes, outputBytes, indexBytes } = prepared;
  const { outcome } = run;
  return makeReport({
    acquisition: prepared.acquisition,
    count: prepared.count,
    scanShape: prepared.selection.scanShape,
    missing: prepared.missing.map(({ entry }) => entry),
    candidates: choice.candidates,
    backend: run.backend,
    why: choice.why,
    tried: choice.tried,
    damaged: outcome.damaged,
    suspect: outcome.suspect,
    flagged: flaggedFacts(transform, flagCount),
    notes: [...prepared.notes, ...outcome.notes, ...flagNotes(transform, flagCount)],
    trailing: run.trailing,
    stages: clock.stages,
    bytes: {
      stored: outcome.storedBytes,
      decoded: decoded * frameBytes,
      peak: held * outputBytes + besideBytes(prepared, held) + outcome.peakBytes + indexBytes,
    },
    seconds: clock.seconds,
  });
}
