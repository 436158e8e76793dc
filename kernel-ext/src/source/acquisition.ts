// Owns: the plain facts that source/ finds out about an acquisition, handed to every later stage.
// Must not know: how they were read. Everything here can be sent between threads.
import type { Dtype, Note, PixelMask } from "../types";

/** One filter of a dataset's pipeline, in the order in which it was applied when writing. */
export interface FilterFact {
  readonly id: number;
  readonly name: string;
  /** Client data (cd_values) as stored, each an unsigned 32-bit number. */
  readonly values: readonly number[];
}

/** How a dataset's elements lie in its file. */
export type Layout =
  | { readonly kind: "chunked"; readonly chunkShape: readonly number[]; readonly index: ChunkIndexFact }
  | { readonly kind: "contiguous"; readonly address: number | null; readonly bytes: number }
  | { readonly kind: "compact"; readonly address: number; readonly bytes: number };

/** Kind of chunk index (HDF5 file format specification 3.0, IV.A.2.i). */
export type ChunkIndexKind =
  | "btree-v1"
  | "single-chunk"
  | "implicit"
  | "fixed-array"
  | "extensible-array"
  | "btree-v2";

/** Where a chunk index starts; `address` null = nothing was ever written. */
export interface ChunkIndexFact {
  readonly kind: ChunkIndexKind;
  readonly address: number | null;
  /** "Do not filter partial edge chunks": edge chunks are raw though their filter mask is 0. */
  readonly rawEdgeChunks: boolean;
  /** Single filtered chunk: its stored bytes and filter mask stand in the layout message. */
  readonly single: { readonly bytes: number; readonly filterMask: number } | null;
}

/** What is known of one dataset of one file. Addresses are absolute byte offsets in the file. */
export interface DatasetFacts {
  readonly file: string;
  readonly dataset: string;
  readonly fileBytes: number;
  /** [frames, rows, cols], or [images, thresholds, rows, cols]. */
  readonly shape: readonly number[];
  /** Maximum extent; null = unlimited. Numbers the slots of an extensible array. */
  readonly maxShape: readonly (number | null)[];
  readonly dtype: Dtype;
  readonly littleEndian: boolean;
  readonly filters: readonly FilterFact[];
  readonly layout: Layout;
  /** Fill value as stored bytes in the file's byte order (zeros where none is defined). */
  readonly fillValue: Uint8Array;
  /** Bytes of file addresses and lengths (superblock), and the superblock's base address. */
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly baseAddress: number;
}

/**
 * A run of consecutive frames of the acquisition that one dataset of one file holds, or should hold. Three kinds have
 * no facts: an absent or unreadable data file; a dataset of it that is not there; and, where more frames were planned
 * than the data files hold (a short scan), one last segment with an empty `file` and `dataset`.
 * Every segment has at least one frame; a data file of 0 frames is a note of the acquisition.
 */
export interface Segment {
  readonly firstFrame: number;
  readonly frames: number;
  /** Resolved absolute path, or the best path for the message when `facts` is null. */
  readonly file: string;
  readonly dataset: string;
  /** Frame k of the segment is frame `start + k * step` of the dataset, counted over all its leading axes. */
  readonly start: number;
  readonly step: number;
  /** null: the frames are not there, and `problem` says why. */
  readonly facts: DatasetFacts | null;
  readonly problem: string | null;
}

/** Everything that is known about an acquisition before a chunk is read. */
export interface Acquisition {
  /** Absolute path that the caller opened. */
  readonly path: string;
  readonly kind: "master" | "single-file" | "data-file";
  /** Detector shape [rows, cols]. */
  readonly detector: readonly [number, number];
  readonly dtype: Dtype;
  /** In frame order, without gaps or overlaps, from frame 0 up to `planned` or beyond. */
  readonly segments: readonly Segment[];
  /**
   * Frames that the acquisition meant to record (nimages x ntrigger of the master; without them, the frames of all
   * segments), and frames that are present (never 0). A long scan has found > planned.
   */
  readonly planned: number;
  readonly found: number;
  /**
   * Thresholds of an acquisition with an axis of them, their names where the file gives them, and the chosen one,
   * counted from 1 as their names are; null where every image is one frame.
   */
  readonly thresholds: {
    readonly count: number;
    readonly names: readonly string[] | null;
    readonly chosen: number;
  } | null;
  /** What stands for missing frames: in `dtype`, in the byte order that it says. */
  readonly fill: Pick<DatasetFacts, "fillValue" | "littleEndian">;
  readonly scan: { readonly shape: readonly [number, number]; readonly from: "attribute" | "square" } | null;
  readonly pixelMask: PixelMask | null;
  readonly notes: readonly Note[];
}

/**
 * Chunks `first` … `first + count - 1` of a dataset, in row-major order of their chunk coordinates.
 * Struct of arrays: a standard acquisition has 262,144 chunks.
 */
export interface ChunkTable {
  readonly first: number;
  readonly count: number;
  /** Absolute byte offset in the file; NaN = never written. */
  readonly address: Float64Array;
  /** Stored bytes. */
  readonly bytes: Float64Array;
  /** Bit i set = filter i was skipped for this chunk. */
  readonly filterMask: Uint32Array;
}
