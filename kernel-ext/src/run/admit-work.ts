// Owns: adding up everything that a planned piece of work holds at once, for admission.
// Must not know: limits, messages.
import type { CheckedOptions } from "../options";
import { BATCH_STORED_BYTES } from "../plan/batches";
import { admit } from "./admission";
import { scratchBytes } from "./decode";
import type { Prepared } from "./prepare";
import { type FrameWindow, segmentJobs } from "./segment-jobs";

/** Admits work that decodes windows of frames into `frames` bytes of memory. @throws MemoryLimitError. */
export function admitWork(
  prepared: Prepared,
  options: CheckedOptions,
  frames: number,
  window: FrameWindow = { from: 0, to: prepared.count },
): void {
  let stored = 0;
  let scratch = 0;
  for (const index of prepared.indexes) {
    const jobs = segmentJobs(index, window);
    for (const bytes of jobs.storedBytes) stored += bytes;
    scratch = Math.max(scratch, scratchBytes(jobs));
  }
  const parts = {
    frames,
    "chunk index": prepared.indexBytes,
    "stored chunks": Math.min(stored, 2 * BATCH_STORED_BYTES),
    "chunk scratch": scratch,
  };
  admit(prepared.acquisition.path, parts, options.memoryLimit);
}
