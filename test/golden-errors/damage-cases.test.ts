// Owns: realistic damage to one block of one frame of a stack: refused with its block and place, all else exact.
// Must not know: files, how a block is decoded.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DamageReason, Dtype } from "framelab";
import { decodeLz4Block } from "#framelab/backends/reference/lz4-block";
import { type BlockPlace, chunkPlaces, encodeChunk, joinBytes } from "../fixtures/bitshuffle-encoder";
import { encodeSequences } from "../fixtures/lz4-encoder";
import { DTYPES, seededRandom, sourceValues, storedElements } from "../parity/sources";
import { bitshuffleProgram, judge, verdictOf } from "./chunks";

const BOUNDS: readonly DamageReason[] = [
  "literal-length-overrun",
  "literals-past-stream",
  "literals-past-block",
  "offset-truncated",
  "offset-zero",
  "offset-before-block",
  "match-length-overrun",
  "match-past-block",
  "wrong-size",
];

interface Stack {
  readonly name: string;
  readonly dtype: Dtype;
  readonly elementBytes: number;
  readonly elements: number;
  readonly sources: Uint8Array[];
  readonly chunks: Uint8Array[];
}

/** Four frames of one detector. */
function stack(name: string, dtype: Dtype, rows: number, columns: number): Stack {
  const row = DTYPES.find((known) => known.dtype === dtype)!;
  const elements = rows * columns;
  const frames = [11, 22, 33, 44].map((seed) => storedElements(row, sourceValues(row, elements, seed), true));
  const chunks = frames.map((frame) => encodeChunk(frame, row.bytes));
  return { name, dtype, elementBytes: row.bytes, elements, sources: frames, chunks };
}

/** Whole blocks of 8192 bytes, or (192 x 190) a short block and none raw; with every block's stream left findable. */
const STACKS = [
  stack("u8, whole blocks", "u8", 128, 192),
  stack("u16, whole blocks", "u16", 128, 192),
  stack("u16, a short block", "u16", 192, 190),
  stack("u32, whole blocks", "u32", 128, 192),
];

/** One literal and a match of 10219 bytes: longer than any block here. */
const OVER_LONG = encodeSequences([{ literals: [7], offset: 1, matchLength: 10_219 }]);

interface Damage {
  readonly name: string;
  /** Reason that follows from the bytes; null where it depends on what the bytes happen to say. */
  readonly reason: DamageReason | null;
  apply(stream: Uint8Array): void;
}

/** Each writes over the stored bytes of one block and leaves its length as it is. */
const DAMAGES: readonly Damage[] = [
  // A zero token has no literals and a match at offset 0.
  { name: "zeroed", reason: "offset-zero", apply: (stream) => stream.fill(0) },
  { name: "random", reason: null, apply: (stream) => randomise(stream) },
  { name: "second half zeroed", reason: null, apply: (stream) => stream.fill(0, stream.length >> 1) },
  { name: "over-long match", reason: "match-past-block", apply: (stream) => stream.set(OVER_LONG) },
];

function randomise(stream: Uint8Array): void {
  const random = seededRandom(stream.length);
  for (let i = 0; i < stream.length; i++) stream[i] = Math.floor(256 * random());
}

const DAMAGED_FRAME = 2;

for (const { name, dtype, elementBytes, elements, sources, chunks } of STACKS) {
  const program = bitshuffleProgram(dtype, elements);
  const { blocks } = chunkPlaces(chunks[DAMAGED_FRAME]!, elementBytes);
  for (const block of [0, blocks.length - 1]) {
    for (const damage of DAMAGES) {
      test(`${name}: block ${block} of frame ${DAMAGED_FRAME} ${damage.name}`, () => {
        const place = blocks[block]!;
        const damaged = chunks.map((chunk) => chunk.slice());
        damage.apply(damaged[DAMAGED_FRAME]!.subarray(place.offset, place.offset + place.bytes));
        for (const [frame, chunk] of damaged.entries()) {
          const verdict = judge(program, chunk);
          if (frame !== DAMAGED_FRAME) {
            assert.deepEqual(verdict.damage, []);
            assert.ok(Buffer.from(sources[frame]!).equals(verdict.out), `frame ${frame} is exact`);
            continue;
          }
          const [found, ...others] = verdict.damage;
          assert.deepEqual(others, []);
          assert.equal(found!.block, block);
          assert.equal(found!.at, place.lengthAt);
          if (damage.reason) assert.equal(found!.reason, damage.reason);
          else assert.ok(BOUNDS.includes(found!.reason), found!.reason);
        }
      });
    }
  }
}

const [, u16] = STACKS;
const program = bitshuffleProgram("u16", u16!.elements);
const intact = u16!.chunks[0]!;
const places = chunkPlaces(intact, 2).blocks;

/** The chunk with another length in front of one block. */
function withLength(place: BlockPlace, bytes: number): Uint8Array {
  const chunk = intact.slice();
  new DataView(chunk.buffer).setUint32(place.lengthAt, bytes);
  return chunk;
}

for (const [block, place] of places.entries()) {
  test(`a halved length of block ${block}: the block is refused, not what follows it`, () => {
    const { damage } = judge(program, withLength(place, place.bytes >> 1));
    assert.equal(damage[0]!.block, block);
    assert.equal(damage[0]!.at, place.lengthAt);
    assert.ok(BOUNDS.includes(damage[0]!.reason), damage[0]!.reason);
  });

  test(`a length of block ${block} short by 1, 4, 50 with the rest of the block and valid blocks right behind`, () => {
    for (const short of [1, 4, 50]) {
      const { damage } = judge(program, withLength(place, place.bytes - short));
      assert.equal(damage[0]!.block, block, `short by ${short}`);
      assert.equal(damage[0]!.at, place.lengthAt);
    }
  });
}

test("a chunk length short by 1, 4, 50, 5000 with a valid neighbour right behind", () => {
  const row = DTYPES.find(({ dtype }) => dtype === "u16")!;
  const noise = new Uint8Array(2 * 128 * 192);
  randomise(noise);
  // Noise does not compress: each block is longer than 5000 bytes, so each cut ends in the last block.
  const chunk = encodeChunk(noise, row.bytes);
  const pair = joinBytes([chunk, chunk]);
  const blocks = chunkPlaces(chunk, row.bytes).blocks;
  const last = blocks.length - 1;
  for (const short of [1, 4, 50, 5000]) {
    const { damage } = judge(program, pair.subarray(0, chunk.length - short));
    assert.deepEqual(verdictOf(damage), [[last, "block-length-past-chunk", blocks[last]!.lengthAt]]);
    assert.match(damage[0]!.detail, new RegExp(`declares ${blocks[last]!.bytes} stored bytes, `));
    assert.match(damage[0]!.detail, new RegExp(`, ${blocks[last]!.bytes - short} are left in the chunk$`));
  }
});

test("a refused block leaves nothing behind: the same bytes give the same verdict after any other", () => {
  const stale = Uint8Array.of(0x10, 7, 0, 0, 0x50, 1, 1, 1, 1, 1);
  const before = decodeLz4Block(stale, new Uint8Array(64));
  judge(program, u16!.chunks[3]!);
  assert.deepEqual(decodeLz4Block(stale, new Uint8Array(64).fill(0xcc)), before);
  assert.equal(before.reason, "offset-zero");
});
