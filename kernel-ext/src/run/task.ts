// Owns: the frame around every piece of work: cancel scope, progress from first to final event, and its clean-up.
// Must not know: what the work is.
import { AbortError } from "../errors";
import type { CheckedOptions } from "../options";
import type { ProgressEvent } from "../types";
import { type CancelScope, openCancelScope } from "./cancel";
import { ProgressTicker } from "./progress-ticker";
import { StageClock } from "./stage-clock";

/** What a piece of work gets. */
export interface Task {
  readonly cancel: CancelScope;
  readonly ticker: ProgressTicker;
  readonly clock: StageClock;
}

/** A task that runs until one of its ends is called. */
export interface OpenTask extends Task {
  /** Work is done; `message` is its summary. */
  done(message: string): void;
  /** Work ended with an error, which may be a cancel. Returns the error. */
  failed(error: unknown): unknown;
}

/**
 * Opens a task. Call it in the synchronous part of the user's call, with `emit` of a display that was opened there.
 * @throws AbortError when the signal is already aborted.
 */
export function openTask(
  name: string,
  path: string,
  options: Pick<CheckedOptions, "signal">,
  openDisplay: () => (event: ProgressEvent) => void,
): OpenTask {
  const cancel = openCancelScope(options.signal);
  const ticker = new ProgressTicker({ task: name, path, control: cancel.control, emit: openDisplay() });
  const end = (state: "done" | "cancelled" | "failed", message: string) => {
    ticker.finish(state, message);
    cancel.dispose();
  };
  return {
    cancel,
    ticker,
    clock: new StageClock(),
    done: (message) => end("done", message),
    failed(error) {
      const message = error instanceof Error ? error.message : String(error);
      end(error instanceof AbortError ? "cancelled" : "failed", message);
      return error;
    },
  };
}
