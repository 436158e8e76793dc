// Owns: decoding a window of a planned piece of work: consecutive output frames into memory, every frame defined.
// Must not know: what becomes of the frames.
import type { OutputMemory } from "../backends/backend";
import type { ChunkJobs } from "../plan/jobs";
import { type DataFile, withDataFile } from "./data-file";
import { type DecodeRun, decodeJobs } from "./decode";
import { fillFrame, frameBytesOf } from "./fill";
import type { Prepared } from "./prepare";
import { type FrameWindow, type SegmentIndex, segmentJobs } from "./segment-jobs";

/**
 * Decodes output frames [window.from, window.to) into `output`, the first at its start. Damaged frames become zeros,
 * missing ones the fill value. At most two segments are in work at once, and what is found is in their order.
 * @returns one entry a frame: 1 = exact, 0 = damaged or missing.
 * @throws AbortError, BackendError, BackendUnavailableError, MissingFileError.
 */
export async function decodeWindow(
  run: DecodeRun,
  prepared: Prepared,
  window: FrameWindow,
  output: OutputMemory,
): Promise<Uint8Array> {
  const { frameBytes, missing } = prepared;
  const valid = new Uint8Array(window.to - window.from).fill(1);
  const decodeSegment = async (index: SegmentIndex, jobs: ChunkJobs, before: Promise<void>) => {
    const decode = (file: DataFile) => decodeJobs(run, file, jobs, output, before);
    const damaged = index.held ? await decode(index.held) : await withDataFile(index.facts.file, decode);
    for (const frame of damaged) {
      frameBytesOf(output, frame, frameBytes).fill(0);
      valid[frame] = 0;
    }
    run.cancel.check();
  };
  let before = Promise.resolve();
  let last = before;
  try {
    for (const index of prepared.indexes) {
      const jobs = segmentJobs(index, window);
      if (jobs.count === 0) continue;
      prepared.ahead.reach(index.facts.file);
      last = decodeSegment(index, jobs, before);
      // Its error is thrown when it is awaited below, after the one before.
      last.catch(() => {});
      await before;
      before = last;
    }
    await last;
  } catch (error) {
    // Nobody may give the output back while a batch is decoded into it.
    await Promise.allSettled([last]);
    throw error;
  }
  for (const { output: frame } of missing) {
    if (frame < window.from || frame >= window.to) continue;
    fillFrame(frameBytesOf(output, frame - window.from, frameBytes), prepared.fill);
    valid[frame - window.from] = 0;
  }
  return valid;
}
