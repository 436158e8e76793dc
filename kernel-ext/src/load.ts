// Owns: `load`: wires the stages from a path to Frames. One of the few files that know them all.
// Must not know: how any stage works.
import type { OutputMemory } from "./backends/backend";
import { type BackendChoice, chooseBackends } from "./backends/registry";
import { damagedFramesError, missingFramesError } from "./damage/messages";
import { openProgress } from "./display/progress";
import { framesLine } from "./display/summary";
import { AbortError } from "./errors";
import { type CheckedOptions, checkLoadOptions, type LoadOptions } from "./options";
import { BATCH_STORED_BYTES } from "./plan/batches";
import { type FramesParts, makeFrames } from "./result/frames";
import { freezeReport } from "./result/report";
import { admit } from "./run/admission";
import { type CancelScope, openCancelScope } from "./run/cancel";
import { withDataFile } from "./run/data-file";
import { type DecodeRun, decodeJobs, scratchBytes } from "./run/decode";
import { fillFrame, frameBytesOf } from "./run/fill";
import { Outcome } from "./run/outcome";
import { allocateFrames, releaseFrames } from "./run/output-memory";
import { type Prepared, prepare } from "./run/prepare";
import { ProgressTicker } from "./run/progress-ticker";
import { segmentJobs } from "./run/segment-jobs";
import { StageClock } from "./run/stage-clock";
import type { Frames, LoadReport, NumberPixelArray, PixelArray } from "./types";

/**
 * Loads an acquisition, or a part of it, into memory.
 *
 * @param path an HDF5 master, a single-file acquisition, or one data file.
 * @returns an ndarray [frames, rows, cols], or [scan rows, scan cols, rows, cols] where the scan shape is known, of
 *   counts in the file's dtype. For 64-bit integers write `load<BigUint64Array>(path)`.
 * @throws DamagedFramesError, MissingFramesError (both with a report), NotHdf5Error, MissingFileError,
 *   DatasetNotFoundError, UnsupportedFilterError, UnsupportedLayoutError, ScanShapeError, SelectionError,
 *   MemoryLimitError, BackendUnavailableError, BackendError, OptionError, AbortError.
 * @example
 * const frames = await load("demo/demo_master.h5", { scan: { rows: [0, 8] } });
 * frames.shape; // [8, 16, 192, 192]
 * frames.get(3, 4, 96, 96); // counts of one pixel
 */
export async function load<T extends PixelArray = NumberPixelArray>(
  path: string,
  options: LoadOptions = {},
): Promise<Frames<T>> {
  const checked = checkLoadOptions(path, options);
  const cancel = openCancelScope(checked.signal);
  // Opened in the synchronous part of the call, so that a notebook shows it in the caller's cell.
  const progress = openProgress(checked.progress);
  const ticker = new ProgressTicker({ task: "load", path, control: cancel.control, emit: progress.event });
  try {
    const frames = await loadFrames(path, checked, cancel, ticker);
    ticker.finish("done", line(frames));
    return frames as unknown as Frames<T>;
  } catch (error) {
    const state = error instanceof AbortError ? "cancelled" : "failed";
    ticker.finish(state, error instanceof Error ? error.message : String(error));
    throw error;
  } finally {
    cancel.dispose();
  }
}

async function loadFrames(
  path: string,
  options: CheckedOptions,
  cancel: CancelScope,
  ticker: ProgressTicker,
): Promise<Frames> {
  const clock = new StageClock();
  const prepared = await prepare(path, options, cancel, clock);
  const { acquisition, count, frameBytes } = prepared;
  const program = prepared.indexes[0]?.program ?? { steps: [], elementBytes: 1, chunkBytes: frameBytes };
  const choice = chooseBackends(options.backend, program);
  const outcome = new Outcome();
  const facts = { prepared, choice, outcome, clock };
  if (prepared.missing.length > 0 && (options.onMissing === "throw" || count === 0)) {
    throw missingFramesError(makeReport({ ...facts, backend: 0, decodedBytes: 0, trailing: 0 }));
  }
  admitWork(prepared, options);
  const output = await clock.time("allocate", () => allocateFrames(acquisition.path, count * frameBytes));
  ticker.begin(count, frameBytes, () => outcome.damagedOutputs.size);
  const { scanOf } = prepared.selection;
  const run: DecodeRun = { choice, backend: 0, output, cancel, outcome, ticker, scanOf, trailing: 0 };
  await clock.time("decode", () => decodeAll(run, prepared));
  const valid = await clock.time("mask", () => maskFrames(prepared, outcome, output));
  const report = makeReport({ ...facts, ...run, decodedBytes: output.bytes });
  if (outcome.damagedOutputs.size > 0 && options.onDamage === "throw") {
    releaseFrames(output);
    throw damagedFramesError(report);
  }
  const { path: source, dtype, detector, pixelMask } = acquisition;
  const parts: FramesParts = {
    ...{ dtype, leading: prepared.leading, detector, valid, report, source, pixelMask, line },
    buffer: output.buffer,
    start: output.start,
    release: () => releaseFrames(output),
  };
  return makeFrames(parts);
}

