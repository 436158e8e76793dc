// Owns: chunk jobs of one segment: which stored chunk becomes which bytes, and which output frames depend on it.
// Must not know: backends, files' contents, damage. Struct of arrays: a standard acquisition has 262,144 jobs.
import type { Program } from "../filters/program";
import type { ChunkTable } from "../source/acquisition";
import { type FrameChunks, neverWritten } from "./frame-chunks";
import type { SegmentUse } from "./placement";

/** Jobs in ascending chunk order. */
export interface ChunkJobs {
  readonly use: SegmentUse;
  readonly program: Program;
  readonly chunks: FrameChunks;
  readonly count: number;
  readonly address: Float64Array;
  readonly storedBytes: Float64Array;
  readonly filterMask: Uint32Array;
  /** Row-major number of the chunk in its dataset. */
  readonly chunk: Float64Array;
  /** Entries `firstUse[j]` … `lastUse[j]` of `use` are the frames that need chunk j. */
  readonly firstUse: Float64Array;
  readonly lastUse: Float64Array;
}

/**
 * Makes the jobs of a use. A chunk that holds exactly one frame gives a job for every use of the frame; other chunks
 * that hold wanted pixels give one job each.
 */
export function chunkJobs(
  use: SegmentUse,
  program: Program,
  chunks: FrameChunks,
  table: ChunkTable,
  rawEdgeChunks: boolean,
): ChunkJobs {
  const { perRow, places, isFrame } = chunks;
  const rows = isFrame ? null : runsOfRows(use, chunks);
  const count = isFrame ? use.local.length : (rows as RowRuns).row.length * places.count;
  const jobs = {
    use,
    program,
    chunks,
    count,
    address: new Float64Array(count),
    storedBytes: new Float64Array(count),
    filterMask: new Uint32Array(count),
    chunk: new Float64Array(count),
    firstUse: new Float64Array(count),
    lastUse: new Float64Array(count),
  };
  for (let j = 0; j < count; j++) {
    const run = rows ? Math.floor(j / places.count) : j;
    const number = rows ? rows.row[run] * perRow + places.at(j % places.count) : use.local[j];
    const entry = number - table.first;
    jobs.chunk[j] = number;
    jobs.address[j] = table.address[entry];
    jobs.storedBytes[j] = table.bytes[entry];
    jobs.filterMask[j] = rawEdgeChunks && isEdge(chunks, number) ? 0xffffffff : table.filterMask[entry];
    jobs.firstUse[j] = rows ? rows.first[run] : j;
    jobs.lastUse[j] = rows ? rows.last[run] : j;
  }
  return jobs;
}

interface RowRuns {
  readonly row: number[];
  readonly first: number[];
  readonly last: number[];
}

/** Groups ascending local frames by the row of chunks that holds them. */
function runsOfRows(use: SegmentUse, chunks: FrameChunks): RowRuns {
  const runs: RowRuns = { row: [], first: [], last: [] };
  for (let k = 0; k < use.local.length; k++) {
    const row = Math.floor(use.local[k] / chunks.shape[0]);
    if (runs.row.at(-1) === row) runs.last[runs.row.length - 1] = k;
    else {
      runs.row.push(row);
      runs.first.push(k);
      runs.last.push(k);
    }
  }
  return runs;
}

/** A chunk that sticks out of the dataset, as the format's "partial edge chunk". */
function isEdge(chunks: FrameChunks, number: number): boolean {
  const [frames, rows, cols] = chunks.shape;
  const row = Math.floor(number / chunks.perRow);
  const down = Math.floor((number % chunks.perRow) / chunks.across);
  const across = number % chunks.across;
  return (
    (row + 1) * frames > chunks.extent ||
    (down + 1) * rows > chunks.height ||
    (across + 1) * cols > chunks.width
  );
}

/**
 * The frames of a use whose output frame lies in [from, to), counted from `from`, without those that need a
 * never-written chunk.
 */
export function writtenUse(
  use: SegmentUse,
  chunks: FrameChunks,
  table: ChunkTable,
  from: number,
  to: number,
): SegmentUse {
  const keep: number[] = [];
  // A stream asks for one window after the other: where it can, it looks at the window's entries alone.
  const [first, end] = use.inOrder
    ? [firstFrom(use.output, from), firstFrom(use.output, to)]
    : [0, use.local.length];
  for (let k = first; k < end; k++) {
    const inside = use.output[k] >= from && use.output[k] < to;
    if (inside && !neverWritten(chunks, table, use.local[k])) keep.push(k);
  }
  if (keep.length === use.local.length && from === 0) return use;
  return {
    segment: use.segment,
    local: Float64Array.from(keep, (k) => use.local[k]),
    output: Float64Array.from(keep, (k) => use.output[k] - from),
    inOrder: use.inOrder,
  };
}

/** Index of the first of ascending values that is `value` or more. */
function firstFrom(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Jobs whose chunk lies wholly inside a file of `fileBytes` bytes, and the others. */
export function splitPastFile(jobs: ChunkJobs, fileBytes: number): { inside: ChunkJobs; past: ChunkJobs } {
  const inside: number[] = [];
  const past: number[] = [];
  for (let j = 0; j < jobs.count; j++) {
    const fits = jobs.address[j] >= 0 && jobs.storedBytes[j] <= fileBytes - jobs.address[j];
    (fits ? inside : past).push(j);
  }
  return { inside: takeJobs(jobs, inside), past: takeJobs(jobs, past) };
}

function takeJobs(jobs: ChunkJobs, indices: readonly number[]): ChunkJobs {
  if (indices.length === jobs.count) return jobs;
  const take = (values: Float64Array) => Float64Array.from(indices, (j) => values[j]);
  return {
    ...jobs,
    count: indices.length,
    address: take(jobs.address),
    storedBytes: take(jobs.storedBytes),
    filterMask: Uint32Array.from(indices, (j) => jobs.filterMask[j]),
    chunk: take(jobs.chunk),
    firstUse: take(jobs.firstUse),
    lastUse: take(jobs.lastUse),
  };
}
