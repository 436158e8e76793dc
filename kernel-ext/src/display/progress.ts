// Owns: when progress is shown: a quiet start, at most ten updates a second, a last state that is final.
// Must not know: files, decoders; what a sink writes to.
import type { ProgressEvent } from "../types";
import { functionSink } from "./sinks/function";
import { kernelWriter } from "./sinks/kernel";
import { notebookSink } from "./sinks/notebook";
import type { ProgressSink } from "./sinks/sink";
import { linesSink, terminalSink } from "./sinks/terminal";

/** Work shorter than this shows no bar, only its last line: a bar that flashes by is noise. */
const QUIET_MS = 200;

/** What `run/` feeds. */
export interface Progress {
  /** Takes every event; the last one has a final state, and what comes after it is ignored. */
  event(event: ProgressEvent): void;
}

const SILENT: Progress = { event() {} };

/** The sink that fits where this process runs, or null where progress has no reader. */
function sinkHere(asked: boolean): ProgressSink | null {
  const writer = kernelWriter();
  if (writer !== null) return notebookSink(writer);
  if (process.stderr.isTTY) return terminalSink(process.stderr);
  return asked ? linesSink(process.stderr) : null;
}

/**
 * Opens the display of one piece of work. Call it in the synchronous part of the user's call: in a notebook
 * the display then belongs to the cell that made the call, even when nobody awaits the work.
 *
 * `option` is the user's: `false` is silent, a function gets every event, `true` or nothing shows what fits:
 * one display in a notebook, one rewriting line on a terminal, otherwise nothing (a few plain lines for `true`).
 */
export function openProgress(
  option: boolean | ((event: ProgressEvent) => void) | undefined,
  sink?: ProgressSink,
): Progress {
  if (option === false) return SILENT;
  const chosen = sink ?? (typeof option === "function" ? functionSink(option) : sinkHere(option === true));
  return chosen === null ? SILENT : throttle(chosen);
}

/** Passes on the newest event at most every `sink.everyMs`, the final one at once. */
function throttle(sink: ProgressSink): Progress {
  let nextAt = performance.now() + (sink.everyMs > 0 ? QUIET_MS : 0);
  let waiting: ProgressEvent | null = null;
  let timer: NodeJS.Timeout | null = null;
  let final = false;
  sink.open();

  const show = (event: ProgressEvent): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    waiting = null;
    nextAt = performance.now() + sink.everyMs;
    sink.show(event);
  };

  return {
    event(event: ProgressEvent): void {
      if (final) return;
      if (event.state !== "running") {
        final = true;
        show(event);
        return;
      }
      const wait = nextAt - performance.now();
      if (wait <= 0) {
        show(event);
        return;
      }
      waiting = event;
      if (timer !== null) return;
      timer = setTimeout(() => waiting !== null && show(waiting), wait);
      timer.unref(); // Showing progress must not keep a process alive.
    },
  };
}
