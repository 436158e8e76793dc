// Owns: the thread that h5wasm runs in: its memory limit, its silence, and one request after the other.
// Must not know: who asks and why. It opens files read-only, one at a time, and writes nothing.
import fs from "node:fs";
import { devNull } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { FrameLabError } from "../../errors";
import { virtualExtent } from "../hdf5/virtual-dataset";
import { openAgain, READ_AT_ONCE } from "../open-file";
import type { H5Module } from "./h5";
import type { AnswerTo, CompiledModule, Query, Reply, Request, WorkerStart } from "./protocol";
import { FileReader, type VirtualProbe } from "./reader";

/** Longest piece of HDF5's error stack that is kept; a stack through 30 functions is about 6,000 characters. */
const MAX_DIAGNOSTICS = 16_384;

/**
 * Absent attributes after which an instance is spent. h5wasm reports each with an exception through its WebAssembly
 * frames, which keeps 144 bytes of the 2.5 MB stack for ever.
 */
const MAX_ABSENT_ATTRIBUTES = 4000;

/** Modes of H5Fopen: read-only, and the same of a file that a writer has open for single-writer-multiple-readers. */
const READ_ONLY = 0;
const SWMR_READ = 0x40;
/** What HDF5 says of a file whose writer has it open, or died. */
const BEING_WRITTEN = "file is already open for";

let diagnostics = "";
let absentAttributes = 0;

/**
 * Emscripten's raw file system writes HDF5's error stack to file descriptor 2 of the process, past the worker's own
 * stderr, or, with the throwing handler, through a temporary file. All writes of this thread end here: the words are
 * kept for error messages, and no file is ever created, written or removed. A file that became a pipe since it was
 * looked at is opened without waiting: a thread that waits for its writer cannot be ended, and keeps the process alive.
 */
function refuseWrites(): void {
  const keep = (text: string): void => {
    if (diagnostics.length < MAX_DIAGNOSTICS) diagnostics += text;
  };
  const { openSync, constants } = fs;
  const writing = constants.O_WRONLY | constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC;
  fs.openSync = (file, flags, mode) =>
    typeof flags === "number" && (flags & writing) !== 0
      ? openSync(devNull, "r")
      : openSync(file, typeof flags === "number" ? flags | READ_AT_ONCE : flags, mode);
  fs.unlinkSync = () => {};
  const swallow = (_fd: number, data: Uint8Array, offset = 0, length = data.byteLength - offset): number => {
    keep(Buffer.from(data.subarray(offset, offset + length)).toString("utf8"));
    return length;
  };
  fs.writeSync = swallow as unknown as typeof fs.writeSync;
  console.log = () => {};
  console.warn = console.error = (...words: unknown[]) => keep(`${words.join(" ")}\n`);
}

/** The part of the WebAssembly namespace that TypeScript's ES2022 library does not declare. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: {
    Memory: { prototype: { readonly buffer: ArrayBuffer; grow(pages: number): number } };
    RuntimeError: new (message?: string) => Error;
    compile(bytes: Uint8Array): Promise<CompiledModule>;
    instantiate(source: unknown, imports: object): Promise<unknown>;
  };
};

/** Two fifths of a start are h5wasm's compilation: a worker that replaces another is handed the compiled module. */
function shareCompiled(known: CompiledModule | null): () => CompiledModule | null {
  let compiled = known;
  const { instantiate } = wasm;
  wasm.instantiate = async (source, imports) => {
    compiled ??= await wasm.compile(source as Uint8Array);
    return { module: compiled, instance: await instantiate(compiled, imports) };
  };
  return () => compiled;
}

/** A thread's `resourceLimits` do not count WebAssembly memory: growth past the limit fails as a full memory does. */
function limitMemory(maxBytes: number): void {
  const memory = wasm.Memory.prototype;
  const grow = memory.grow;
  memory.grow = function (pages: number): number {
    if (this.buffer.byteLength + pages * 65536 > maxBytes)
      throw new RangeError("memory limit of the metadata reader");
    return grow.call(this, pages);
  };
}

