// Owns: adding up everything that a planned piece of work holds at once, for admission.
// Must not know: limits, messages.
import type { CheckedOptions } from "../options";
import { BATCH_STORED_BYTES } from "../plan/batches";
import { admit } from "./admission";
import { scratchBytes } from "./decode";
import type { Prepared } from "./prepare";
import { besideBytes, windowFrames } from "./produce";
import { segmentJobs } from "./segment-jobs";

/**
 * Admits work that holds `held` frames at once, as they are returned, and `more` parts by name, in bytes.
 * @throws MemoryLimitError.
 */
export function admitWork(
  prepared: Prepared,
  options: CheckedOptions,
  held: number,
  more: Readonly<Record<string, number>> = {},
): void {
  const { indexes, indexBytes, outputBytes, transform } = prepared;
  const window = { from: 0, to: transform.changes ? Math.min(held, windowFrames(prepared)) : held };
  let stored = 0;
  let scratch = 0;
  for (const index of indexes) {
    const jobs = segmentJobs(index, window);
    for (const bytes of jobs.storedBytes) stored += bytes;
    scratch = Math.max(scratch, scratchBytes(jobs));
  }
  const parts = {
    frames: held * outputBytes,
    "chunk index": indexBytes,
    "stored chunks": Math.min(stored, 2 * BATCH_STORED_BYTES),
    "chunk scratch": scratch,
    transform: besideBytes(prepared, held),
    ...more,
  };
  admit(prepared.acquisition.path, parts, options.memoryLimit);
}
