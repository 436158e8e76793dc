// Owns: batches of two data files in work at once: findings, errors and dropped backends are as if one came after the other.
// Must not know: how a backend decodes.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Backend } from "#framelab/backends/backend";
import { referenceBackend } from "#framelab/backends/reference/index";
import { BackendError } from "#framelab/errors";
import { checkLoadOptions } from "#framelab/options";
import { prepare } from "#framelab/run/prepare";
import { openSession } from "#framelab/run/session";
import { openTask } from "#framelab/run/task";
import { decodeWindow } from "#framelab/run/window";
import { writeAcquisition } from "../fixtures/acquisition";
import { encodeChunk } from "../fixtures/bitshuffle-encoder";
import { scratchFolder } from "./harness";

const folder = scratchFolder();
const [SIDE, PER_FILE, FILES] = [16, 2, 4];
const PIXELS = SIDE * SIDE;
const options = (path: string) =>
  checkLoadOptions(path, { progress: false, scanShape: null, onDamage: "mask" });

/** Every pixel of frame i is i + 1. */
const frame = (i: number): Uint8Array => new Uint8Array(PIXELS).fill(i + 1);

/** An acquisition of 4 files of 2 frames; the chunks of `damaged` frames are cut. */
function acquisition(name: string, damaged: readonly number[]): string {
  const { path } = writeAcquisition(folder, {
    ...{ name, count: PER_FILE * FILES, height: SIDE, width: SIDE, dtype: "u8" },
    filesOf: new Array<number>(FILES).fill(PER_FILE),
    frames: frame,
    store: (i: number) => encodeChunk(frame(i), 1, 0).slice(0, damaged.includes(i) ? -1 : undefined),
  });
  return path;
}

/** The reference, given batches ahead: batch i ends only after batch i + 1 was handed over and has ended. */
function eager(answer: (file: string) => "as is" | "refuse all" | Error) {
  const log = { most: 0, running: 0, files: [] as string[] };
  const ends: Promise<unknown>[] = [];
  const { decode, ...reference } = referenceBackend();
  const backend: Backend = {
    ...reference,
    takesAhead: true,
    async decode(batch, output, control) {
      const i = log.files.push(batch.file) - 1;
      log.running += 1;
      log.most = Math.max(log.most, log.running);
      const decoded = decode(batch, output, control);
      ends.push(decoded);
      // Room for the next batch: its files are opened and its jobs made without a turn of the event loop.
      for (let turn = 0; turn < 20; turn++) await new Promise((resume) => setImmediate(resume));
      await Promise.allSettled(ends.slice(i));
      log.running -= 1;
      const wanted = answer(batch.file);
      if (wanted instanceof Error) throw wanted;
      const status = await decoded;
      return wanted === "as is" ? status : { ...status, refused: new Uint8Array([0b11]) };
    },
  };
  return { backend, log };
}

async function decodeWith(path: string, candidates: readonly Backend[]) {
  const task = openTask("load", path, options(path), () => () => {});
  try {
    const prepared = await prepare(path, options(path), task.cancel, task.clock);
    const session = openSession(prepared, options(path), task.cancel, task.ticker, task.clock);
    const bytes = prepared.count * prepared.frameBytes;
    const output = { buffer: new ArrayBuffer(bytes), start: 0, bytes };
    const run = { ...session.run, choice: { candidates: [...candidates], why: "", tried: [] } };
    const valid = await decodeWindow(run, prepared, { from: 0, to: prepared.count }, output);
    const { damaged, suspect, notes } = run.outcome;
    return { damaged, suspect, notes, valid, bytes: Buffer.from(output.buffer), backend: run.backend };
  } finally {
    task.done("");
  }
}

const first = (file: string): boolean => file.includes("_000001");

test("two batches are in work at once, never three; damage is in the order of the frames", async () => {
  const path = acquisition("damage", [1, 2, 5]);
  const { backend, log } = eager(() => "as is");
  const ahead = await decodeWith(path, [backend]);
  assert.equal(log.most, 2);
  assert.deepEqual(
    ahead.damaged.map((block) => block.frame),
    [1, 2, 5],
  );
  assert.deepEqual([...ahead.valid], [1, 0, 0, 1, 1, 0, 1, 1]);
  const expected = [1, 0, 0, 4, 5, 0, 7, 8].map((value) => Buffer.alloc(PIXELS, value));
  assert.deepEqual(ahead.bytes, Buffer.concat(expected));
});

test("a backend that is dropped after one file is not believed in the next", async () => {
  const path = acquisition("suspect", []);
  const { backend, log } = eager(() => "refuse all");
  const dropped = await decodeWith(path, [backend, referenceBackend()]);
  assert.equal(log.files.length, 2); // the second was handed over before the first was judged
  assert.deepEqual(
    dropped.suspect.map((entry) => entry.frame),
    [0, 1],
  );
  assert.deepEqual([dropped.backend, dropped.notes.length], [1, 1]);
  assert.deepEqual(
    dropped.bytes,
    Buffer.concat(Array.from({ length: PER_FILE * FILES }, (_, i) => frame(i))),
  );
});

test("a backend that breaks down on one file is dropped once, and every frame is decoded", async () => {
  const path = acquisition("broken", []);
  const { backend } = eager(() => new BackendError("It broke.", { place: "here" }));
  const dropped = await decodeWith(path, [backend, referenceBackend()]);
  assert.deepEqual([dropped.backend, dropped.notes.length, dropped.suspect.length], [1, 1, 0]);
  assert.deepEqual([...dropped.valid], new Array(PER_FILE * FILES).fill(1));
});

test("an error waits for the batch that still runs, and is the first file's", async () => {
  const path = acquisition("failing", []);
  const { backend, log } = eager((file) => new Error(first(file) ? "of the first" : "of another"));
  await assert.rejects(decodeWith(path, [backend]), /of the first/);
  assert.deepEqual([log.running, log.files.length], [0, 2]);
});
