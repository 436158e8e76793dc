// Owns: the reference backend on files: targets, refused bits, cut files, cancel, progress, its turns of the event loop.
// Must not know: acquisitions, why a chunk is refused.
import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { test } from "node:test";
import { BackendError } from "framelab";
import {
  CONTROL_CANCEL,
  CONTROL_CHUNKS_DONE,
  CONTROL_CHUNKS_REFUSED,
  CONTROL_WORDS,
  type Control,
} from "#framelab/backends/backend";
import { readChunk } from "#framelab/backends/read-chunk";
import { referenceBackend } from "#framelab/backends/reference/index";
import { batchFiles, repeated } from "./batch-files";

const { chunkBytes: CHUNK_BYTES, stack, guarded } = batchFiles(100);

function control(): Control {
  return { words: new Int32Array(new SharedArrayBuffer(4 * CONTROL_WORDS)) };
}

test("every chunk lands at its target, nothing else is written, all are counted", async () => {
  const { batch, sources, close } = stack(5);
  const { output, frame, guards } = guarded(5 * CHUNK_BYTES);
  const words = control();
  assert.deepEqual(await referenceBackend().decode(batch, output, words), {
    state: "done",
    refused: null,
    trailing: 0,
  });
  for (const [i, source] of sources.entries()) assert.deepEqual(frame(4 - i), source);
  assert.ok(guards());
  assert.equal(words.words[CONTROL_CHUNKS_DONE], 5);
  assert.equal(words.words[CONTROL_CHUNKS_REFUSED], 0);
  close();
});

test("damaged chunks are refused by their bits, the others are exact", async () => {
  const { batch, sources, close } = stack(15, [2, 13]);
  const { output, frame, guards } = guarded(15 * CHUNK_BYTES);
  const words = control();
  const { state, refused } = await referenceBackend().decode(batch, output, words);
  assert.equal(state, "done");
  assert.deepEqual([...refused!], [0b100, 0b100000]);
  for (const [i, source] of sources.entries()) {
    if (i !== 2 && i !== 13) assert.deepEqual(frame(14 - i), source);
  }
  assert.ok(guards());
  assert.equal(words.words[CONTROL_CHUNKS_DONE], 15);
  assert.equal(words.words[CONTROL_CHUNKS_REFUSED], 2);
  close();
});

test("a file cut since it was opened: the chunks that it no longer holds whole are refused", async () => {
  const { batch, close } = stack(4);
  truncateSync(batch.file, batch.address[3]! + 5);
  const { output } = guarded(4 * CHUNK_BYTES);
  const { refused } = await referenceBackend().decode(batch, output, control());
  assert.deepEqual([...refused!], [0b1000]);
  const last = { ...batch, address: batch.address[3]!, bytes: batch.storedBytes[3]! };
  assert.equal(readChunk(last), null);
  close();
});

test("chunks with bytes behind their data are accepted and counted", async () => {
  const { batch, sources, close } = stack(3);
  // Each chunk but the last takes the next one's first byte with it.
  for (const i of [0, 1]) batch.storedBytes[i]! += 1;
  const { output, frame } = guarded(3 * CHUNK_BYTES);
  const status = await referenceBackend().decode(batch, output, control());
  assert.deepEqual(status, { state: "done", refused: null, trailing: 2 });
  for (const [i, source] of sources.entries()) assert.deepEqual(frame(2 - i), source);
  close();
});

test("an index that points past the end of the file, or nowhere, is refused before anything is allocated", async () => {
  const { batch, close } = stack(4);
  batch.storedBytes[0] = 2 ** 52;
  batch.address[1] = 2 ** 53;
  batch.address[2] = Number.NaN;
  const { output } = guarded(4 * CHUNK_BYTES);
  const { refused } = await referenceBackend().decode(batch, output, control());
  assert.deepEqual([...refused!], [0b111]);
  close();
});

test("a set cancel flag stops before the next chunk", async () => {
  const { batch, close } = stack(3);
  const words = control();
  words.words[CONTROL_CANCEL] = 1;
  const { output, frame } = guarded(3 * CHUNK_BYTES);
  assert.deepEqual(await referenceBackend().decode(batch, output, words), {
    state: "cancelled",
    refused: null,
    trailing: 0,
  });
  assert.ok(frame(2).every((byte) => byte === 0xab));
  assert.equal(words.words[CONTROL_CHUNKS_DONE], 0);
  close();
});

test("the event loop turns while a long batch runs: a cancel set there is honoured", async () => {
  const { batch, close } = stack(1);
  const count = 200_000;
  const long = repeated(batch, count);
  const words = control();
  setImmediate(() => {
    words.words[CONTROL_CANCEL] = 1;
  });
  const { output } = guarded(CHUNK_BYTES);
  const { state } = await referenceBackend().decode(long, output, words);
  assert.equal(state, "cancelled");
  assert.ok(words.words[CONTROL_CHUNKS_DONE]! > 0);
  assert.ok(words.words[CONTROL_CHUNKS_DONE]! < count);
  close();
});

test("a target outside the output is an error, not a write", async () => {
  const { batch, close } = stack(2);
  const { output, guards } = guarded(2 * CHUNK_BYTES - 1);
  await assert.rejects(referenceBackend().decode(batch, output, control()), BackendError);
  assert.ok(guards());
  close();
});

test("a read that the system refuses is a BackendError with file and offset", () => {
  const { batch, close } = stack(1);
  close();
  const chunk = { fd: batch.fd, file: batch.file, fileBytes: batch.fileBytes, address: 7, bytes: 10 };
  assert.throws(
    () => readChunk(chunk),
    (error) =>
      error instanceof BackendError && error.place === batch.file && /offset 7/.test(error.expected!),
  );
});
