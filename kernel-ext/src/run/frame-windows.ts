// Owns: a planned piece of work as windows of frames that are looked at while the next window is made.
// Must not know: what is done with the frames.
import type { OutputMemory } from "../backends/backend";
import type { CheckedOptions } from "../options";
import { admitWork } from "./admit-work";
import { allocateFrames, releaseFrames } from "./output-memory";
import { openProducer } from "./produce";
import type { FrameWindow } from "./segment-jobs";
import type { Session } from "./session";

/** Bytes of a window: two are held. Large enough for every core, small beside any memory. */
const WINDOW_BYTES = 32 * 2 ** 20;

/** Frames of a window of all `frames`. */
export function framesOfWindow(frames: number, outputBytes: number): number {
  return Math.min(frames, Math.max(1, Math.floor(WINDOW_BYTES / outputBytes)));
}

/** Frames that are held at once: two windows. */
export function framesHeld(frames: number, outputBytes: number): number {
  return Math.min(frames, 2 * framesOfWindow(frames, outputBytes));
}

/** Frames of a window, one entry of `valid` each; the memory is used again when `take` is done. */
export type TakeWindow = (window: FrameWindow, frames: OutputMemory, valid: Uint8Array) => Promise<void>;

/**
 * Makes the frames of a session from `first` on and hands them to `take`, window after window. `more` is what the caller holds beside
 * them, in bytes by name. @throws MemoryLimitError, and the errors of the producer and of `take`.
 */
export async function forEachWindow(
  session: Session,
  options: CheckedOptions,
  more: Readonly<Record<string, number>>,
  take: TakeWindow,
  first = 0,
): Promise<void> {
  const { count, outputBytes, acquisition } = session.prepared;
  const step = framesOfWindow(count, outputBytes);
  const held = framesHeld(count, outputBytes);
  admitWork(session.prepared, options, held, more);
  const memory = allocateFrames(acquisition.path, held * outputBytes);
  const halves = [part(memory, 0, step * outputBytes), part(memory, step * outputBytes, memory.bytes)];
  const produce = openProducer(session, options.onDamage, step);
  const windowAt = (from: number): FrameWindow => ({ from, to: Math.min(count, from + step) });
  const start = (from: number, half: OutputMemory | undefined): Promise<Uint8Array> | null => {
    if (from >= count || !half) return null;
    const producing = produce(windowAt(from), half);
    producing.catch(() => {}); // Its error is met when it is awaited.
    return producing;
  };
  let next = start(first, halves[0]);
  try {
    for (let from = first, turn = 0; next; from += step, turn = 1 - turn) {
      const valid = await next;
      next = start(from + step, halves[1 - turn]);
      await take(windowAt(from), halves[turn]!, valid);
    }
  } finally {
    // Nobody may write into memory that is given back.
    await next?.catch(() => {});
    releaseFrames(memory);
  }
}

function part({ buffer, start }: OutputMemory, from: number, to: number): OutputMemory {
  return { buffer, start: start + from, bytes: to - from };
}
