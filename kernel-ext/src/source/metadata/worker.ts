// Owns: the thread that h5wasm runs in: its memory limit, its silence, and one request after the other.
// Must not know: who asks and why. It opens files read-only, one at a time, and writes nothing.
import fs from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import type { H5Module } from "./h5";
import type { AnswerTo, Query, Reply, Request } from "./protocol";
import { FileReader } from "./reader";

/** Longest piece of HDF5's error stack that is kept. */
const MAX_DIAGNOSTICS = 4096;

let diagnostics = "";

/**
 * Emscripten's raw file system writes HDF5's error stack to file descriptor 2 of the process, past the worker's own
 * stderr. All writes of this thread end here: the words are kept for error messages, files are never written.
 */
function refuseWrites(): void {
  const swallow = (fd: number, data: unknown, offset?: number, length?: number): number => {
    if (fd > 2) throw Object.assign(new Error("read-only"), { code: "EROFS", errno: -30 });
    const bytes = Buffer.from(data as Uint8Array).subarray(offset ?? 0);
    const text = bytes.subarray(0, length ?? bytes.length);
    if (diagnostics.length < MAX_DIAGNOSTICS) diagnostics += text.toString("utf8");
    return text.length;
  };
  fs.writeSync = swallow as typeof fs.writeSync;
  console.log = () => {};
  console.error = (...words: unknown[]) => {
    if (diagnostics.length < MAX_DIAGNOSTICS) diagnostics += `${words.join(" ")}\n`;
  };
  console.warn = console.error;
}

/** The part of the WebAssembly namespace that TypeScript's ES2022 library does not declare. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: {
    Memory: { prototype: { readonly buffer: ArrayBuffer; grow(pages: number): number } };
    RuntimeError: new (message?: string) => Error;
  };
};

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
  return causes.at(-1)?.[1] ?? stack.split("\n", 1)[0] ?? "unknown error";
}

function answerAll(h5: H5Module, { id, file, queries }: Request): Reply {
  diagnostics = "";
  h5.deactivate_throwing_error_handler();
  const handle = h5.open(file, 0, false, -1, -1);
  if (handle < 0n) return { kind: "unreadable", id, why: lowestCause(diagnostics) };
  h5.activate_throwing_error_handler();
  const reader = new FileReader(h5, handle);
  const answers: AnswerTo<Query>[] = [];
  for (const query of queries) {
    try {
      answers.push({ ok: reader.answer(query) } as AnswerTo<Query>);
    } catch (error) {
      if (error instanceof wasm.RuntimeError) return { kind: "trap", id, why: error.message };
      answers.push({ failed: lowestCause(String((error as Error | undefined)?.message ?? error)) });
      return { kind: "answers", id, answers, spent: true };
    }
  }
  h5.deactivate_throwing_error_handler();
  const spent = h5.close_file(handle) < 0;
  return { kind: "answers", id, answers, spent };
}

async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  refuseWrites();
  limitMemory((workerData as { maxBytes: number }).maxBytes);
  const { ready } = (await import("h5wasm/node")) as unknown as { ready: Promise<H5Module> };
  const h5 = await ready;
  port.on("message", (request: Request) => {
    let reply: Reply;
    try {
      reply = answerAll(h5, request);
    } catch (error) {
      reply = { kind: "trap", id: request.id, why: String((error as Error | undefined)?.message ?? error) };
    }
    port.postMessage(reply);
  });
  port.postMessage({ kind: "ready" } satisfies Reply);
}

void main();
