// Owns: a planned piece of work as windows of frames that are looked at while the next window is decoded.
// Must not know: what is done with the frames.
import type { OutputMemory } from "../backends/backend";
import type { CheckedOptions } from "../options";
import { admitWork } from "./admit-work";
import { allocateFrames, releaseFrames } from "./output-memory";
import type { FrameWindow } from "./segment-jobs";
import type { Session } from "./session";
import { decodeWindow } from "./window";

/** Decoded bytes of a window: two are held. Large enough for every core, small beside any memory. */
const WINDOW_BYTES = 32 * 2 ** 20;

/** Frames of a window of all `frames`. */
export function framesOfWindow(frames: number, frameBytes: number): number {
  return Math.min(frames, Math.max(1, Math.floor(WINDOW_BYTES / frameBytes)));
}

/** Frames that are held at once: two windows. */
export function framesHeld(frames: number, frameBytes: number): number {
  return Math.min(frames, 2 * framesOfWindow(frames, frameBytes));
}

/** Decoded frames of a window, one entry of `valid` each; the memory is used again when `take` is done. */
export type TakeWindow = (window: FrameWindow, frames: OutputMemory, valid: Uint8Array) => Promise<void>;

/**
 * Decodes all frames of a session and hands them to `take`, window after window. `more` bytes are what the caller
 * holds beside them. @throws MemoryLimitError, and the errors of decoding and of `take`.
 */
export async function forEachWindow(
  session: Session,
  options: CheckedOptions,
  more: number,
  take: TakeWindow,
): Promise<void> {
  const { prepared, run } = session;
  const { count, frameBytes, acquisition } = prepared;
  const step = framesOfWindow(count, frameBytes);
  const held = framesHeld(count, frameBytes);
  admitWork(prepared, options, held * frameBytes + more, { from: 0, to: step });
  const memory = allocateFrames(acquisition.path, held * frameBytes);
  const halves = [part(memory, 0, step * frameBytes), part(memory, step * frameBytes, memory.bytes)] as const;
  const windowAt = (from: number): FrameWindow => ({ from, to: Math.min(count, from + step) });
  const decode = (window: FrameWindow, half: OutputMemory): Promise<Uint8Array> => {
    const decoding = decodeWindow(run, prepared, window, half);
    decoding.catch(() => {}); // Its error is met when it is awaited.
    return decoding;
  };
  let next: Promise<Uint8Array> | null = decode(windowAt(0), halves[0]);
  try {
    for (let from = 0, turn = 0; from < count; from += step, turn = 1 - turn) {
      const valid = await next!;
      next = from + step < count ? decode(windowAt(from + step), halves[1 - turn]!) : null;
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
