// Owns: every error class that FrameLab throws: a stable code, the place, what was expected, what was got, what to do.
// Must not know: where errors are raised. Messages are whole sentences for people; `code` is for programs.
import type { BackendName, LoadReport } from "./types";

/** The facts that every FrameLab error carries beside its message. */
export interface ErrorFacts {
  /** File path, dataset path or option name that the error is about. */
  readonly place?: string;
  readonly expected?: string;
  readonly got?: string;
  /** What the user can do about it. */
  readonly todo?: string;
  readonly cause?: unknown;
}

/** Base of all errors of this package. `instanceof FrameLabError` narrows, `code` tells them apart. */
export abstract class FrameLabError extends Error {
  abstract readonly code: string;
  readonly place: string | undefined;
  readonly expected: string | undefined;
  readonly got: string | undefined;
  readonly todo: string | undefined;

  constructor(summary: string, facts: ErrorFacts = {}) {
    const message = facts.todo ? `${summary} ${facts.todo}` : summary;
    // Node prints a cause that is there, even an undefined one.
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.place = facts.place;
    this.expected = facts.expected;
    this.got = facts.got;
    this.todo = facts.todo;
  }

  /** Notebooks print errors through `util.inspect`: one readable line, without the host's stack. */
  static {
    Object.defineProperty(FrameLabError.prototype, Symbol.for("nodejs.util.inspect.custom"), {
      value(this: FrameLabError): string {
        return `${this.name}: ${this.message}`;
      },
    });
  }
}

/** An error's message without what to do about it. */
export function withoutTodo({ message, todo }: FrameLabError): string {
  return todo ? message.slice(0, -todo.length).trimEnd() : message;
}

/** Codes of the notes that say why data files are lost: a report's message about missing frames quotes them. */
export const LOST_FILE_NOTES = { absent: "data-file-absent", unreadable: "data-file-unreadable" } as const;

/** The file is not HDF5: empty, text, cut, or its superblock is unreadable. Check the path and copy it again. */
export class NotHdf5Error extends FrameLabError {
  readonly code = "not-hdf5";
}

/** A dataset path does not exist, or holds no stack of frames; the message lists the 3-D datasets that were seen. */
export class DatasetNotFoundError extends FrameLabError {
  readonly code = "dataset-not-found";
}

/** The dataset uses a filter that FrameLab does not decode; the message says its id and name. */
export class UnsupportedFilterError extends FrameLabError {
  readonly code = "unsupported-filter";
}

/** The dataset's layout, datatype or shape cannot be read as frames, or its metadata contradicts itself. */
export class UnsupportedLayoutError extends FrameLabError {
  readonly code = "unsupported-layout";
}

/** The path itself, or a data file that a master names, does not exist or cannot be read. Lists the paths tried. */
export class MissingFileError extends FrameLabError {
  readonly code = "missing-file";
}

/** Planned frames are absent. Pass `onMissing: "fill"` or `"trim"` to load the others. */
export class MissingFramesError extends FrameLabError {
  readonly code = "missing-frames";
  readonly report: LoadReport;
  constructor(summary: string, report: LoadReport, facts: ErrorFacts = {}) {
    super(summary, facts);
    this.report = report;
  }
}

/** Chunks are damaged. `report.damaged` lists every block; `onDamage: "mask"` loads the other frames. */
export class DamagedFramesError extends FrameLabError {
  readonly code = "damaged-frames";
  readonly report: LoadReport;
  constructor(summary: string, report: LoadReport, facts: ErrorFacts = {}) {
    super(summary, facts);
    this.report = report;
  }
}

/** A scan shape does not fit the frames: the message has both numbers. */
export class ScanShapeError extends FrameLabError {
  readonly code = "scan-shape";
}

/** A selection reaches outside the acquisition: the message has the range that exists. */
export class SelectionError extends FrameLabError {
  readonly code = "selection";
}

/** The error for an index outside an array: `call` is the call as written, `allowed` what the array has. */
export function outOfRange(call: string, allowed: string): SelectionError {
  return new SelectionError(`${call} is out of range: ${allowed}.`, { place: call, expected: allowed });
}

/** The result would need more memory than allowed: the message has both numbers; nothing was allocated. */
export class MemoryLimitError extends FrameLabError {
  readonly code = "memory-limit";
}

/** A backend was asked for by name and cannot run here. */
export class BackendUnavailableError extends FrameLabError {
  readonly code = "backend-unavailable";
  readonly backend: BackendName;
  readonly reason: string;
  readonly available: readonly BackendName[];
  constructor(backend: BackendName, reason: string, available: readonly BackendName[]) {
    super(`The ${backend} backend is not available: ${reason}.`, {
      place: "backend",
      got: backend,
      expected: available.join(", "),
      todo: `Available here: ${available.join(", ")}; backend: "auto" picks the fastest.`,
    });
    this.backend = backend;
    this.reason = reason;
    this.available = available;
  }
}

/** A backend or the system failed while work ran (an I/O error, a lost device): nothing about the data is known. */
export class BackendError extends FrameLabError {
  readonly code = "backend";
}

/** An option has an unknown name or a bad value: the message says name, value and what is allowed. */
export class OptionError extends FrameLabError {
  readonly code = "option";
}

/** The work was cancelled, by an `AbortSignal` or an interrupt. */
export class AbortError extends FrameLabError {
  readonly code = "aborted";
  constructor(summary = "The load was cancelled.", facts: ErrorFacts = {}) {
    super(summary, facts);
    this.name = "AbortError";
  }
}
