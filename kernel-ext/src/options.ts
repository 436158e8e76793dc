// Owns: the options of `load`, `stream` and `verify`: types, defaults, validation; every bad value is an OptionError.
// Must not know: files or frames. What fits an acquisition is judged by plan/.
import { asRecord, badOption, isCount, oneOf, requirePath } from "./option-values";
import type {
  AxisRange,
  BackendName,
  Bin,
  FlaggedTreatment,
  NarrowDtype,
  PixelRange,
  ProgressEvent,
} from "./types";

/** What to do with damaged frames: refuse the whole load, or return the others and mark these in `valid`. */
export type OnDamage = "throw" | "mask";

/** What to do with absent frames: refuse, fill with the stored fill value (marked invalid), or end at the first gap. */
export type OnMissing = "throw" | "fill" | "trim";

/** Options of `load`. All are optional; an unknown name is an error. */
export interface LoadOptions {
  /** Decoder to use. `"auto"` (default) takes the fastest that works here and says in the report why. */
  backend?: "auto" | BackendName;
  /** Path of the dataset (or of the group of `data_000001` … links) inside the file. Default: found by itself. */
  dataset?: string;
  /** Threshold of a detector that counts with several: a number from 1 on, or its name in the file. Default: the first. */
  threshold?: number | string;
  /** Scan shape [rows, cols]; `null` = plain [frames, height, width]. Default: what the file says, never a guess. */
  scanShape?: readonly [number, number] | null;
  /** Part of the scan: half-open ranges of rows and columns, counted from 0. */
  scan?: { readonly rows?: AxisRange; readonly cols?: AxisRange };
  /** Frames to load: a list (order and repeats kept) or a half-open range. With `scanShape`, they fill that shape. */
  frames?: readonly number[] | { readonly from: number; readonly to: number; readonly step?: number };
  /** Part of the detector: half-open ranges of pixel rows and columns, counted from 0. Chunks outside are not read. */
  detector?: { readonly rows?: PixelRange; readonly cols?: PixelRange };
  /**
   * What becomes of flagged pixels (pixel mask, u16 65535 and 65534, u32 2^32 - 1 and 2^32 - 2): `"keep"` (default),
   * `"zero"`, or `"median"`: the integer median (rounded down) of the unflagged pixels among the 8 around, within the
   * selected part; 0 where there is none. Given, even as `"keep"`, it makes the report count the sentinels.
   */
  flagged?: FlaggedTreatment;
  /**
   * Sums squares of 2, 4 or 8 pixels along each side, exactly; at odd edges over the pixels that exist. Flagged pixels
   * are left out (a square of nothing else is 0), or counted by their median where `flagged` says so. Unsigned integers
   * become u32, signed ones i32; 64-bit integers and floats keep their type. A sum that does not fit is an OptionError.
   */
  bin?: Bin;
  /**
   * Element type to convert to, after everything else: `"u8"` (0 … 255) or `"u16"` (0 … 65533, since 65534 and 65535
   * mark flagged pixels). An unflagged value that does not fit is an OptionError naming frame and pixel. Of flagged
   * ones, 2^n - 1 and 2^n - 2 become 255 and 254, or 65535 and 65534; others that do not fit become 255 or 65535.
   */
  dtype?: NarrowDtype;
  /** Default `"throw"`. */
  onDamage?: OnDamage;
  /** Default `"throw"`. */
  onMissing?: OnMissing;
  /** Cancels the load, which then rejects with AbortError. */
  signal?: AbortSignal;
  /**
   * `false` = silent; a function gets the events; default: a bar in a notebook, a line on a terminal. Unless it is
   * `false`, a notebook also shows the card of damaged and missing frames.
   */
  progress?: boolean | ((event: ProgressEvent) => void);
  /** Most bytes that the load may hold. Default: what the machine has available. */
  memoryLimit?: number;
  /** What is kept in memory: `"counts"` (default), or `"encoded"`, for which see EncodedOptions. */
  representation?: "counts";
}

/** Options of a load that keeps the stored chunks in memory and decodes frames when they are asked for. */
export interface EncodedOptions extends Omit<LoadOptions, "representation"> {
  representation: "encoded";
}

/** Options of `stream` and `forEachBatch`: those of `load`, and how much is handed over at a time. */
export interface StreamOptions extends Omit<LoadOptions, "representation"> {
  /** Frames of a batch. Default: about 32 MB of frames. */
  batchFrames?: number;
}

/** Options of `verify`: what to check. Damage and missing frames are reported, never thrown. */
export type VerifyOptions = Omit<
  LoadOptions,
  "onDamage" | "onMissing" | "detector" | "flagged" | "bin" | "dtype" | "representation"
>;

