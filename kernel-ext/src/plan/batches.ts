// Owns: cutting jobs into batches under a memory budget, and laying them into the output or a scratch buffer.
// Must not know: how a batch is decoded.
import type { ChunkJobs } from "./jobs";

/** Most stored bytes that one batch holds, and most decoded bytes of a batch that goes through scratch. */
export const BATCH_STORED_BYTES: number = 128 * 1024 * 1024;
export const BATCH_SCRATCH_BYTES: number = 64 * 1024 * 1024;

/** Jobs `first` … `first + count - 1` of one segment. */
export interface BatchRange {
  readonly first: number;
  readonly count: number;
}

/** Cuts jobs into consecutive batches; a chunk larger than the budget is a batch of its own. */
export function batchRanges(jobs: ChunkJobs): BatchRange[] {
  const ranges: BatchRange[] = [];
  const perScratch = jobs.chunks.isFrame
    ? Number.POSITIVE_INFINITY
    : Math.max(1, Math.floor(BATCH_SCRATCH_BYTES / jobs.program.chunkBytes));
  let first = 0;
  let stored = 0;
  for (let j = 0; j < jobs.count; j++) {
    const full = stored + jobs.storedBytes[j] > BATCH_STORED_BYTES || j - first >= perScratch;
    if (full && j > first) {
      ranges.push({ first, count: j - first });
      first = j;
      stored = 0;
    }
    stored += jobs.storedBytes[j];
  }
  if (jobs.count > first) ranges.push({ first, count: jobs.count - first });
  return ranges;
}

/** Byte offset in the output of each chunk that is exactly one frame. */
export function frameTargets(jobs: ChunkJobs, range: BatchRange): Float64Array {
  const { chunkBytes } = jobs.program;
  return Float64Array.from(
    { length: range.count },
    (_, i) => jobs.use.output[jobs.firstUse[range.first + i]] * chunkBytes,
  );
}

/** Byte offset in the scratch buffer of each chunk. */
export function scratchTargets(jobs: ChunkJobs, range: BatchRange): Float64Array {
  return Float64Array.from({ length: range.count }, (_, i) => i * jobs.program.chunkBytes);
}
