// Owns: each of the nine bounds of an LZ4 block, broken in one block of a tiny chunk: exact reason, block, place, words.
// Must not know: how the decoder checks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chunkPlaces } from "../fixtures/bitshuffle-encoder";
import { judge, TINY_PROGRAM, tinyChunk, verdictOf } from "./chunks";

const seventyLiterals = [0xf0, 70 - 15, ...new Array<number>(70).fill(9)];

/** Reason, stored bytes of the block (it decodes to 64 bytes), and what the detail says of it. */
const CASES: readonly [reason: string, stream: readonly number[], detail: string][] = [
  [
    "literals-past-stream",
    [0x50, 1, 2, 3, 4],
    "at byte 0 of the block's 5 stored bytes: 5 literals, 4 stored bytes left",
  ],
  [
    "literal-length-overrun",
    [0xf0, 255, 255],
    "at byte 0 of the block's 3 stored bytes: a literal length has no end",
  ],
  ["literal-length-overrun", [0xf0], "at byte 0 of the block's 1 stored bytes: a literal length has no end"],
  [
    "literals-past-stream",
    [0x50, 1, 2],
    "at byte 0 of the block's 3 stored bytes: 5 literals, 2 stored bytes left",
  ],
  [
    "literals-past-block",
    seventyLiterals,
    "at byte 0 of the block's 72 stored bytes: 70 literals, room for 64",
  ],
  [
    "offset-truncated",
    [0x10, 7, 1],
    "at byte 0 of the block's 3 stored bytes: 1 byte is left of a match offset",
  ],
  ["offset-zero", [0x10, 7, 0, 0], "at byte 0 of the block's 4 stored bytes: a match offset of 0"],
  [
    "offset-before-block",
    [0x10, 7, 2, 0],
    "at byte 0 of the block's 4 stored bytes: a match 2 bytes back, 1 bytes are written",
  ],
  [
    "match-length-overrun",
    [0x1f, 7, 1, 0, 255],
    "at byte 0 of the block's 5 stored bytes: a match length has no end",
  ],
  [
    "match-length-overrun",
    [0x1f, 7, 1, 0],
    "at byte 0 of the block's 4 stored bytes: a match length has no end",
  ],
  [
    "match-past-block",
    [0x1f, 7, 1, 0, 64 - 19],
    "at byte 0 of the block's 5 stored bytes: a match of 64 bytes, room for 63",
  ],
  ["wrong-size", [], "at byte 0 of the block's 0 stored bytes: 0 bytes decoded, the block has 64"],
  ["wrong-size", [0x10, 7], "at byte 2 of the block's 2 stored bytes: 1 bytes decoded, the block has 64"],
  [
    "wrong-size",
    [0x10, 7, 1, 0],
    "at byte 4 of the block's 4 stored bytes: 5 bytes decoded, the block has 64",
  ],
];

for (const [reason, stream, detail] of CASES) {
  for (const block of [0, 1, 2]) {
    test(`${reason} in block ${block}: ${stream.slice(0, 6).join(" ")}`, () => {
      const chunk = tinyChunk({ [block]: Uint8Array.from(stream) });
      const { lengthAt } = chunkPlaces(chunk, 1).blocks[block]!;
      assert.deepEqual(judge(TINY_PROGRAM, chunk).damage, [{ block, reason, detail, at: lengthAt }]);
    });
  }
}

/** Streams that break several bounds: the lowest of the first refused sequence is the reason. */
const LOWEST: readonly [reason: string, stream: readonly number[], at: number][] = [
  ["literals-past-stream", [0xf0, 100, 1, 2, 3], 0],
  ["offset-zero", [0x1f, 7, 0, 0, 255], 0],
  ["offset-zero", [0x1f, 7, 0, 0, 200], 0],
  ["offset-before-block", [0x1f, 7, 9, 0, 200], 0],
  ["match-length-overrun", [0x1f, 7, 1, 0, 255, 255], 0],
  ["offset-before-block", [0x10, 7, 1, 0, 0x00, 6, 0, 0xf0, 255], 4],
  ["offset-zero", [0x10, 7, 1, 0, 0x00, 0, 0], 4],
];

for (const [reason, stream, at] of LOWEST) {
  test(`the lowest bound of the first refused sequence: ${reason} in ${stream.join(" ")}`, () => {
    const { damage } = judge(TINY_PROGRAM, tinyChunk({ 1: Uint8Array.from(stream) }));
    assert.equal(damage.length, 1);
    assert.equal(damage[0]!.reason, reason);
    assert.match(damage[0]!.detail, new RegExp(`^at byte ${at} `));
  });
}

test("every damaged block of a chunk is found", () => {
  const chunk = tinyChunk({ 0: Uint8Array.of(0x10, 7, 0, 0), 2: Uint8Array.of(0x50, 1) });
  const { blocks } = chunkPlaces(chunk, 1);
  assert.deepEqual(verdictOf(judge(TINY_PROGRAM, chunk).damage), [
    [0, "offset-zero", blocks[0]!.lengthAt],
    [2, "literals-past-stream", blocks[2]!.lengthAt],
  ]);
});