/** The first line of HDF5's stack that says what went wrong at the lowest level: its last numbered one. */
function lowestCause(stack: string): string {
  const causes = [...stack.matchAll(/#\d+: \S+ line \d+ in \w+\(\): (.+)/g)];
  return causes.at(-1)?.[1] ?? stack.trim().split("\n", 1)[0]!;
}

/**
 * Answers in the order of the queries. After an exception out of HDF5 the instance answers the rest of this request
 * (HDF5 has unwound, its handles have not) and is spent. After a trap it answers nothing more: the answers end with
 * the query that trapped, and the client puts the others to a fresh worker.
 */
function answerAll(h5: H5Module, { file, queries }: Request): Reply {
  diagnostics = "";
  let probe: ReturnType<typeof openProbe>;
  try {
    // First: HDF5 would wait for the writer of a pipe.
    probe = openProbe(file);
  } catch (error) {
    return { kind: "gone", why: error instanceof FrameLabError ? (error.got ?? "") : messageOf(error) };
  }
  h5.deactivate_throwing_error_handler();
  let handle = h5.open(file, READ_ONLY, false, -1, -1);
  if (handle < 0n && diagnostics.includes(BEING_WRITTEN)) handle = h5.open(file, SWMR_READ, false, -1, -1);
  if (handle < 0n) {
    probe.close();
    return { kind: "unreadable", why: lowestCause(diagnostics) };
  }
  h5.activate_throwing_error_handler();
  const reader = new FileReader(h5, handle, probe.extent);
  const answers: AnswerTo<Query>[] = [];
  let spent = false;
  for (const query of queries) {
    diagnostics = "";
    try {
      answers.push({ ok: reader.answer(query) } as AnswerTo<Query>);
    } catch (error) {
      spent = true;
      answers.push({ failed: lowestCause(diagnostics || messageOf(error)) });
      if (error instanceof wasm.RuntimeError) break;
    }
  }
  probe.close();
  absentAttributes += reader.absentAttributes;
  if (!spent) {
    h5.deactivate_throwing_error_handler();
    spent = h5.close_file(handle) < 0 || absentAttributes > MAX_ABSENT_ATTRIBUTES;
  }
  return { kind: "answers", answers, spent };
}

/** Looks at object headers of a file by FrameLab's own reader. A header that it cannot read is left to HDF5. */
function openProbe(file: string): { readonly extent: VirtualProbe; close(): void } {
  const { fd, bytes: size } = openAgain(file);
  const extent: VirtualProbe = (headerAddress) => {
    try {
      return virtualExtent(fd, size, headerAddress, file);
    } catch (error) {
      if (error instanceof FrameLabError) return null;
      throw error;
    }
  };
  return { extent, close: () => fs.closeSync(fd) };
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : String(error);
}

async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  // h5wasm says that an attribute is absent by an exception, and its stack through WebAssembly costs as much as the search.
  Error.stackTraceLimit = 0;
  const { maxBytes, compiled } = workerData as WorkerStart;
  refuseWrites();
  limitMemory(maxBytes);
  const compiledNow = shareCompiled(compiled);
  const { ready } = (await import("h5wasm/node")) as unknown as { ready: Promise<H5Module> };
  const h5 = await ready;
  let spent = false;
  port.on("message", (request: Request) => {
    // What follows is put to the next worker.
    if (spent) return;
    let reply: Reply;
    try {
      reply = answerAll(h5, request);
    } catch (error) {
      reply = { kind: "trap", why: messageOf(error) };
    }
    spent = reply.kind === "trap" || (reply.kind === "answers" && reply.spent);
    port.postMessage(reply);
  });
  port.postMessage({ kind: "ready", compiled: compiledNow() } satisfies Reply);
}

void main();
