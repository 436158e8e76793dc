// Owns: what happens to refused chunks: the reference explains them, their frames are marked, wrong refusals are undone.
// Must not know: which backend refused and how, how the report is shown.
import type { OutputMemory } from "../backends/backend";
import { Turns } from "../backends/turns";
import { explainChunk } from "../damage/explain";
import type { ChunkJobs } from "../plan/jobs";
import { frameOf } from "../plan/placement";
import type { Selection } from "../plan/selection";
import type { BackendName } from "../types";
import type { CancelScope } from "./cancel";
import { type DataFile, storedChunk } from "./data-file";
import type { Outcome } from "./outcome";

/** What explaining needs to know of a load. */
export interface RefusedContext {
  readonly file: DataFile;
  readonly jobs: ChunkJobs;
  readonly backend: BackendName;
  readonly outcome: Outcome;
  readonly cancel: CancelScope;
  readonly scanOf: Selection["scanOf"];
}

/**
 * Explains refused jobs, one after the other. A job that the reference accepts is suspect: its bytes go to `accept`.
 * @returns the jobs that are damaged, and how many were suspect.
 */
export async function explainRefused(
  context: RefusedContext,
  refused: readonly number[],
  accept: (job: number, decoded: Uint8Array) => void,
): Promise<{ readonly damaged: ReadonlySet<number>; readonly suspects: number }> {
  const damaged = new Set<number>();
  const turns = new Turns();
  for (const job of refused) {
    const decoded = explainJob(context, job);
    if (decoded === null) damaged.add(job);
    else accept(job, decoded);
    if (!turns.due) continue;
    await turns.take();
    context.cancel.check();
  }
  return { damaged, suspects: refused.length - damaged.size };
}

/** The chunk's bytes when the reference accepts it, else null and the damage is on record. */
function explainJob(context: RefusedContext, job: number): Uint8Array | null {
  const { file, jobs, outcome, scanOf } = context;
  const address = jobs.address[job];
  const bytes = jobs.storedBytes[job];
  const stored = storedChunk(file, jobs, job);
  const frames = framesOf(jobs, job).map((frame) => ({ frame, scan: scanOf(frame) }));
  const { dataset } = jobs.use.segment;
  const place = { file: file.path, dataset, fileBytes: file.bytes, address, bytes, frames };
  const explained = explainChunk(jobs.program, stored, jobs.filterMask[job], place);
  if (explained.decoded === null) {
    outcome.addDamage(explained.damaged);
    return null;
  }
  for (const frame of frames) outcome.addSuspect({ ...frame, backend: context.backend });
  return explained.decoded;
}

/** Source frames of a job, each once; a selection may use one several times. */
function framesOf(jobs: ChunkJobs, job: number): number[] {
  const frames = new Set<number>();
  for (let k = jobs.firstUse[job]; k <= jobs.lastUse[job]; k++) {
    frames.add(frameOf(jobs.use.segment, jobs.use.local[k]));
  }
  return [...frames];
}

/** Copies an accepted chunk to its place. */
export function acceptInto(memory: OutputMemory, target: number, decoded: Uint8Array): void {
  new Uint8Array(memory.buffer, memory.start + target, decoded.length).set(decoded);
}
