// Owns: frames as the caller gets them: decoded straight into the output, or window by window through the transform.
// Must not know: what becomes of the frames, how a stage of the transform computes.

import type { OutputMemory } from "../backends/backend";
import { nextTurn } from "../backends/turns";
import type { OnDamage } from "../options";
import { pixelArray } from "../pixel-arrays";
import { type BatchTransform, openTransform, transformBytes } from "../transform/batch";
import { misfitError } from "../transform/misfit";
import { allocateFrames } from "./output-memory";
import type { Prepared } from "./prepare";
import type { FrameWindow } from "./segment-jobs";
import type { Session } from "./session";
import { decodeWindow } from "./window";

/** Decoded bytes that wait for the transform at a time: enough for every core, small beside any memory. */
const WINDOW_BYTES = 32 * 2 ** 20;

/** Decoded bytes transformed between two turns of the event loop, so that displays and interrupts stay alive. */
const SLICE_BYTES = 4 * 2 ** 20;

/**
 * Makes output frames [window.from, window.to), the first at the output's start.
 * @returns one entry a frame: 1 = exact, 0 = damaged or missing.
 */
export type FrameProducer = (window: FrameWindow, output: OutputMemory) => Promise<Uint8Array>;

/** Frames of a decode window: whole chunks where these hold several frames, so that few are read twice. */
export function windowFrames({ frameBytes, indexes }: Prepared): number {
  const depth = indexes.reduce((most, { chunks }) => Math.max(most, chunks.shape[0]), 1);
  return Math.max(1, Math.floor(WINDOW_BYTES / (frameBytes * depth))) * depth;
}

/** Bytes that the transform of `held` output frames takes beside them. */
export function besideBytes(prepared: Prepared, held: number): number {
  if (!prepared.transform.changes) return 0;
  const window = Math.min(held, windowFrames(prepared)) * prepared.frameBytes;
  return window + transformBytes(prepared.transform);
}

/**
 * Opens the producer of admitted work that holds `held` frames. Its frames, and its first error, do not depend on how
 * they are cut into windows.
 * @throws MemoryLimitError. The producer throws the errors of decodeWindow, and OptionError for the first frame with a
 *   value that `bin` or `dtype` cannot hold, unless a damaged one comes before it and `onDamage` is "throw": then the
 *   rest is only decoded, for a complete report.
 */
export function openProducer(session: Session, onDamage: OnDamage, held: number): FrameProducer {
  const { prepared, run } = session;
  if (!prepared.transform.changes) return (window, output) => decodeWindow(run, prepared, window, output);
  const step = Math.min(held, windowFrames(prepared));
  const memory = allocateFrames(prepared.acquisition.path, step * prepared.frameBytes);
  const transform = openTransform(prepared.transform, session.flagCount);
  return async (window, output) => {
    const valid = new Uint8Array(window.to - window.from);
    for (let from = window.from; from < window.to; from += step) {
      const part = { from, to: Math.min(window.to, from + step) };
      const refused = onDamage === "throw" && run.outcome.damagedFrames.size > 0;
      const exact = await decodeWindow(run, prepared, part, memory);
      valid.set(exact, from - window.from);
      if (refused) continue;
      const use = onDamage === "throw" ? exact.subarray(0, beforeDamage(session, part)) : exact;
      await transformPart({ session, transform, part, memory, output, first: from - window.from }, use);
    }
    return valid;
  };
}

/** Frames of a window before its first damaged one. */
function beforeDamage({ prepared, run }: Session, { from, to }: FrameWindow): number {
  const { damagedFrames } = run.outcome;
  for (let i = from; damagedFrames.size > 0 && i < to; i++) {
    if (damagedFrames.has(prepared.selection.frames.at(i))) return i - from;
  }
  return to - from;
}

interface TransformWork {
  readonly session: Session;
  readonly transform: BatchTransform;
  readonly part: FrameWindow;
  /** Decoded frames of the part, and where the caller's frames go: the part's first is number `first` there. */
  readonly memory: OutputMemory;
  readonly output: OutputMemory;
  readonly first: number;
}

async function transformPart(work: TransformWork, valid: Uint8Array): Promise<void> {
  const { prepared, run } = work.session;
  const { from, to } = prepared.transform;
  const step = Math.max(1, Math.floor(SLICE_BYTES / prepared.frameBytes));
  for (let at = 0; at < valid.length; at += step) {
    const slice = valid.subarray(at, at + step);
    const pixels = (memory: OutputMemory, facts: typeof from, frame: number) => {
      const size = facts.detector[0] * facts.detector[1];
      const bytes = facts === from ? prepared.frameBytes : prepared.outputBytes;
      return pixelArray(facts.dtype, memory.buffer, memory.start + frame * bytes, slice.length * size);
    };
    const misfit = work.transform({
      input: pixels(work.memory, from, at),
      output: pixels(work.output, to, work.first + at),
      valid: slice,
    });
    if (misfit) {
      const frame = prepared.selection.frames.at(work.part.from + at + misfit.frame);
      const { path } = prepared.acquisition;
      throw misfitError(prepared.transform, misfit, path, frame, run.scanOf(frame));
    }
    await nextTurn();
    run.cancel.check();
  }
}
