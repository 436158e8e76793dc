// Owns: letting the event loop in while work runs on the main thread: progress displays and interrupts stay alive.
// Must not know: what the work is.

/** Longest time without a turn of the event loop. */
const SLICE_MS = 15;

/** One turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}

/** Says when a loop has run long enough, so that the others of its rounds cost one look at the clock. */
export class Turns {
  private sliceEnd = performance.now() + SLICE_MS;

  get due(): boolean {
    return performance.now() >= this.sliceEnd;
  }

  async take(): Promise<void> {
    await nextTurn();
    this.sliceEnd = performance.now() + SLICE_MS;
  }
}
