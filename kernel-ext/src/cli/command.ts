// Owns: what a command of `framelab` is: its words, its exit codes, the console it writes to.
// Must not know: which commands there are.
import { parseArgs } from "node:util";
import { terminalSink } from "../display/sinks/terminal";
import type { ProgressEvent } from "../types";

/** Exit codes of every command; of several files, the highest counts. */
export const EXIT = {
  /** Everything is as it should be. */
  fine: 0,
  /** Something was found: damaged or missing frames, a notebook that differs. */
  found: 1,
  /** A wrong command line, or a file that cannot be read. */
  unusable: 2,
  /** Stopped by Ctrl-C. */
  stopped: 130,
} as const;

/** The lines that every help text ends with. */
export const EXIT_HELP = `Exit codes:
  0    everything is fine
  1    damaged or missing frames were found, or an acquisition cannot be loaded as it is
  2    wrong usage, or a file that cannot be read
  130  stopped by Ctrl-C`;

/** Where a command writes: results to `out`, everything else to `err`. */
export interface Console {
  out(text: string): void;
  err(text: string): void;
  /** Colour is wanted: standard output is a terminal and NO_COLOR is not set. */
  readonly color: boolean;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Shows an event on one line that is rewritten, and clears it at the end; nothing where there is no terminal. */
  progress(event: ProgressEvent): void;
}

/** One word after `framelab`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly help: string;
  /** @returns the exit code. @throws UsageError for a wrong command line. */
  run(args: readonly string[], console: Console): Promise<number>;
}

/** A command line that cannot be understood; the message says why. */
export class UsageError extends Error {}

type Flags = Readonly<
  Record<
    string,
    { readonly type: "string" | "boolean"; readonly short?: string; readonly multiple?: boolean }
  >
>;

/** Values of flags and the other words. */
export interface ParsedArgs {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly words: readonly string[];
}

/** Parses a command's arguments; `--help` is always known. @throws UsageError. */
export function parseFlags(args: readonly string[], flags: Flags): ParsedArgs {
  const options = { ...flags, help: { type: "boolean", short: "h" } } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: values as ParsedArgs["values"], words: positionals };
  } catch (error) {
    // Node's own sentence; behind the first one it explains its parser.
    throw new UsageError(String((error as Error).message).split(". ")[0]);
  }
}

/** The process's own console. `close` takes its listeners away. */
export function processConsole(): Console & { close(): void } {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once("SIGINT", stop); // Once: a second Ctrl-C ends the process at once.
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== "EPIPE") throw error;
    process.exit(EXIT.fine); // The reader (`head`) has seen enough.
  };
  process.stdout.on("error", onError);
  const line = process.stderr.isTTY ? terminalSink(process.stderr) : null;
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    color: process.stdout.isTTY === true && !process.env.NO_COLOR,
    signal: abort.signal,
    progress(event) {
      if (line === null) return;
      if (event.state === "running") line.show(event);
      else process.stderr.write("\r\x1b[2K");
    },
    close() {
      process.removeListener("SIGINT", stop);
      process.stdout.removeListener("error", onError);
    },
  };
}
