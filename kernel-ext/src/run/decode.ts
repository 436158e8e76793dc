// Owns: handing batches of chunk jobs to a backend, and what follows: refused chunks, cancelling, the next backend.
// Must not know: selections, notebooks, how a backend works.
import {
  type Backend,
  type Batch,
  type BatchStatus,
  OutputLostError,
  type OutputMemory,
} from "../backends/backend";
import type { BackendChoice } from "../backends/registry";
import { AbortError, BackendError, BackendUnavailableError } from "../errors";
import {
  BATCH_SCRATCH_BYTES,
  type BatchRange,
  batchRanges,
  frameTargets,
  scratchTargets,
} from "../plan/batches";
import { type ChunkJobs, splitPastFile } from "../plan/jobs";
import type { CancelScope } from "./cancel";
import type { DataFile } from "./data-file";
import type { Outcome } from "./outcome";
import type { ProgressTicker } from "./progress-ticker";
import { acceptInto, explainRefused, type RefusedContext } from "./refused";
import { scatterChunk } from "./scatter";

/** Everything that the decoding of one load shares. */
export interface DecodeRun {
  readonly choice: BackendChoice;
  /** Index of the candidate in use: only moves on. */
  backend: number;
  readonly cancel: CancelScope;
  readonly outcome: Outcome;
  readonly ticker: ProgressTicker;
  readonly scanOf: RefusedContext["scanOf"];
  /** Chunks so far with stored bytes that nothing needs. */
  trailing: number;
}

/**
 * Decodes the jobs of one segment into the output. `before` is the segment before: what is found is recorded after it,
 * and a backend that takes batches ahead starts on this one meanwhile.
 * @returns output frames that are damaged.
 * @throws AbortError, BackendError, BackendUnavailableError; the error of `before`, with no batch left running.
 */
export async function decodeJobs(
  run: DecodeRun,
  file: DataFile,
  all: ChunkJobs,
  output: OutputMemory,
  before: Promise<void>,
): Promise<ReadonlySet<number>> {
  const { inside, past } = splitPastFile(all, file.bytes);
  if (past.count > 0 || file.held || !isTakenAhead(run, inside)) await before;
  const context = { ...run, file, jobs: past, backend: run.choice.candidates[run.backend].name };
  const beyond = await explainRefused(context, [...past.chunk.keys()], () => {});
  const damaged = outputsOf(past, beyond.damaged);
  const ranges = batchRanges(inside);
  const scratch = inside.chunks.isFrame ? null : scratchFor(inside, ranges);
  const framesPerJob = all.count === 0 ? 0 : all.use.local.length / all.count;
  run.ticker.advance(framesPerJob * past.count);
  for (const range of ranges) {
    const refused = await decodeRange({
      run,
      file,
      jobs: inside,
      range,
      output,
      scratch,
      framesPerJob,
      before,
    });
    for (const frame of outputsOf(inside, refused)) damaged.add(frame);
  }
  return damaged;
}

/** Chunks that go through scratch would need a second one. */
function isTakenAhead({ choice, backend }: DecodeRun, { program, chunks }: ChunkJobs): boolean {
  const { takesAhead = false, refuses } = choice.candidates[backend];
  return takesAhead && chunks.isFrame && refuses(program) === null;
}

/** Output frames that need one of some jobs. */
function outputsOf(jobs: ChunkJobs, some: ReadonlySet<number>): Set<number> {
  const outputs = new Set<number>();
  for (const job of some) {
    for (let k = jobs.firstUse[job]; k <= jobs.lastUse[job]; k++) outputs.add(jobs.use.output[k]);
  }
  return outputs;
}

const GPU_COPY =
  "The GPU did not take the memory of the frames: each part of a batch was copied, which costs time and memory.";

interface RangeWork {
  readonly run: DecodeRun;
  readonly file: DataFile;
  readonly jobs: ChunkJobs;
  readonly range: BatchRange;
  readonly output: OutputMemory;
  /** Memory for chunks that are not exactly one frame. */
  readonly scratch: OutputMemory | null;
  readonly framesPerJob: number;
  readonly before: Promise<void>;
}

/** Decodes one batch; returns its damaged jobs. */
async function decodeRange(work: RangeWork): Promise<ReadonlySet<number>> {
  const { run, file, jobs, range, output, scratch, framesPerJob, before } = work;
  const batch = cutBatch(file, jobs, range, scratch !== null);
  const stored = batch.storedBytes.reduce((total, bytes) => total + bytes, 0);
  run.outcome.storedBytes += stored;
  run.outcome.peakBytes = Math.max(run.outcome.peakBytes, stored + (scratch?.bytes ?? 0));
  const memory = scratch ?? output;
  let done = await decodeBatch(work, batch, memory);
  await before;
  if (done.backend !== run.backend) {
    // The segment before dropped the backend after this batch was handed over.
    run.ticker.batchEnds(0, 0);
    done = await decodeBatch(work, batch, memory);
  }
  const { status } = done;
  if (status.state === "cancelled") {
    run.cancel.check();
    throw new AbortError();
  }
  run.trailing += status.trailing;
  if (status.copied) run.outcome.note("gpu-copy", GPU_COPY);
  const damaged = await settleRefused(work, batch, memory, status);
  if (scratch) scatterBatch(jobs, range, scratch, damaged, output);
  run.ticker.batchEnds(framesPerJob * range.count, range.count);
  return damaged;
}

