// Owns: each framing code from a tiny chunk: exact reason, block, place and words; nothing is decoded from beyond it.
// Must not know: how the framing is walked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chunkPlaces, joinBytes } from "../fixtures/bitshuffle-encoder";
import { bitshuffleProgram, judge, lz4Program, TINY_PROGRAM, tinyChunk, verdictOf } from "./chunks";

const intact = tinyChunk();
const places = chunkPlaces(intact, 1);

/** The tiny chunk with a big-endian number written over some of its bytes. */
function withU32(at: number, value: number): Uint8Array {
  const chunk = intact.slice();
  new DataView(chunk.buffer).setUint32(at, value);
  return chunk;
}

function withDecodedSize(value: bigint): Uint8Array {
  const chunk = intact.slice();
  new DataView(chunk.buffer).setBigUint64(0, value);
  return chunk;
}

test("the tiny chunk itself is exact", () => {
  assert.deepEqual(judge(TINY_PROGRAM, intact).damage, []);
});

test("chunk-too-short: every length below the header's", () => {
  for (let bytes = 0; bytes < 12; bytes++) {
    const { damage } = judge(TINY_PROGRAM, intact.subarray(0, bytes));
    const detail = `the chunk has ${bytes} stored bytes, its header alone needs 12`;
    assert.deepEqual(damage, [{ block: null, reason: "chunk-too-short", detail, at: 0 }]);
  }
});

test("decoded-size-mismatch: one off, 0, 2^50, 2^64 - 1", () => {
  for (const said of [194n, 196n, 0n, 2n ** 50n, 2n ** 64n - 1n]) {
    const { damage } = judge(TINY_PROGRAM, withDecodedSize(said));
    const detail = `the header says ${said} decoded bytes, the dataset's chunk has 195`;
    assert.deepEqual(damage, [{ block: null, reason: "decoded-size-mismatch", detail, at: 0 }]);
  }
});

test("block-size-invalid: not a multiple of 8 elements, or absurd", () => {
  for (const said of [1, 7, 63, 65, 0x7e000008, 0xfffffff8]) {
    const { damage } = judge(TINY_PROGRAM, withU32(8, said));
    const detail = `the header says blocks of ${said} bytes; it must be a multiple of 8, at most ${0x7e000000}`;
    assert.deepEqual(damage, [{ block: null, reason: "block-size-invalid", detail, at: 0 }]);
  }
  const u16 = judge(bitshuffleProgram("u16", 100, 8), joinBytes([header(200, 24), new Uint8Array(100)]));
  assert.deepEqual(verdictOf(u16.damage), [[null, "block-size-invalid", 0]]);
});

test("a block larger than the chunk is no fault: one short block holds all", () => {
  const program = bitshuffleProgram("u8", 8);
  const stored = joinBytes([
    header(8, 0x7e000000),
    lengthBytes(9),
    Uint8Array.of(0x80, 0, 0, 0, 0, 0, 0, 0, 0),
  ]);
  assert.deepEqual(judge(program, stored).damage, []);
});

for (const block of [0, 1, 2]) {
  const { lengthAt, bytes } = places.blocks[block]!;
  const left = intact.length - lengthAt - 4;
  const later = ["; 2 later blocks cannot be located", "; 1 later block cannot be located", ""][block]!;

  test(`block-length-past-chunk in block ${block}: 2^32 - 1, 2^31 - 1 (crashes the C filter), one more than is left`, () => {
    for (const said of [0xffffffff, 0x7fffffff, left + 1, left + 10]) {
      const detail = `the block declares ${said} stored bytes, ${left} are left in the chunk${later}`;
      const expected = [{ block, reason: "block-length-past-chunk", detail, at: lengthAt }];
      assert.deepEqual(judge(TINY_PROGRAM, withU32(lengthAt, said)).damage, expected);
    }
  });

  test(`block-length-past-chunk: the chunk ends inside the length of block ${block}`, () => {
    for (let kept = 0; kept < 4; kept++) {
      const detail = `the block's length needs 4 bytes, ${kept} are left in the chunk${later}`;
      const expected = [{ block, reason: "block-length-past-chunk", detail, at: lengthAt }];
      assert.deepEqual(judge(TINY_PROGRAM, intact.subarray(0, lengthAt + kept)).damage, expected);
    }
  });

  test(`block-length-impossible in block ${block}: 64 bytes take at most 80, 81 are declared and there`, () => {
    const chunk = joinBytes([intact.subarray(0, lengthAt + 4 + bytes), new Uint8Array(200)]);
    new DataView(chunk.buffer).setUint32(lengthAt, 81);
    const detail = `the block declares 81 stored bytes, 64 decoded bytes take at most 80${later}`;
    const expected = [{ block, reason: "block-length-impossible", detail, at: lengthAt }];
    assert.deepEqual(judge(TINY_PROGRAM, chunk).damage, expected);
  });
}

