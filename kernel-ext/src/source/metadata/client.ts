// Owns: the one metadata worker of the process: start, order, deadline, cancel, replacement after a fault.
// Must not know: what is asked, what an acquisition is, h5wasm itself.
import path from "node:path";
import { Worker } from "node:worker_threads";
import { AbortError, BackendError, NotHdf5Error, UnsupportedLayoutError } from "../../errors";
import { gone } from "../open-file";
import type { AnswerTo, CompiledModule, Query, Reply, Request, WorkerStart } from "./protocol";

/** Time that one file's questions may take, in milliseconds. A healthy file takes one or two. */
export const DEFAULT_DEADLINE_MS = 20_000;
/**
 * Requests that the worker has at once: it goes from one to the next without waiting for a message. A request takes it
 * about as long as a message takes to arrive, or less.
 */
const REQUESTS_AHEAD = 4;
/** Time that a worker may take to start: 0.2 s on an idle machine. */
const START_DEADLINE_MS = 60_000;
/** WebAssembly memory of the worker: 19 MB at rest, and room for the largest pixel mask (see pixel-mask.ts). */
const MAX_WASM_BYTES = 384 * 2 ** 20;
/** JavaScript heap of the worker in MiB: lists of link names and copies of small values. */
const MAX_HEAP_MIB = 256;

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
}

interface Job {
  readonly request: Request;
  readonly deadlineMs: number;
  /** Nobody waits for its reply any more. */
  abandoned: boolean;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

let worker: Worker | null = null;
let workerIsReady = false;
let compiled: CompiledModule | null = null;
/** Not with the worker yet. */
const waiting: Job[] = [];
/** With the worker, which answers in this order: the first is what it works on. */
const sent: Job[] = [];
/** Deadline of the first of `sent`. */
let deadline: NodeJS.Timeout | undefined;

/**
 * Puts questions to one HDF5 file; the answers come in the order of the queries. Requests of all callers run one after
 * the other, in the order in which they were made. Where HDF5 traps on one question, the others are put again to a fresh
 * worker.
 *
 * @throws NotHdf5Error when HDF5 cannot open the file; UnsupportedLayoutError when opening it traps, or its metadata takes
 * longer than the deadline or more memory than the limit; AbortError when `signal` fires; BackendError when no worker
 * can be started.
 */
export async function askFile<const Q extends readonly Query[]>(
  file: string,
  queries: Q,
  options: AskOptions = {},
): Promise<{ [I in keyof Q]: AnswerTo<Q[I]> }> {
  const answers: AnswerTo<Query>[] = [];
  while (answers.length < queries.length) {
    const reply = await enqueue({ file, queries: queries.slice(answers.length) }, options);
    if (reply.kind === "gone") throw gone(file, reply.why);
    if (reply.kind === "unreadable") {
      throw new NotHdf5Error(
        `${file} has an HDF5 signature, but the HDF5 library cannot open it: ${reply.why}.`,
        {
          place: file,
          got: reply.why,
          todo: "The file is damaged or still being written: copy it again from its source.",
        },
      );
    }
    if (reply.kind === "trap") throw unreadable(file, `the HDF5 library stopped (${reply.why})`);
    if (reply.kind === "answers") answers.push(...reply.answers);
  }
  return answers as { [I in keyof Q]: AnswerTo<Q[I]> };
}

function enqueue(request: Request, options: AskOptions): Promise<Reply> {
  const { signal, deadlineMs = DEFAULT_DEADLINE_MS } = options;
  return new Promise<Reply>((resolve, reject) => {
    if (signal?.aborted) {
      reject(new AbortError());
      return;
    }
    const settle = (): void => signal?.removeEventListener("abort", onAbort);
    const job: Job = {
      request,
      deadlineMs,
      abandoned: false,
      resolve: (reply) => {
        settle();
        resolve(reply);
      },
      reject: (error) => {
        settle();
        reject(error);
      },
    };
    // What the worker has goes on until it ends or its deadline passes; nobody waits for it any more.
    const onAbort = (): void => {
      job.abandoned = true;
      const place = waiting.indexOf(job);
      if (place >= 0) waiting.splice(place, 1);
      job.reject(new AbortError());
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    waiting.push(job);
    next();
  });
}

/** Hands what waits to the worker, as far as it may have it, starting one where there is none. */
function next(): void {
  if (waiting.length + sent.length === 0) {
    // An idle worker must not keep Node alive.
    worker?.unref();
    return;
  }
  if (worker === null) {
    start();
    return;
  }
  worker.ref();
  if (!workerIsReady) return;
  while (sent.length < REQUESTS_AHEAD && waiting.length > 0) {
    const job = waiting.shift()!;
    sent.push(job);
    worker.postMessage(job.request satisfies Request);
    if (sent.length === 1) startDeadline(job);
  }
}

/** The worker takes up `job` now. */
function startDeadline(job: Job): void {
  deadline = afterMessages(job.deadlineMs, () => {
    if (sent[0] === job) fault(`reading its metadata took longer than ${job.deadlineMs / 1000} s`);
  });
}

/** Where this thread was busy until after the time, what the worker sent meanwhile is received before `act`. */
function afterMessages(ms: number, act: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(act), ms);
}

function start(): void {
  const started = new Worker(path.join(__dirname, "worker.js"), {
    workerData: { maxBytes: MAX_WASM_BYTES, compiled } satisfies WorkerStart,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB, maxYoungGenerationSizeMb: 32 },
    execArgv: [],
  });
  worker = started;
  workerIsReady = false;
  const startTimer = afterMessages(START_DEADLINE_MS, () => {
    if (worker === started && !workerIsReady) {
      failToStart(`it was not ready after ${START_DEADLINE_MS / 1000} s`);
    }
  });
  started.on("message", (reply: Reply) => {
    if (worker !== started) return;
    if (reply.kind === "ready") {
      clearTimeout(startTimer);
      workerIsReady = true;
      compiled = reply.compiled;
      next();
    } else {
      receive(reply);
    }
  });
  let cause: string | null = null;
  started.on("error", (error: Error) => {
    cause = `the metadata reader stopped (${error.message})`;
  });
  // Only here, not at an error, every reply that it sent has arrived: the first without one is what it ended on.
  started.on("exit", (code) => {
    clearTimeout(startTimer);
    if (worker !== started) return;
    const why = cause ?? `the metadata reader ended with code ${code}`;
    if (workerIsReady) fault(why);
    else failToStart(why);
  });
}

