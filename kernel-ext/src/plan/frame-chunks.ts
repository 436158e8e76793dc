// Owns: how the frames of a dataset are cut into chunks, and which chunks a use of it needs.
// Must not know: chunk bytes, batches, outputs. Contiguous data count as one chunk a frame.
import { UnsupportedLayoutError } from "../errors";
import type { ChunkTable, DatasetFacts } from "../source/acquisition";
import type { SegmentUse } from "./placement";

/** Places (0 … perRow - 1, row-major) of chunks over one frame, ascending; arithmetic, since there may be many. */
export interface ChunkPlaces {
  readonly count: number;
  at(k: number): number;
}

/** Chunks of a stack of frames [frames, height, width]; `perRow` chunks stand side by side over one frame. */
export interface FrameChunks {
  /** Frames of the dataset, over all its leading axes. */
  readonly extent: number;
  readonly height: number;
  readonly width: number;
  /** Chunk shape [frames, rows, cols]. */
  readonly shape: readonly [number, number, number];
  readonly down: number;
  readonly across: number;
  /** down * across. */
  readonly perRow: number;
  /** Those of them that hold wanted pixels. */
  readonly places: ChunkPlaces;
  readonly elements: number;
  /** One chunk is exactly one frame: it can be decoded straight into the output. */
  readonly isFrame: boolean;
}

/** A rectangle of a frame's pixels. */
export interface FramePart {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/**
 * Chunks of a dataset of which a part of each frame is wanted, by default all of it. Images and thresholds count as one
 * axis of frames; the row-major number of a chunk is the same both ways.
 *
 * @throws UnsupportedLayoutError when the chunk shape does not fit a stack of frames.
 */
export function frameChunks(facts: DatasetFacts, part?: FramePart): FrameChunks {
  const [height, width] = facts.shape.slice(-2);
  const leading = facts.shape.slice(0, -2);
  const chunk =
    facts.layout.kind === "chunked" ? facts.layout.chunkShape : [...leading.map(() => 1), height, width];
  const frames = framesOfChunk(leading, chunk.slice(0, -2));
  const [rows, cols] = chunk.slice(-2);
  const elements = frames * rows * cols;
  if (chunk.length !== facts.shape.length || !(elements > 0 && Number.isSafeInteger(elements * 8))) {
    throw new UnsupportedLayoutError(
      `Dataset ${facts.dataset} of ${facts.file} has shape [${facts.shape.join(", ")}] in chunks of [${chunk.join(", ")}].`,
      {
        place: `${facts.file}: ${facts.dataset}`,
        expected: "a stack of frames [frames, height, width]",
        got: `[${facts.shape.join(", ")}]`,
        todo: "Name the stack of frames with the option dataset.",
      },
    );
  }
  const down = Math.ceil(height / rows);
  const across = Math.ceil(width / cols);
  const isFrame = frames === 1 && rows === height && cols === width;
  return {
    extent: leading.reduce((product, extent) => product * extent, 1),
    height,
    width,
    shape: [frames, rows, cols],
    down,
    across,
    perRow: down * across,
    places: placesOf(part ?? { top: 0, left: 0, height, width }, rows, cols, across),
    elements,
    isFrame,
  };
}

/** Frames of a chunk of a dataset with these leading axes; NaN where its frames do not follow each other. */
function framesOfChunk(leading: readonly number[], chunk: readonly number[]): number {
  if (leading.length === 1) return chunk[0];
  const [images, thresholds] = chunk;
  const isWhole = thresholds === leading[1];
  const follow = isWhole || (images === 1 && leading[1] % thresholds === 0);
  return leading.length === 2 && follow ? images * thresholds : Number.NaN;
}

function placesOf(part: FramePart, rows: number, cols: number, across: number): ChunkPlaces {
  const top = Math.floor(part.top / rows);
  const left = Math.floor(part.left / cols);
  const high = Math.ceil((part.top + part.height) / rows) - top;
  const wide = Math.ceil((part.left + part.width) / cols) - left;
  return { count: high * wide, at: (k) => (top + Math.floor(k / wide)) * across + left + (k % wide) };
}

/** The run of chunks, by row-major number, that holds every frame of a use. */
export function chunkRange(chunks: FrameChunks, use: SegmentUse): { first: number; count: number } {
  const row = (local: number) => Math.floor(local / chunks.shape[0]);
  const first = row(use.local[0]);
  const last = row(use.local[use.local.length - 1]);
  return { first: first * chunks.perRow, count: (last - first + 1) * chunks.perRow };
}

/** Contiguous and compact data as a table of one raw chunk a frame. */
export function frameTable(
  facts: DatasetFacts,
  first: number,
  count: number,
  frameBytes: number,
): ChunkTable {
  const start = facts.layout.kind === "chunked" ? null : facts.layout.address;
  const address = new Float64Array(count);
  for (let i = 0; i < count; i++) address[i] = start === null ? Number.NaN : start + (first + i) * frameBytes;
  return {
    first,
    count,
    address,
    bytes: new Float64Array(count).fill(frameBytes),
    filterMask: new Uint32Array(count),
  };
}

/** True where the wanted part of a frame needs a chunk that was never written. */
export function neverWritten(chunks: FrameChunks, table: ChunkTable, local: number): boolean {
  const first = Math.floor(local / chunks.shape[0]) * chunks.perRow - table.first;
  for (let k = 0; k < chunks.places.count; k++) {
    if (Number.isNaN(table.address[first + chunks.places.at(k)])) return true;
  }
  return false;
}
