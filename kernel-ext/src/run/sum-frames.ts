// Owns: a planned piece of work added up by a backend while it decodes, no frame kept; what it refuses is explained as ever.
// Must not know: what is added, how a backend adds.
import type { FrameAdder } from "../backends/backend";
import { AbortError } from "../errors";
import { dtypeBytes, pixelArray } from "../pixel-arrays";
import { type BatchRange, batchRanges } from "../plan/batches";
import type { FrameChunks } from "../plan/frame-chunks";
import { type ChunkJobs, splitPastFile } from "../plan/jobs";
import type { SumPlan } from "../sum-plan";
import type { PixelArray } from "../types";
import { type DataFile, withDataFile } from "./data-file";
import { moveOn, refusedJobs, storedChunks } from "./decode";
import { explainRefused } from "./refused";
import { type FrameWindow, type SegmentIndex, segmentJobs } from "./segment-jobs";
import type { Session } from "./session";

/** Frames whose jobs are laid out at a time, and between which a backend that failed gives way. */
const WINDOW_FRAMES = 16_384;

/** Takes a frame that the backend refused and the reference accepts: its pixels, its number in the selection. */
export type AddFrame = (frame: PixelArray, index: number) => void;

/** What of a session's backend adds the plan's frames; null where frames must be decoded first. */
export function adderOf({ prepared, run }: Session, plan: SumPlan | null): FrameAdder | null {
  const { sums } = run.choice.candidates[run.backend];
  if (!sums || !plan || prepared.transform.changes) return null;
  const takes = (index: SegmentIndex) =>
    wholeFrames(index) && sums.refuses(index.program, plan, framesOf(index.chunks)) === null;
  return prepared.indexes.every(takes) ? sums : null;
}

const framesOf = ({ isFrame, shape }: FrameChunks): number => (isFrame ? 1 : shape[0]);

/** Every chunk is one or several whole frames, and each frame of several has one place in the results. */
function wholeFrames({ chunks, use }: SegmentIndex): boolean {
  if (chunks.isFrame) return true;
  const whole = chunks.shape[1] === chunks.height && chunks.shape[2] === chunks.width;
  return whole && use.local.every((frame, k) => k === 0 || frame !== use.local[k - 1]);
}

/**
 * Adds the frames of a session to a plan.
 * @returns how many were done, from the first on: all, or fewer when the backend was dropped meanwhile.
 * @throws AbortError, BackendError, MissingFileError.
 */
export async function sumFrames(session: Session, plan: SumPlan, addFrame: AddFrame): Promise<number> {
  const { prepared } = session;
  let from = 0;
  for (; from < prepared.count; from += WINDOW_FRAMES) {
    const adder = adderOf(session, plan);
    if (!adder) return from;
    const window = { from, to: Math.min(prepared.count, from + WINDOW_FRAMES) };
    for (const index of prepared.indexes) {
      const jobs = segmentJobs(index, window);
      if (jobs.count === 0) continue;
      prepared.ahead.reach(index.facts.file);
      const work = (file: DataFile) => sumJobs({ session, plan, adder, addFrame, window, file }, jobs);
      await (index.held ? work(index.held) : withDataFile(index.facts.file, work));
      session.run.cancel.check();
    }
  }
  return prepared.count;
}

interface SumWork {
  readonly session: Session;
  readonly plan: SumPlan;
  readonly adder: FrameAdder;
  readonly addFrame: AddFrame;
  readonly window: FrameWindow;
  readonly file: DataFile;
}

async function sumJobs(work: SumWork, all: ChunkJobs): Promise<void> {
  const { file } = work;
  const { run } = work.session;
  const { inside, past } = splitPastFile(all, file.bytes);
  const framesPerJob = all.use.local.length / all.count;
  await explain(work, past, [...past.chunk.keys()]);
  run.ticker.advance(framesPerJob * past.count);
  for (const range of batchRanges(inside)) {
    run.ticker.batchStarts(run.choice.candidates[run.backend].name, framesPerJob);
    await sumRange(work, inside, range);
    run.ticker.batchEnds(framesPerJob * range.count, range.count);
  }
}

async function sumRange(work: SumWork, jobs: ChunkJobs, range: BatchRange): Promise<void> {
  const { session, plan, adder, window, file } = work;
  const { run } = session;
  const chunkFrames = framesOf(jobs.chunks);
  const slots = new Float64Array(range.count * chunkFrames).fill(-1);
  for (let i = 0; i < range.count; i++) {
    eachFrame(jobs, range.first + i, (output, inChunk) => {
      slots[i * chunkFrames + inChunk] = window.from + output;
    });
  }
  const batch = { ...storedChunks(file, jobs, range), chunkFrames, slots };
  for (const bytes of batch.storedBytes) run.outcome.storedBytes += bytes;
  const { state, refused, trailing } = await adder.add(batch, plan, run.cancel.control);
  if (state === "cancelled") {
    run.cancel.check();
    throw new AbortError();
  }
  run.trailing += trailing;
  if (refused) await explain(work, jobs, refusedJobs(refused, range));
}

/** The frames of job j: their numbers in the window, and in the chunk. */
function eachFrame(
  { chunks, use, firstUse, lastUse }: ChunkJobs,
  j: number,
  take: (output: number, inChunk: number) => void,
): void {
  for (let k = firstUse[j]; k <= lastUse[j]; k++) {
    take(use.output[k], chunks.isFrame ? 0 : use.local[k] % chunks.shape[0]);
  }
}

/** Has the reference explain refused jobs; frames that it accepts are added, and the backend is dropped. */
async function explain(work: SumWork, jobs: ChunkJobs, list: readonly number[]): Promise<void> {
  const { session, plan, addFrame, window, file } = work;
  const { run } = session;
  const backend = run.choice.candidates[run.backend];
  const context = { ...run, file, jobs, backend: backend.name };
  const { suspects } = await explainRefused(context, list, (job, decoded) => {
    const { buffer, byteOffset } = decoded.slice();
    const frameBytes = plan.framePixels * dtypeBytes(plan.dtype);
    eachFrame(jobs, job, (output, inChunk) => {
      const start = byteOffset + inChunk * frameBytes;
      addFrame(pixelArray(plan.dtype, buffer, start, plan.framePixels), window.from + output);
    });
  });
  if (suspects > 0) moveOn(run, backend, `it refused ${suspects} chunks that the reference decoder accepts.`);
}
