// Owns: progress on a terminal (one rewriting line) and in a log (a few plain lines).
// Must not know: notebooks.
import { progressText } from "../progress-view";
import type { ProgressSink } from "./sink";

/** The part of a stream that is needed. */
export interface TextStream {
  readonly columns?: number;
  write(text: string): unknown;
}

const CLEAR_LINE = "\r\x1b[2K";

/** Control characters of a path or message would move the cursor: they are shown as `?`. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, "?");
}

/** Rewrites one line of a TTY; the last state stays and ends the line. */
export function terminalSink(stream: TextStream): ProgressSink {
  return {
    everyMs: 100,
    open() {},
    show(event) {
      const text = printable(progressText(event));
      if (event.state !== "running") stream.write(`${CLEAR_LINE}${text}\n`);
      else stream.write(`${CLEAR_LINE}${text.slice(0, Math.max(1, (stream.columns ?? 80) - 1))}`);
    },
  };
}

/** Plain lines for a log: one every ten seconds, and the last state. */
export function linesSink(stream: TextStream): ProgressSink {
  return {
    everyMs: 10_000,
    open() {},
    show(event) {
      stream.write(`${printable(progressText(event))}\n`);
    },
  };
}