function receive(reply: Exclude<Reply, { kind: "ready" }>): void {
  clearTimeout(deadline);
  sent.shift()?.resolve(reply);
  if (reply.kind === "trap" || (reply.kind === "answers" && reply.spent)) {
    replace();
    return;
  }
  const [job] = sent;
  if (job !== undefined) startDeadline(job);
  next();
}

/** The file that the worker works on costs its request, and the worker. */
function fault(why: string): void {
  const job = sent.shift();
  job?.reject(unreadable(job.request.file, why));
  replace();
}

/** Ends the worker; a new one gets what this one had not taken up. */
function replace(): void {
  clearTimeout(deadline);
  const old = worker;
  worker = null;
  workerIsReady = false;
  void old?.terminate();
  waiting.unshift(...sent.splice(0).filter((job) => !job.abandoned));
  next();
}

/** Without a worker nothing can be read: everybody who waits learns why. */
function failToStart(why: string): void {
  const jobs = waiting.splice(0);
  replace();
  for (const job of jobs) {
    job.reject(
      new BackendError(
        `FrameLab's HDF5 metadata reader (a worker thread with h5wasm) did not start: ${why}.`,
        {
          place: job.request.file,
          got: why,
          todo: "Install the package again (npm ci) and check that h5wasm is there.",
        },
      ),
    );
  }
}

/** The error for metadata of a file that HDF5 gave up on. */
export function unreadable(file: string, why: string): UnsupportedLayoutError {
  return new UnsupportedLayoutError(`The HDF5 metadata of ${file} cannot be read: ${why}.`, {
    place: file,
    got: why,
    todo: "The file is most likely damaged: copy it again from its source.",
  });
}