function scratchFor(jobs: ChunkJobs, ranges: readonly BatchRange[]): OutputMemory {
  const most = ranges.reduce((count, range) => Math.max(count, range.count), 0);
  const bytes = most * jobs.program.chunkBytes;
  return { buffer: new ArrayBuffer(bytes), start: 0, bytes };
}

/** Scratch bytes that the jobs will take, for admission. */
export function scratchBytes(jobs: ChunkJobs): number {
  if (jobs.chunks.isFrame) return 0;
  const all = jobs.count * jobs.program.chunkBytes;
  return Math.min(all, Math.max(BATCH_SCRATCH_BYTES, jobs.program.chunkBytes));
}

function cutBatch(file: DataFile, jobs: ChunkJobs, range: BatchRange, scratch: boolean): Batch {
  const target = scratch ? scratchTargets(jobs, range) : frameTargets(jobs, range);
  return { ...storedChunks(file, jobs, range), target };
}

/** Where the chunks of a batch are stored. */
export function storedChunks(file: DataFile, jobs: ChunkJobs, range: BatchRange): Omit<Batch, "target"> {
  const end = range.first + range.count;
  const { held } = file;
  const chunk = jobs.chunk.subarray(range.first, end);
  return {
    program: jobs.program,
    fd: file.fd,
    file: file.path,
    fileBytes: held ? held.memory.bytes : file.bytes,
    memory: held?.memory,
    count: range.count,
    address: held
      ? chunk.map((number) => held.address[number - held.first]!)
      : jobs.address.subarray(range.first, end),
    storedBytes: jobs.storedBytes.subarray(range.first, end),
    filterMask: jobs.filterMask.subarray(range.first, end),
  };
}

/** Decodes with the backend in use; one that breaks down, or cannot run the program, gives way to the next. */
async function decodeBatch(
  { run, framesPerJob, before }: RangeWork,
  batch: Batch,
  memory: OutputMemory,
): Promise<{ readonly status: BatchStatus; readonly backend: number }> {
  for (;;) {
    const used = run.backend;
    const backend = run.choice.candidates[used];
    const refusal = backend.refuses(batch.program);
    if (refusal !== null) {
      if (moveOn(run, backend, `${batch.file}: ${refusal}.`)) continue;
      throw new BackendUnavailableError(backend.name, refusal, ["reference"]);
    }
    run.ticker.batchStarts(backend.name, framesPerJob);
    try {
      return { status: await backend.decode(batch, memory, run.cancel.control), backend: used };
    } catch (error) {
      if (!(error instanceof BackendError) || error instanceof OutputLostError) throw error;
      await before;
      if (used === run.backend && !moveOn(run, backend, error.message)) throw error;
      run.ticker.batchEnds(0, 0);
    }
  }
}

/** Leaves a backend for the next candidate, with a note; false when there is none. */
export function moveOn(run: DecodeRun, backend: Backend, why: string): boolean {
  if (run.backend + 1 >= run.choice.candidates.length) return false;
  run.backend += 1;
  const next = run.choice.candidates[run.backend].name;
  run.outcome.note("backend-dropped", `The ${backend.name} backend was dropped for ${next}: ${why}`);
  return true;
}

/** Explains the refused chunks of a batch; returns the jobs that are really damaged. */
async function settleRefused(
  work: RangeWork,
  batch: Batch,
  memory: OutputMemory,
  { refused }: BatchStatus,
): Promise<ReadonlySet<number>> {
  const { run, file, jobs, range } = work;
  if (refused === null) return new Set();
  const backend = run.choice.candidates[run.backend];
  const list = refusedJobs(refused, range);
  const { damaged, suspects } = await explainRefused(
    { ...run, file, jobs, backend: backend.name },
    list,
    (job, decoded) => acceptInto(memory, batch.target[job - range.first], decoded),
  );
  if (suspects > 0) moveOn(run, backend, `it refused ${suspects} chunks that the reference decoder accepts.`);
  return damaged;
}

/** The jobs of a batch whose bits are set. */
export function refusedJobs(refused: Uint8Array, range: BatchRange): number[] {
  const list: number[] = [];
  for (let i = 0; i < range.count; i++) {
    if (refused[i >> 3] & (1 << (i & 7))) list.push(range.first + i);
  }
  return list;
}

function scatterBatch(
  jobs: ChunkJobs,
  range: BatchRange,
  scratch: OutputMemory,
  damaged: ReadonlySet<number>,
  output: OutputMemory,
): void {
  const { chunkBytes } = jobs.program;
  for (let i = 0; i < range.count; i++) {
    const job = range.first + i;
    if (damaged.has(job)) continue;
    const decoded = new Uint8Array(scratch.buffer, scratch.start + i * chunkBytes, chunkBytes);
    scatterChunk(jobs, job, decoded, output);
  }
}
