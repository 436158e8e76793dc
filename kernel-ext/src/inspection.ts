// Owns: what `inspect` returns, as a type. Plain data: everything survives JSON.
// Must not know: how any of it is found.
import type { Dtype, Note } from "./types";

/** One file and dataset that holds frames, or should. */
export interface InspectedFile {
  /** Absolute path; empty for frames that were planned and that no file is named for. */
  readonly file: string;
  readonly dataset: string;
  readonly firstFrame: number;
  readonly frames: number;
  /** null = present; else why its frames are missing. */
  readonly problem: string | null;
}

/** A number or text of the file. 64-bit integers past 2^53 and floats that are not finite are texts. */
export interface InspectedValue {
  readonly value: number | string;
  readonly units: string | null;
}

/** What the headers of an acquisition say. Frozen, safe for `JSON.stringify`; what cannot be told is null. */
export interface Inspection {
  /** Absolute path. */
  readonly path: string;
  /** `load(path)` with these options would start: everything planned is there, supported and fits memory. */
  readonly ready: boolean;
  /** Why not, and what to do about it. */
  readonly why: string | null;
  readonly todo: string | null;
  readonly kind: "master" | "single-file" | "data-file" | null;
  /** Planned, found in the data files, and written completely (null = more than 2^22 chunks, not counted). */
  readonly frames: {
    readonly planned: number;
    readonly found: number;
    readonly complete: number | null;
  } | null;
  /** Scan shape [rows, cols] and where it came from: the file's attribute, or the square of the frames planned. */
  readonly scan: { readonly shape: readonly [number, number]; readonly from: "attribute" | "square" } | null;
  readonly detector: {
    readonly name: string | null;
    /** Pixels [rows, cols]. */
    readonly shape: readonly [number, number] | null;
    /** Seconds from one frame to the next, or that one is exposed where only that is known. */
    readonly dwellSeconds: number | null;
    /** Pixels that the pixel mask flags; null = no mask. */
    readonly flaggedPixels: number | null;
  };
  readonly dtype: Dtype | null;
  readonly byteOrder: "little" | "big" | null;
  /** In the order in which they were applied when writing, as the first data file has them. */
  readonly filters: readonly {
    readonly id: number;
    readonly name: string;
    readonly values: readonly number[];
  }[];
  /** How frames lie in the first data file: storage, chunk shape and kind of chunk index. */
  readonly layout: {
    readonly storage: "chunked" | "contiguous" | "compact";
    readonly chunkShape: readonly number[] | null;
    readonly index: string | null;
  } | null;
  /** Thresholds of the detector, their names, and the one that would be loaded (from 1 on). */
  readonly thresholds: {
    readonly count: number;
    readonly names: readonly string[] | null;
    readonly chosen: number;
  } | null;
  readonly files: readonly InspectedFile[];
  /** Bytes of all files that are present, of the stored chunks of complete frames, and of all planned frames in memory. */
  readonly bytes: {
    readonly onDisk: number;
    readonly stored: number | null;
    readonly inMemory: number | null;
  };
  /** Every single number or text of the file at `path`, by its path in there. */
  readonly values: Readonly<Record<string, InspectedValue>>;
  readonly notes: readonly Note[];
}
