// Owns: the public data types of FrameLab (dtypes, frames, report, progress events).
// Must not know: files, decoders, notebooks. Plain types only; declarations must parse under TypeScript 5.0.
import type { NdArray } from "ndarray";

/** Element type of a detector dataset: unsigned/signed integers and floats with their width in bits. */
export type Dtype = "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64" | "f32" | "f64";

/** Typed array that holds one dtype in native byte order. */
export type PixelArray =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

/** Pixel arrays whose elements are JavaScript numbers (everything but the 64-bit integers). */
export type NumberPixelArray =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** Name of a decoder backend. `reference` is the judge, `cpu` the native one, `metal` Apple's GPU. */
export type BackendName = "metal" | "cpu" | "reference";

/** Position in a scan, counted from 0: row (slow axis) and column (fast axis). */
export interface ScanPosition {
  readonly row: number;
  readonly col: number;
}

/** Half-open range `[start, stop)` or `[start, stop, step]` of scan rows or columns. */
export type AxisRange = readonly [number, number] | readonly [number, number, number];

/** Half-open range `[start, stop)` of detector rows or columns. */
export type PixelRange = readonly [number, number];

/** Pixels that are summed along each side. */
export type Bin = 2 | 4 | 8;

/** Element types that frames can be narrowed to. */
export type NarrowDtype = "u8" | "u16";

/**
 * What becomes of flagged pixels, which hold no measurement: kept as stored, set to 0, or replaced by the median of
 * their 8 neighbours.
 */
export type FlaggedTreatment = "keep" | "zero" | "median";

/**
 * Why a block, or a whole chunk, was refused. The first ten are found while a chunk is framed, the nine
 * that follow by the bounded LZ4 block decoder. `reasons.ts` holds the same list with words for people.
 */
export type DamageReason =
  | "chunk-too-short"
  | "decoded-size-mismatch"
  | "block-size-invalid"
  | "block-length-past-chunk"
  | "block-length-impossible"
  | "tail-truncated"
  | "checksum-mismatch"
  | "chunk-past-file"
  | "raw-size-mismatch"
  | "inflate-failed"
  | "literal-length-overrun"
  | "literals-past-stream"
  | "literals-past-block"
  | "offset-truncated"
  | "offset-zero"
  | "offset-before-block"
  | "match-length-overrun"
  | "match-past-block"
  | "wrong-size";

/** One damaged block (or chunk, where `block` is null) of one frame. */
export interface DamagedBlock {
  /** Frame of the acquisition, counted from 0 over all data files. */
  readonly frame: number;
  /** Its scan position, or null without a scan shape. */
  readonly scan: ScanPosition | null;
  /** Absolute path of the data file. */
  readonly file: string;
  /** Path of the dataset in that file. */
  readonly dataset: string;
  /** Byte offset in `file` of the block's 4-byte length; where `block` is null, of the raw tail or the chunk. */
  readonly offset: number;
  /** Block of the chunk, counted from 0, or null when the chunk as a whole is damaged. */
  readonly block: number | null;
  readonly reason: DamageReason;
  /** One sentence with the numbers: what was found, what was expected. */
  readonly detail: string;
}

/** One frame that the acquisition planned and that is not there. */
export interface MissingFrame {
  readonly frame: number;
  readonly scan: ScanPosition | null;
  /** The data file that should hold it, or null when none is named. */
  readonly file: string | null;
  /** `file`: data file absent or unreadable; `chunk`: never written; `short-scan`: recorded fewer than planned. */
  readonly reason: "file" | "chunk" | "short-scan";
}

/** One frame whose fast decoder was wrong; its values are the reference's. */
export interface SuspectFrame {
  readonly frame: number;
  readonly scan: ScanPosition | null;
  /** The backend that refused it. */
  readonly backend: BackendName;
}

/** Something worth knowing that changes no value: a stable `code` and a sentence. */
export interface Note {
  readonly code: string;
  readonly text: string;
}

/** A detector pixel, counted from 0 on the whole detector, whatever part of it was selected. */
export interface DetectorPixel {
  readonly row: number;
  readonly col: number;
}

/**
 * Flagged pixels of the selected part of the detector: those that the pixel mask marks, and values that mean "no
 * measurement" (u16 65535 and 65534, u32 2^32 - 1 and 2^32 - 2; other types have none). The lists hold the first
 * 1000 pixels, row by row.
 */
export interface FlaggedPixels {
  readonly treatment: FlaggedTreatment;
  /** Pixels with a flag in the pixel mask. */
  readonly masked: { readonly pixels: number; readonly listed: readonly DetectorPixel[] };
  /**
   * Pixels outside the mask that hold a sentinel in at least one exact frame, each with the number of such frames, and
   * the sum of these numbers. null where nobody looked: only `flagged`, `bin` and `dtype` make a load look.
   */
  readonly sentinels: {
    readonly pixels: number;
    readonly values: number;
    readonly listed: readonly (DetectorPixel & { readonly frames: number })[];
  } | null;
  /** Values that `flagged: "median"` set to 0 because every neighbour is flagged too. */
  readonly withoutNeighbours: number;
}