/** Checks the whole of what the work will hold at once. @throws MemoryLimitError. */
function admitWork(prepared: Prepared, options: CheckedOptions): void {
  let stored = 0;
  let scratch = 0;
  for (const index of prepared.indexes) {
    const jobs = segmentJobs(index, prepared.count);
    for (const bytes of jobs.storedBytes) stored += bytes;
    scratch = Math.max(scratch, scratchBytes(jobs));
  }
  const parts = {
    frames: prepared.count * prepared.frameBytes,
    "chunk index": prepared.indexBytes,
    "stored chunks": Math.min(stored, 2 * BATCH_STORED_BYTES),
    "chunk scratch": scratch,
  };
  admit(prepared.acquisition.path, parts, options.memoryLimit);
}

async function decodeAll(run: DecodeRun, prepared: Prepared): Promise<void> {
  for (const index of prepared.indexes) {
    const jobs = segmentJobs(index, prepared.count);
    await withDataFile(index.facts.file, (file) => decodeJobs(run, file, jobs));
    run.cancel.check();
  }
}

/** Gives every frame without exact pixels its defined content, and marks it. */
function maskFrames(prepared: Prepared, outcome: Outcome, output: OutputMemory): Uint8Array {
  const { count, frameBytes, missing, acquisition } = prepared;
  const valid = new Uint8Array(count).fill(1);
  const anyFacts = acquisition.segments.find((segment) => segment.facts)?.facts ?? null;
  for (const frame of outcome.damagedOutputs) {
    frameBytesOf(output, frame, frameBytes).fill(0);
    valid[frame] = 0;
  }
  for (const { output: frame } of missing) {
    fillFrame(frameBytesOf(output, frame, frameBytes), anyFacts);
    valid[frame] = 0;
  }
  return valid;
}

interface ReportFacts {
  readonly prepared: Prepared;
  readonly choice: BackendChoice;
  readonly outcome: Outcome;
  readonly clock: StageClock;
  /** Index of the candidate that ran last. */
  readonly backend: number;
  readonly decodedBytes: number;
  readonly trailing: number;
}

function makeReport(facts: ReportFacts): LoadReport {
  const { prepared, choice, outcome, clock, decodedBytes, trailing } = facts;
  const { planned, found } = prepared.acquisition;
  const backend = choice.candidates[facts.backend];
  const dropped = choice.candidates.slice(0, facts.backend);
  const note = "dropped during this load, see the notes";
  const tail = {
    code: "trailing-bytes",
    text: `${trailing} chunks hold bytes behind their data; they are not used.`,
  };
  return freezeReport({
    path: prepared.acquisition.path,
    backend: {
      name: backend.name,
      device: backend.device,
      why: dropped.length > 0 ? "the next one after a backend was dropped" : choice.why,
      tried: [...choice.tried, ...dropped.map(({ name }) => ({ name, reason: note }))],
    },
    frames: { planned, found, selected: prepared.count },
    damaged: outcome.damaged,
    missing: prepared.missing.map(({ entry }) => entry),
    suspect: outcome.suspect,
    notes: [...prepared.notes, ...outcome.notes, ...(trailing > 0 ? [tail] : [])],
    stages: clock.stages.map((stage) => ({ ...stage })),
    bytes: {
      stored: outcome.storedBytes,
      decoded: decodedBytes,
      peak: decodedBytes + outcome.peakBytes + prepared.indexBytes,
    },
    seconds: clock.seconds,
  });
}

/** The line that stands for frames where they are printed. */
function line(frames: Frames): string {
  const { report } = frames;
  return framesLine({
    pixelType: frames.pixelType,
    shape: frames.shape,
    backend: report.backend.name,
    gbPerS: report.bytes.decoded / 1e9 / Math.max(report.seconds, 1e-6),
    damagedFrames: new Set(report.damaged.map(({ frame }) => frame)).size,
    missingFrames: report.missing.length,
  });
}
