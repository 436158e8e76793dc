// Owns: files that a thread cannot open as usual: it waits for ever, or a while, ends, or meets a pipe; and how often each was opened.
// Must not know: what the thread asks of a file, in which order, what happens to it afterwards.
import { readFileSync, writeFileSync } from "node:fs";
import * as threads from "node:worker_threads";

export type Trouble = "hangs" | "ends" | "slow" | "pipe";

/** How long opening a slow file takes for the first time, in milliseconds. */
export const SLOW_MS = 2000;

/**
 * From now on every thread that opens `file` gets into this trouble: a stalled network share, a killed reader, a pipe that
 * takes the file's place after it was opened once.
 */
export function trouble(file: string, kind: Trouble): void {
  writeFileSync(`${file}.${kind}`, "");
}

/** How often threads opened a file. */
export function timesOpened(file: string): number {
  try {
    return readFileSync(`${file}.opened`).length;
  } catch {
    return 0;
  }
}

/** Runs in a thread before its own program: the file system as the tests want it. */
const TROUBLED_FILES = `
  const fs = require("fs");
  const { openSync, writeSync, closeSync, existsSync, unlinkSync } = fs;
  const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  fs.openSync = (file, ...rest) => {
    if (String(file).endsWith(".h5")) {
      const isFirst = !existsSync(file + ".opened");
      const log = openSync(file + ".opened", "a");
      writeSync(log, ".");
      closeSync(log);
      if (existsSync(file + ".hangs")) wait(Infinity);
      if (isFirst && existsSync(file + ".slow")) wait(${SLOW_MS});
      if (existsSync(file + ".ends")) process.exit(3);
      if (!isFirst && existsSync(file + ".pipe") && fs.statSync(file).isFile()) {
        unlinkSync(file);
        require("child_process").execFileSync("mkfifo", [file]);
      }
    }
    return openSync(file, ...rest);
  };
`;

/** Threads that start from now on meet troubled files. */
export function meetTroubledFiles(): void {
  const exported = require("node:worker_threads") as { Worker: typeof threads.Worker };
  exported.Worker = class extends threads.Worker {
    constructor(program: string | URL, options?: threads.WorkerOptions) {
      super(`${TROUBLED_FILES}\nrequire(${JSON.stringify(String(program))});`, { ...options, eval: true });
    }
  };
}