/** Options of reductions over a path: those of `load`, with defaults that let a reduction come to its end. */
export interface ReduceOptions extends Omit<LoadOptions, "representation"> {
  /** Default `"mask"`: damaged frames are NaN, or left out of patterns, and listed. `"throw"` refuses as `load` does. */
  onDamage?: OnDamage;
  /** Default `"fill"`: missing frames are NaN, or left out of patterns, and listed. `"throw"` refuses as `load` does. */
  onMissing?: OnMissing;
}

/** Options of reductions over frames that are loaded: what to reduce was chosen when they were. */
export type LoadedReduceOptions = Pick<LoadOptions, "signal" | "progress">;

/** Options of `inspect`: what to look at. */
export type InspectOptions = Pick<LoadOptions, "dataset" | "threshold" | "signal">;

/** A checked frame selection; ranges stay ranges, so that a long one costs nothing. */
export type FrameChoice =
  | { readonly kind: "all" }
  | { readonly kind: "list"; readonly list: readonly number[] }
  | { readonly kind: "range"; readonly from: number; readonly to: number; readonly step: number };

/** Checked options with defaults filled in; `undefined` where the file decides. */
export interface CheckedOptions {
  readonly backend: "auto" | BackendName;
  readonly dataset: string | undefined;
  readonly threshold: number | string | undefined;
  readonly scanShape: readonly [number, number] | null | undefined;
  readonly scan: { readonly rows: AxisRange | undefined; readonly cols: AxisRange | undefined } | undefined;
  readonly frames: FrameChoice;
  readonly detector: { readonly rows: PixelRange | undefined; readonly cols: PixelRange | undefined };
  readonly flagged: FlaggedTreatment | undefined;
  readonly bin: Bin | undefined;
  readonly dtype: NarrowDtype | undefined;
  readonly onDamage: OnDamage;
  readonly onMissing: OnMissing;
  readonly signal: AbortSignal | undefined;
  readonly progress: boolean | ((event: ProgressEvent) => void) | undefined;
  readonly memoryLimit: number | undefined;
}

const WORK_NAMES: readonly (keyof LoadOptions)[] = [
  "backend",
  "dataset",
  "threshold",
  "scanShape",
  "scan",
  "frames",
  "detector",
  "flagged",
  "bin",
  "dtype",
  "onDamage",
  "onMissing",
  "signal",
  "progress",
  "memoryLimit",
];

/** Checks a path argument and the options of `load`. @throws OptionError naming the option, its value and what is allowed. */
export function checkLoadOptions(
  path: unknown,
  options: unknown,
): CheckedOptions & { readonly representation: "counts" | "encoded" } {
  const checked = checkOptions(path, options, [...WORK_NAMES, "representation"]);
  const { representation } = (options ?? {}) as LoadOptions | EncodedOptions;
  return {
    ...checked,
    representation: oneOf("representation", representation, ["counts", "encoded"], "counts"),
  };
}

/** Checks the options of `stream`. @throws OptionError. */
export function checkStreamOptions(
  path: unknown,
  options: unknown,
): CheckedOptions & { readonly batchFrames: number | undefined } {
  const checked = checkOptions(path, options, [...WORK_NAMES, "batchFrames"]);
  const { batchFrames } = (options ?? {}) as StreamOptions;
  if (batchFrames !== undefined && !(isCount(batchFrames) && batchFrames > 0)) {
    throw badOption("batchFrames", batchFrames, "a positive whole number of frames");
  }
  return { ...checked, batchFrames };
}

/** Checks the options of `verify`. @throws OptionError. */
export function checkVerifyOptions(path: unknown, options: unknown): CheckedOptions {
  const returned = ["onDamage", "onMissing", "detector", "flagged", "bin", "dtype"];
  const names = WORK_NAMES.filter((name) => !returned.includes(name));
  return { ...checkOptions(path, options, names), onDamage: "mask", onMissing: "fill" };
}

/** Checks the options of `inspect`. @throws OptionError. */
export function checkInspectOptions(path: unknown, options: unknown): CheckedOptions {
  return checkOptions(path, options, ["dataset", "threshold", "signal"]);
}

/** Checks the options of a reduction over a path. @throws OptionError. */
export function checkReduceOptions(path: unknown, options: unknown): CheckedOptions {
  const { onDamage = "mask", onMissing = "fill" } = (options ?? {}) as ReduceOptions;
  const checked = checkOptions(path, options, WORK_NAMES);
  return {
    ...checked,
    onDamage: oneOf("onDamage", onDamage, ["throw", "mask"], "mask"),
    onMissing: oneOf("onMissing", onMissing, ["throw", "fill", "trim"], "fill"),
  };
}

/** Checks the options of a reduction over loaded frames. @throws OptionError. */
export function checkLoadedOptions(options: unknown): Pick<CheckedOptions, "signal" | "progress"> {
  const given = asRecord("options", options ?? {}, ["signal", "progress"]);
  return { signal: abortSignal(given.signal), progress: progress(given.progress) };
}

