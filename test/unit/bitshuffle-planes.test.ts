// Owns: bit planes, byte planes and byte order undone, on bytes worked out by hand.
// Must not know: compression, chunks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bitUnshuffle, byteswap, byteUnshuffle } from "#framelab/backends/reference/unshuffle";
import { defaultBlockElements } from "#framelab/filters/bitshuffle/blocks";

test("element e takes bit b from bit e % 8 of byte e / 8 of plane b", () => {
  for (const elementBytes of [1, 2, 3, 4, 8]) {
    const elements = 24;
    for (let plane = 0; plane < 8 * elementBytes; plane++) {
      for (let element = 0; element < elements; element++) {
        const planes = new Uint8Array(elements * elementBytes);
        planes[plane * (elements / 8) + (element >> 3)] = 1 << (element & 7);
        const out = bitUnshuffle(planes, elementBytes, 64);
        const expected = new Uint8Array(elements * elementBytes);
        expected[element * elementBytes + (plane >> 3)] = 1 << (plane & 7);
        assert.deepEqual(out, expected);
      }
    }
  }
});

test("a short block has its own plane stride, and the last elements are raw", () => {
  // u8: a block of 16 elements, a short one of 8, and 2 raw. Only bit 0 is set, so only plane 0 of each block is.
  const planes = new Uint8Array(26);
  planes.set([0b0000_0001, 0b1000_0000], 0);
  planes.set([0b0000_0010], 16);
  planes.set([77, 78], 24);
  const out = bitUnshuffle(planes, 1, 16);
  const expected = new Uint8Array(26);
  expected.set([1], 0);
  expected.set([1], 15);
  expected.set([1], 17);
  expected.set([77, 78], 24);
  assert.deepEqual(out, expected);
});

test("the default block has 8192 bytes in whole groups of 8 elements, and at least 128 elements", () => {
  assert.deepEqual(
    [1, 2, 4, 8, 3, 12, 64, 100].map(defaultBlockElements),
    [8192, 4096, 2048, 1024, 2728, 680, 128, 128],
  );
});

test("byte planes: all first bytes, all second bytes; left-over bytes stay at the end", () => {
  assert.deepEqual([...byteUnshuffle(Uint8Array.of(1, 2, 3, 11, 12, 13), 2)], [1, 11, 2, 12, 3, 13]);
  assert.deepEqual([...byteUnshuffle(Uint8Array.of(1, 2, 11, 12, 99), 2)], [1, 11, 2, 12, 99]);
  assert.deepEqual([...byteUnshuffle(Uint8Array.of(1, 2, 3), 4)], [1, 2, 3]);
  assert.deepEqual([...byteUnshuffle(Uint8Array.of(1, 2, 3), 2 ** 32 - 1)], [1, 2, 3]);
});

test("byteswap reverses each element", () => {
  assert.deepEqual([...byteswap(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 2)], [2, 1, 4, 3, 6, 5, 8, 7]);
  assert.deepEqual([...byteswap(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 4)], [4, 3, 2, 1, 8, 7, 6, 5]);
  assert.deepEqual([...byteswap(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 8)], [8, 7, 6, 5, 4, 3, 2, 1]);
});
