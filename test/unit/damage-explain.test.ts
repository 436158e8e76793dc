// Owns: report entries of a refused chunk: frames, scan, file offsets, and bytes where the reference finds no damage.
// Must not know: who refused the chunk.
import assert from "node:assert/strict";
import { test } from "node:test";
import { explainChunk } from "#framelab/damage/explain";
import { chunkPlaces } from "../fixtures/bitshuffle-encoder";
import { TINY_PROGRAM, tinyChunk } from "../golden-errors/chunks";

const PLACE = {
  file: "/data/run_data_000001.h5",
  dataset: "/entry/data/data",
  fileBytes: 10_000,
  address: 5000,
  bytes: 100,
  frames: [{ frame: 37, scan: { row: 2, col: 5 } }],
};
const ZERO_OFFSET = Uint8Array.of(0x10, 7, 0, 0);

test("one entry a damaged block, with absolute offsets", () => {
  const chunk = tinyChunk({ 0: ZERO_OFFSET, 2: Uint8Array.of(0x10, 7) });
  const { blocks } = chunkPlaces(chunk, 1);
  const { damaged, decoded } = explainChunk(TINY_PROGRAM, chunk, 0, PLACE);
  const common = { frame: 37, scan: { row: 2, col: 5 }, file: PLACE.file, dataset: PLACE.dataset };
  assert.deepEqual(damaged, [
    {
      ...common,
      offset: 5000 + blocks[0]!.lengthAt,
      block: 0,
      reason: "offset-zero",
      detail: "at byte 0 of the block's 4 stored bytes: a match offset of 0",
    },
    {
      ...common,
      offset: 5000 + blocks[2]!.lengthAt,
      block: 2,
      reason: "wrong-size",
      detail: "at byte 2 of the block's 2 stored bytes: 1 bytes decoded, the block has 64",
    },
  ]);
  assert.equal(decoded, null);
});

test("further frames of a damaged chunk have one entry each", () => {
  const chunk = tinyChunk({ 0: ZERO_OFFSET, 1: ZERO_OFFSET });
  const frames = [8, 9, 10].map((frame) => ({ frame, scan: null }));
  const { damaged } = explainChunk(TINY_PROGRAM, chunk, 0, { ...PLACE, frames });
  assert.deepEqual(
    damaged.map(({ frame, block }) => [frame, block]),
    [
      [8, 0],
      [8, 1],
      [9, 0],
      [10, 0],
    ],
  );
});

test("a chunk that the file does not hold", () => {
  const { damaged } = explainChunk(TINY_PROGRAM, null, 0, { ...PLACE, address: 9950 });
  assert.equal(damaged.length, 1);
  assert.equal(damaged[0]!.reason, "chunk-past-file");
  assert.equal(damaged[0]!.block, null);
  assert.equal(damaged[0]!.offset, 9950);
  assert.match(damaged[0]!.detail, /100 bytes at offset 9950, the file had 10000 bytes/);
});

test("an intact chunk comes back decoded, with its notes", () => {
  const intact = tinyChunk();
  const { damaged, decoded, notes } = explainChunk(TINY_PROGRAM, Uint8Array.from([...intact, 1]), 0, PLACE);
  assert.deepEqual(damaged, []);
  // The tiny chunk's elements are (7 i) mod 5.
  assert.deepEqual(
    decoded,
    Uint8Array.from({ length: 195 }, (_, i) => (i * 7) % 5),
  );
  assert.equal(notes[0]!.code, "trailing-bytes");
});
