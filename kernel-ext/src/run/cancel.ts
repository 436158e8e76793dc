// Owns: one cancel flag for a piece of work, raised by an AbortSignal or an interrupt of the notebook.
// Must not know: what the work is.
import { CONTROL_CANCEL, CONTROL_WORDS, type Control } from "../backends/backend";
import { AbortError } from "../errors";
import { onInterrupt } from "./interrupt";

/** A control block whose cancel flag is wired up; `dispose` takes the listeners away again. */
export interface CancelScope {
  readonly control: Control;
  /** @throws AbortError once the work was cancelled. */
  check(): void;
  /** The work was cancelled, or has ended. */
  isOver(): boolean;
  dispose(): void;
}

/** Opens a cancel scope. @throws AbortError when the signal is already aborted. */
export function openCancelScope(signal: AbortSignal | undefined): CancelScope {
  const control: Control = { words: new Int32Array(CONTROL_WORDS) };
  const cancel = () => Atomics.store(control.words, CONTROL_CANCEL, 1);
  const check = () => {
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    if (Atomics.load(control.words, CONTROL_CANCEL) !== 0) throw new AbortError();
  };
  check();
  signal?.addEventListener("abort", cancel, { once: true });
  let disposed = false;
  const offInterrupt = onInterrupt(cancel);
  return {
    control,
    check,
    isOver: () => disposed || Atomics.load(control.words, CONTROL_CANCEL) !== 0,
    dispose() {
      disposed = true;
      signal?.removeEventListener("abort", cancel);
      offInterrupt();
    },
  };
}
