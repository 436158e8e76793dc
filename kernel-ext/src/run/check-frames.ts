// Owns: decoding all frames of a planned piece of work and keeping none: which of them are exact.
// Must not know: what the check is for, how a backend decodes.
import type { CheckedOptions } from "../options";
import type { SumPlan } from "../sum-plan";
import { admitWork } from "./admit-work";
import { forEachWindow, framesHeld } from "./frame-windows";
import type { Prepared } from "./prepare";
import type { Session } from "./session";
import { adderOf, sumFrames } from "./sum-frames";

/** What a check found. */
export interface Check {
  /** One entry a frame: 1 = exact, 0 = damaged or missing. */
  readonly valid: Uint8Array;
  /** Frames that were held at once. */
  readonly held: number;
}

/**
 * Decodes every frame of a session, through its transform. Where the backend adds frames up while it decodes them, it
 * is asked for no sums, and decoded bytes never leave the processor's cache. `more` is what the caller holds beside, in
 * bytes by name.
 * @throws MemoryLimitError, and the errors of decoding and of the transform.
 */
export async function checkFrames(
  session: Session,
  options: CheckedOptions,
  more: Readonly<Record<string, number>> = {},
): Promise<Check> {
  const { prepared } = session;
  const plan = noSums(prepared);
  let [done, held] = [0, framesHeld(prepared.count, prepared.outputBytes)];
  if (adderOf(session, plan)) {
    // Admitted as if frames were held: they are when the backend is dropped on the way.
    admitWork(prepared, options, held, more);
    done = await sumFrames(session, plan, () => {});
  }
  if (done === prepared.count) held = 0;
  else await forEachWindow(session, options, more, async () => {}, done);
  return { valid: exactFrames(session), held };
}

/** Frames of any dtype as rows of bytes, of which nothing is added. */
function noSums({ transform, frameBytes, count }: Prepared): SumPlan {
  const width = frameBytes / transform.from.detector[0];
  return { dtype: "u8", framePixels: frameBytes, width, results: count, perFrame: [], pattern: null };
}

function exactFrames({ prepared, run }: Session): Uint8Array {
  const { count, selection, missing } = prepared;
  const { damagedFrames } = run.outcome;
  const valid = new Uint8Array(count).fill(1);
  if (damagedFrames.size > 0) {
    for (let i = 0; i < count; i++) if (damagedFrames.has(selection.frames.at(i))) valid[i] = 0;
  }
  for (const { output } of missing) valid[output] = 0;
  return valid;
}
