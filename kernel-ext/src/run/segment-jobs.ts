// Owns: reading the chunk index of the frames that a load needs, and making chunk jobs of them.
// Must not know: decoding, damage. Only the index entries of the selection's frames are read.
import { UnsupportedLayoutError } from "../errors";
import { lowerFilters } from "../filters/lower";
import type { Program } from "../filters/program";
import { chunkRange, type FrameChunks, type FramePart, frameChunks, frameTable } from "../plan/frame-chunks";
import { type ChunkJobs, chunkJobs, writtenUse } from "../plan/jobs";
import type { SegmentUse } from "../plan/placement";
import { readChunkTable } from "../source";
import type { ChunkTable, DatasetFacts } from "../source/acquisition";
import { type DataFile, withDataFile } from "./data-file";

/** One segment's part of a load, with the chunk index that it needs. */
export interface SegmentIndex {
  readonly use: SegmentUse;
  readonly facts: DatasetFacts;
  readonly chunks: FrameChunks;
  readonly program: Program;
  readonly table: ChunkTable;
  /** The data file with the chunks that it was held with; without, it is opened when it is needed. */
  readonly held?: DataFile;
}

/** Bytes of table and jobs for each chunk: what an index costs before it is read. */
export const INDEX_BYTES_PER_CHUNK = 80;

/** Chunk index entries that a use needs. */
export function indexedChunks(use: SegmentUse, part?: FramePart): number {
  return chunkRange(frameChunks(factsOf(use), part), use).count;
}

/**
 * Reads the index of one use, of which `part` of each frame is wanted (default: all).
 * @throws UnsupportedLayoutError, UnsupportedFilterError, MissingFileError.
 */
export async function readSegmentIndex(use: SegmentUse, part?: FramePart): Promise<SegmentIndex> {
  const facts = factsOf(use);
  const chunks = frameChunks(facts, part);
  const program = lowerFilters({
    filters: facts.filters,
    dtype: facts.dtype,
    littleEndian: facts.littleEndian,
    chunkElements: chunks.elements,
    place: `${facts.file}: ${facts.dataset}`,
  });
  const { first, count } = chunkRange(chunks, use);
  const table =
    facts.layout.kind === "chunked"
      ? await withDataFile(facts.file, ({ fd }) => readChunkTable(fd, facts, first, count))
      : frameTable(facts, first, count, program.chunkBytes);
  return { use, facts, chunks, program, table };
}

/** Output frames [from, to). */
export interface FrameWindow {
  readonly from: number;
  readonly to: number;
}

/** Jobs for the output frames of a window whose chunks were written; the window's first frame is output frame 0. */
export function segmentJobs(index: SegmentIndex, window: FrameWindow): ChunkJobs {
  const { facts, chunks, program, table } = index;
  const use = writtenUse(index.use, chunks, table, window.from, window.to);
  const rawEdges = facts.layout.kind === "chunked" && facts.layout.index.rawEdgeChunks;
  return chunkJobs(use, program, chunks, table, rawEdges);
}

function factsOf(use: SegmentUse): DatasetFacts {
  const { facts, file, dataset } = use.segment;
  if (facts) return facts;
  throw new UnsupportedLayoutError(`No facts are known of ${dataset} in ${file}.`, { place: file });
}