/** What a load did and found. Frozen, and safe for `JSON.stringify`. */
export interface LoadReport {
  readonly path: string;
  readonly backend: {
    readonly name: BackendName;
    readonly device: string;
    /** Why this backend ran. */
    readonly why: string;
    /** Backends that were considered before it, each with why it did not run. */
    readonly tried: readonly { readonly name: BackendName; readonly reason: string }[];
  };
  readonly frames: { readonly planned: number; readonly found: number; readonly selected: number };
  /** Rows and columns of the scan that all scan positions of this report lie in, or null without a scan. */
  readonly scanShape: readonly [number, number] | null;
  /** Every damaged block, by frame then block. */
  readonly damaged: readonly DamagedBlock[];
  readonly missing: readonly MissingFrame[];
  /** Frames that a fast backend refused and the reference accepted: the reference's bytes were used. */
  readonly suspect: readonly SuspectFrame[];
  readonly flagged: FlaggedPixels;
  readonly notes: readonly Note[];
  readonly stages: readonly { readonly name: string; readonly ms: number }[];
  /** Bytes read from the files' chunks, bytes of the frames as decoded (before any crop or bin), and the peak held. */
  readonly bytes: { readonly stored: number; readonly decoded: number; readonly peak: number };
  readonly seconds: number;
}

/** State of a running or finished piece of work; the same events feed every progress display. */
export interface ProgressEvent {
  readonly state: "running" | "done" | "cancelled" | "failed";
  /** What runs: `load`, `stream`, `verify`, … */
  readonly task: string;
  readonly path: string;
  readonly framesDone: number;
  readonly framesTotal: number;
  /** Damaged frames seen so far. */
  readonly damaged: number;
  /** Bytes of decoded frames so far. */
  readonly decodedBytes: number;
  readonly seconds: number;
  readonly backend: BackendName | null;
  /** The last sentence: the summary when done, the error's first line when failed. */
  readonly message: string;
}

/**
 * Pixel flags (0 = good) for each pixel of a frame, shape [rows, cols]: as stored in the file, cropped with `detector`.
 * With `bin`, a pixel is flagged when all pixels that it was summed of are, by the bitwise or of their flags.
 */
export interface PixelMask {
  readonly shape: readonly [number, number];
  readonly data: Uint32Array;
}

/**
 * An acquisition in memory as its stored chunks, checked when it was loaded; frames are decoded when they are asked for,
 * exactly as `load` decodes them. Reductions take it as they take Frames.
 */
export interface EncodedFrames<T extends PixelArray = NumberPixelArray> {
  readonly representation: "encoded";
  /** [frames, rows, cols], or [scan rows, scan cols, rows, cols]. */
  readonly shape: readonly number[];
  readonly pixelType: Dtype;
  /** One entry per frame of the selection: 1 = good, 0 = damaged or missing. */
  readonly valid: Uint8Array;
  readonly report: LoadReport;
  /** Absolute path that was loaded. */
  readonly source: string;
  readonly pixelMask: PixelMask | null;
  /** Bytes of the stored chunks in memory. */
  readonly storedBytes: number;
  /** Frame `i` of the selection as one dense ndarray [rows, cols] of its own. @throws SelectionError. */
  frame(i: number): Promise<NdArray<T>>;
  /** One pixel, by as many indices as `shape` has. Reads near each other cost one decode. @throws SelectionError. */
  get(...index: number[]): Promise<T[number]>;
  /**
   * A part of the scan as Frames; its report lists what is damaged and missing in it.
   * @throws OptionError, SelectionError, MemoryLimitError.
   */
  scan(ranges: { readonly rows?: AxisRange; readonly cols?: AxisRange }): Promise<Frames<T>>;
  /** Gives the memory back, after the reads that run; later ones throw SelectionError. */
  release(): void;
}

/**
 * Decoded frames: a scijs ndarray of shape [frames, rows, cols], or [scanRows, scanCols, rows, cols] with a
 * scan shape, in the file's dtype (or what `bin` and `dtype` make of it) and native byte order, plus what the load knows about it.
 */
export interface Frames<T extends PixelArray = NumberPixelArray> extends NdArray<T> {
  /** Frame `i` of the selection as one dense ndarray [rows, cols] that shares memory. */
  frame(i: number): NdArray<T>;
  /** Element type: a string discriminant (`"u16"`), unlike ndarray's own `dtype`. */
  readonly pixelType: Dtype;
  /** One entry per frame of the selection: 1 = good, 0 = damaged or missing. */
  readonly valid: Uint8Array;
  readonly report: LoadReport;
  /** Absolute path that was loaded. */
  readonly source: string;
  readonly pixelMask: PixelMask | null;
  /** Gives the memory back; the array must not be used afterwards. */
  release(): void;
}
