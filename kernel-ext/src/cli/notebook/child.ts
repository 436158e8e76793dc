// Owns: the life of the process that runs a notebook: start, time limit, cancel; nothing that it started outlives it.
// Must not know: notebooks; what the messages say, beside begin and end.
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { AbortError } from "../../errors";
import type { RunMessage, RunRequest } from "./messages";

/** Limits of one run. */
export interface Limits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Characters of the process's own last words (a crash of native code, no memory left) that are kept. */
const LAST_WORDS = 2000;

/** Signals that end this process without a chance for its children. Ctrl-C is the caller's, through the abort signal. */
const ENDINGS = ["SIGTERM", "SIGHUP"] as const;

/**
 * Runs the request in a fresh process and passes its messages on until it ends.
 * @returns null when the process said `end`, else why it ended early.
 * @throws AbortError when the signal aborts.
 */
export async function runChild(
  request: RunRequest,
  { timeoutMs, signal }: Limits,
  take: (message: RunMessage) => void,
): Promise<string | null> {
  if (signal?.aborted) throw new AbortError("The run was cancelled.");
  // Detached: a group of its own, so that what a cell starts can be ended with it.
  const child = fork(join(__dirname, "kernel-process.js"), [], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
  });
  const end = (): void => killGroup(child);
  const endBoth = (name: NodeJS.Signals): void => {
    end();
    process.kill(process.pid, name); // The listener was for once: now the signal does what it does.
  };
  for (const name of ENDINGS) process.once(name, endBoth);
  process.once("exit", end);
  signal?.addEventListener("abort", end);
  try {
    const why = await follow(child, request, timeoutMs, take);
    if (signal?.aborted) throw new AbortError("The run was cancelled.");
    return why;
  } finally {
    end();
    for (const name of ENDINGS) process.removeListener(name, endBoth);
    process.removeListener("exit", end);
    signal?.removeEventListener("abort", end);
  }
}

/** Ends the process and what it started; done twice it does nothing more. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    // The group outlives its leader while a member lives.
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // ESRCH: all of it has ended.
  }
}

function follow(
  child: ChildProcess,
  request: RunRequest,
  timeoutMs: number,
  take: (message: RunMessage) => void,
): Promise<string | null> {
  let running = 0;
  let begun = false;
  let ended = false;
  let late = false;
  let refused: string | null = null;
  let words = "";
  child.stdout!.resume();
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    words = `${words}${text}`.slice(-LAST_WORDS);
  });
  const timer = setTimeout(() => {
    late = true;
    killGroup(child);
  }, timeoutMs);
  child.on("message", (message: RunMessage) => {
    if (message.type === "begin") [running, begun] = [message.index, true];
    if (message.type === "end") ended = true;
    if (message.type === "broken") {
      refused = `${begun ? `the run broke in cell ${running + 1}` : "the kernel did not start"}: ${message.text}`;
    }
    take(message);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, signal) => {
      clearTimeout(timer);
      const how = `the kernel process ended in cell ${running + 1} with ${signal ?? `status ${exitCode}`}`;
      if (ended) resolve(null);
      else if (refused !== null) resolve(refused);
      else if (late) resolve(`cell ${running + 1} was still running after ${timeoutMs / 1000} s`);
      else resolve(words.trim() === "" ? how : `${how}; its last words:\n${words.trim()}`);
    });
    child.send(request, (error) => {
      if (error !== null) words = `${words}\n${error.message}`;
    });
  });
}
