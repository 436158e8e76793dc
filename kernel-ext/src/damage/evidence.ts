// Owns: pictures of a damaged frame and of a good one near it, kept beside a report for as long as the report lives.
// Must not know: how frames are read, how pictures are drawn.
// Beside it, not in it: a report stays small, and safe for JSON.
import type { LoadReport, ScanPosition } from "../types";

/** A frame, averaged until no side is longer than EVIDENCE_SIDE. */
export interface FramePicture {
  readonly frame: number;
  readonly scan: ScanPosition | null;
  readonly rows: number;
  readonly cols: number;
  /** Counts, row by row. */
  readonly values: Float64Array;
  /** 1 = every pixel behind the value was read from a whole block. */
  readonly known: Uint8Array;
  /** Share of the frame's pixels that could be read, 0 to 1. */
  readonly share: number;
  /** Pixels of the frame along each side of one value. */
  readonly binned: number;
}

/** The first damaged frame of a report, and the nearest good one where there is one. */
export interface Evidence {
  readonly damaged: FramePicture;
  readonly neighbour: FramePicture | null;
}

/** Longest side of a kept picture: half a megabyte with its neighbour. */
export const EVIDENCE_SIDE = 192;

const KEPT = new WeakMap<LoadReport, Evidence>();

/** Keeps the evidence of a report. */
export function keepEvidence(report: LoadReport, evidence: Evidence): void {
  KEPT.set(report, evidence);
}

/** The evidence of a report, or null where none was kept. */
export function evidenceOf(report: LoadReport): Evidence | null {
  return KEPT.get(report) ?? null;
}

/** Elements of a frame as read: `known` has one byte for each of the elements' bytes, 1 = read. */
export interface ReadFrame {
  readonly frame: number;
  readonly scan: ScanPosition | null;
  readonly rows: number;
  readonly cols: number;
  readonly elements: { readonly [i: number]: number | bigint };
  readonly elementBytes: number;
  readonly known: Uint8Array;
}

/** Averages a frame down to the size of a kept picture. A value that any unread pixel belongs to is not known. */
export function pictureOf(read: ReadFrame): FramePicture {
  const { frame, scan, elements, elementBytes } = read;
  const binned = Math.max(1, Math.ceil(Math.max(read.rows, read.cols) / EVIDENCE_SIDE));
  const rows = Math.ceil(read.rows / binned);
  const cols = Math.ceil(read.cols / binned);
  const values = new Float64Array(rows * cols);
  const counts = new Uint32Array(rows * cols);
  const known = new Uint8Array(rows * cols).fill(1);
  let readPixels = 0;
  for (let i = 0; i < read.rows * read.cols; i++) {
    const row = Math.floor(i / read.cols);
    const at = Math.floor(row / binned) * cols + Math.floor((i - row * read.cols) / binned);
    if (read.known[i * elementBytes] === 0) {
      known[at] = 0;
      continue;
    }
    readPixels += 1;
    values[at]! += Number(elements[i]);
    counts[at]! += 1;
  }
  for (let at = 0; at < values.length; at++) values[at] = known[at] === 1 ? values[at]! / counts[at]! : 0;
  return { frame, scan, rows, cols, values, known, share: readPixels / (read.rows * read.cols), binned };
}