test("a chunk cut right behind its header (crashes the C filter)", () => {
  const expected = [[0, "block-length-past-chunk", 12]];
  assert.deepEqual(verdictOf(judge(TINY_PROGRAM, intact.subarray(0, 12)).damage), expected);
});

test("tail-truncated: raw elements cut, beside a damaged block", () => {
  for (const missing of [1, 2, 3]) {
    const { damage } = judge(TINY_PROGRAM, intact.subarray(0, intact.length - missing));
    const detail = `3 raw bytes end the chunk, ${3 - missing} are stored`;
    assert.deepEqual(damage, [{ block: null, reason: "tail-truncated", detail, at: places.tailAt }]);
  }
  const both = tinyChunk({ 1: Uint8Array.of(0x10, 7, 0, 0) });
  const { blocks, tailAt } = chunkPlaces(both, 1);
  assert.deepEqual(verdictOf(judge(TINY_PROGRAM, both.subarray(0, both.length - 1)).damage), [
    [1, "offset-zero", blocks[1]!.lengthAt],
    [null, "tail-truncated", tailAt],
  ]);
});

test("a chunk of fewer than 8 elements is header and raw bytes alone", () => {
  const program = bitshuffleProgram("u16", 3);
  const stored = joinBytes([header(6, 8192), Uint8Array.of(1, 2, 3, 4, 5, 6)]);
  const { damage, out } = judge(program, stored);
  assert.deepEqual(damage, []);
  assert.deepEqual([...out], [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(verdictOf(judge(program, stored.subarray(0, 17)).damage), [[null, "tail-truncated", 12]]);
});

test("trailing bytes are accepted, exact, and noted", () => {
  const plain = judge(TINY_PROGRAM, intact);
  const { damage, notes, out } = judge(TINY_PROGRAM, joinBytes([intact, new Uint8Array(5).fill(0xee)]));
  assert.deepEqual(damage, []);
  assert.deepEqual(out, plain.out);
  const text = "5 bytes follow the end of the chunk's data; they are not used.";
  assert.deepEqual(notes, [{ code: "trailing-bytes", text }]);
  assert.deepEqual(plain.notes, []);
});

test("a chunk cut in front of a valid neighbour never borrows from it", () => {
  const pair = joinBytes([intact, intact]);
  for (let stored = 12; stored < intact.length; stored++) {
    const { damage } = judge(TINY_PROGRAM, pair.subarray(0, stored));
    const cut = places.blocks.findIndex(({ offset, bytes }) => stored < offset + bytes);
    const expected =
      cut === -1
        ? [[null, "tail-truncated", places.tailAt]]
        : [[cut, "block-length-past-chunk", places.blocks[cut]!.lengthAt]];
    assert.deepEqual(verdictOf(damage), expected, `${stored} of ${intact.length} bytes`);
  }
});

test("filter 32004: block size 0 and impossible lengths are refused, a block in its own size is raw", () => {
  const program = lz4Program("u8", 20);
  const raw = Uint8Array.from({ length: 20 }, (_, i) => i);
  const chunk = (blockBytes: number, ...parts: Uint8Array[]) => joinBytes([header(20, blockBytes), ...parts]);
  const good = chunk(16, lengthBytes(16), raw.subarray(0, 16), lengthBytes(4), raw.subarray(16));
  const { damage, out } = judge(program, good);
  assert.deepEqual(damage, []);
  assert.deepEqual(out, raw);
  // A block size above the chunk's size is cut to it.
  assert.deepEqual(judge(program, chunk(1 << 30, lengthBytes(20), raw)).out, raw);
  assert.deepEqual(verdictOf(judge(program, chunk(0, lengthBytes(20), raw)).damage), [
    [null, "block-size-invalid", 0],
  ]);
  const long = chunk(16, lengthBytes(33), new Uint8Array(40));
  assert.deepEqual(verdictOf(judge(program, long).damage), [[0, "block-length-impossible", 12]]);
  const bad = chunk(
    16,
    lengthBytes(16),
    raw.subarray(0, 16),
    lengthBytes(5),
    Uint8Array.of(0x10, 1, 0, 0, 0),
  );
  assert.deepEqual(verdictOf(judge(program, bad).damage), [[1, "offset-zero", 32]]);
});

function header(decodedBytes: number, blockBytes: number): Uint8Array {
  return joinBytes([lengthBytes(0), lengthBytes(decodedBytes), lengthBytes(blockBytes)]);
}

function lengthBytes(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value);
  return new Uint8Array(view.buffer);
}