function checkOptions(path: unknown, options: unknown, names: readonly string[]): CheckedOptions {
  requirePath(path);
  const given = asRecord("options", options ?? {}, names);
  return {
    backend: oneOf("backend", given.backend, ["auto", "metal", "cpu", "reference"], "auto"),
    dataset: datasetPath(given.dataset),
    threshold: threshold(given.threshold),
    scanShape: scanShape(given.scanShape),
    scan: scanRanges(given.scan),
    frames: frameChoice(given.frames),
    detector: detectorRanges(given.detector),
    flagged: oneOf("flagged", given.flagged, ["keep", "zero", "median"], undefined),
    bin: oneOf("bin", given.bin, [2, 4, 8], undefined),
    dtype: oneOf("dtype", given.dtype, ["u8", "u16"], undefined),
    onDamage: oneOf("onDamage", given.onDamage, ["throw", "mask"], "throw"),
    onMissing: oneOf("onMissing", given.onMissing, ["throw", "fill", "trim"], "throw"),
    signal: abortSignal(given.signal),
    progress: progress(given.progress),
    memoryLimit: memoryLimit(given.memoryLimit),
  };
}

function datasetPath(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && value.length > 0 && !value.includes("\0")) return value;
  throw badOption("dataset", value, 'a path inside the file such as "/entry/data/data"');
}

function threshold(value: unknown): number | string | undefined {
  if (value === undefined || (typeof value === "string" && value.length > 0)) return value;
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
  throw badOption("threshold", value, 'a whole number from 1 on, or a name such as "threshold_1"');
}

function scanShape(value: unknown): readonly [number, number] | null | undefined {
  if (value === undefined || value === null) return value;
  const ok = Array.isArray(value) && value.length === 2 && value.every((n) => isCount(n) && n > 0);
  if (ok && Number.isSafeInteger(value[0] * value[1])) return [value[0], value[1]];
  throw badOption("scanShape", value, "[rows, cols], two positive integers, or null");
}

function axisRange(name: string, value: unknown): AxisRange | undefined {
  if (value === undefined) return undefined;
  const ok = Array.isArray(value) && (value.length === 2 || value.length === 3) && value.every(isCount);
  if (ok && value[1] > value[0] && (value.length === 2 || value[2] > 0)) {
    return value.length === 2 ? [value[0], value[1]] : [value[0], value[1], value[2]];
  }
  throw badOption(
    name,
    value,
    "[start, stop] or [start, stop, step], half-open, with start < stop and step > 0",
  );
}

/** Checks ranges of scan rows and columns. @throws OptionError. */
export function scanRanges(value: unknown): CheckedOptions["scan"] {
  if (value === undefined) return undefined;
  const given = asRecord("scan", value, ["rows", "cols"]);
  return { rows: axisRange("scan.rows", given.rows), cols: axisRange("scan.cols", given.cols) };
}

function detectorRanges(value: unknown): CheckedOptions["detector"] {
  const { rows, cols } = value === undefined ? {} : asRecord("detector", value, ["rows", "cols"]);
  return { rows: pixelRange("detector.rows", rows), cols: pixelRange("detector.cols", cols) };
}

function pixelRange(name: string, value: unknown): PixelRange | undefined {
  if (value === undefined) return undefined;
  const ok = Array.isArray(value) && value.length === 2 && value.every(isCount) && value[0] < value[1];
  if (ok) return [value[0], value[1]];
  throw badOption(name, value, "[start, stop], half-open, with start < stop");
}

function frameChoice(value: unknown): FrameChoice {
  if (value === undefined) return { kind: "all" };
  const allowed = "a list of whole frame numbers from 0, or { from, to, step? }, half-open";
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = Array.from(value as ArrayLike<unknown>);
    if (list.length > 0 && list.every(isCount)) return { kind: "list", list };
    throw badOption("frames", value, list.length === 0 ? `${allowed}, with at least one frame` : allowed);
  }
  if (typeof value !== "object" || value === null) throw badOption("frames", value, allowed);
  const { from, to, step = 1 } = asRecord("frames", value, ["from", "to", "step"]);
  if (isCount(from) && isCount(to) && isCount(step) && step > 0 && to > from) {
    return { kind: "range", from, to, step };
  }
  throw badOption("frames", value, `${allowed}, with from < to and step > 0`);
}

function abortSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value;
  throw badOption("signal", value, "an AbortSignal");
}

function progress(value: unknown): CheckedOptions["progress"] {
  if (value === undefined || typeof value === "boolean") return value;
  if (typeof value === "function") return value as (event: ProgressEvent) => void;
  throw badOption("progress", value, "true, false, or a function");
}

function memoryLimit(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && value > 0 && (Number.isSafeInteger(value) || value === Infinity))
    return value;
  throw badOption("memoryLimit", value, "a positive number of bytes");
}
