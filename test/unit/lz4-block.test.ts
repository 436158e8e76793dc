// Owns: the block decoder on hand-made streams: what it accepts, where it ends, that it stays inside both buffers.
// Must not know: chunks, bit planes, files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeLz4Block, type LzOutcome } from "#framelab/backends/reference/lz4-block";
import { encodeLz4Block, lengthExtension } from "../fixtures/lz4-encoder";
import { seededRandom } from "../parity/sources";

function decode(
  stream: readonly number[] | Uint8Array,
  size: number,
): { outcome: LzOutcome; block: Uint8Array } {
  const block = new Uint8Array(size);
  return { outcome: decodeLz4Block(Uint8Array.from(stream), block), block };
}

/** Stream and the bytes that the format says it holds, worked out by hand. */
const ACCEPTED: readonly [name: string, stream: number[], bytes: number[]][] = [
  ["literals alone", [0x30, 1, 2, 3], [1, 2, 3]],
  ["a match nibble in the last sequence counts for nothing", [0x3f, 1, 2, 3], [1, 2, 3]],
  ["a run: offset 1 overlaps what it writes", [0x12, 9, 1, 0, 0x10, 5], [9, 9, 9, 9, 9, 9, 9, 5]],
  ["a period of 3", [0x31, 1, 2, 3, 3, 0, 0x10, 7], [1, 2, 3, 1, 2, 3, 1, 2, 7]],
  ["an end right behind a match", [0x10, 9, 1, 0], [9, 9, 9, 9, 9]],
  ["an empty last sequence", [0x10, 9, 1, 0, 0x00], [9, 9, 9, 9, 9]],
  ["a last run shorter than 5 literals", [0x10, 9, 1, 0, 0x10, 4], [9, 9, 9, 9, 9, 4]],
  ["a sequence without literals", [0x10, 9, 1, 0, 0x00, 5, 0], [9, 9, 9, 9, 9, 9, 9, 9, 9]],
  ["a match offset of all that is written", [0x40, 1, 2, 3, 4, 4, 0], [1, 2, 3, 4, 1, 2, 3, 4]],
  ["15 literals: an extension of 0", [0xf0, 0, ...Array(15).fill(6)], Array(15).fill(6)],
  ["a match of 19: an extension of 0", [0x1f, 6, 1, 0, 0], Array(20).fill(6)],
  ["270 literals: 255 and 0", [0xf0, 255, 0, ...Array(270).fill(6)], Array(270).fill(6)],
  ["an empty stream for an empty block", [], []],
];

for (const [name, stream, bytes] of ACCEPTED) {
  test(`accepted: ${name}`, () => {
    const { outcome, block } = decode(stream, bytes.length);
    assert.deepEqual(outcome, { reason: null, at: stream.length, written: bytes.length, detail: "" });
    assert.deepEqual([...block], bytes);
  });

  test(`one byte more or less of room is refused: ${name}`, () => {
    assert.notEqual(decode(stream, bytes.length + 1).outcome.reason, null);
    if (bytes.length > 0) assert.notEqual(decode(stream, bytes.length - 1).outcome.reason, null);
  });
}

test("a literal length that would wrap 32 bits to 8 is refused as what it is", () => {
  // 15 + 255 n + rest = 2^32 + 8, with 8 literals behind it.
  const more = 2 ** 32 + 8 - 15;
  const count = Math.floor(more / 255);
  const stream = new Uint8Array(1 + count + 1 + 8).fill(255);
  stream[0] = 0xf0;
  stream[1 + count] = more % 255;
  const { outcome } = decode(stream, 8);
  assert.equal(outcome.reason, "literals-past-stream");
  assert.equal(outcome.detail, "4294967304 literals, 8 stored bytes left");
});

test("a match length that would wrap 32 bits to 8 is refused as what it is", () => {
  const extension = lengthExtension(2 ** 32 + 8 - 4);
  const stream = new Uint8Array(4 + extension.length);
  stream.set([0x1f, 7, 1, 0]);
  stream.set(extension, 4);
  const { outcome } = decode(stream, 9);
  assert.equal(outcome.reason, "match-past-block");
  assert.equal(outcome.detail, "a match of 4294967304 bytes, room for 8");
});

const ROUNDS = 20_000;
const MARGIN = 64;

/** Valid streams, mutated: bytes flipped, cut, doubled; or random bytes that read like sequences. */
function mutant(random: () => number, valid: readonly Uint8Array[]): Uint8Array {
  const below = (limit: number): number => Math.floor(limit * random());
  const stream = valid[below(valid.length)]!.slice();
  for (let flips = below(4); flips > 0; flips--) stream[below(stream.length)] = below(256);
  const kind = below(4);
  if (kind === 0) return stream.subarray(0, below(stream.length + 1));
  if (kind === 1) return Uint8Array.from([...stream, ...stream.subarray(0, below(stream.length))]);
  if (kind === 2)
    return Uint8Array.from({ length: below(40) }, () => (random() < 0.5 ? below(4) : below(256)));
  return stream;
}

test("mutated streams: nothing outside the block is written, nothing outside the stream decides", () => {
  const random = seededRandom(20_260_101);
  const sizes = [1, 8, 64, 200, 512];
  const valid = sizes.map((size) => encodeLz4Block(Uint8Array.from({ length: size }, (_, i) => (i * i) % 7)));
  const seen = new Set<string | null>();
  for (let round = 0; round < ROUNDS; round++) {
    const stream = mutant(random, valid);
    const size = sizes[Math.floor(sizes.length * random())]!;
    const runs = [0x00, 0xff, 0x11].map((poison) => {
      const room = new Uint8Array(size + 2 * MARGIN).fill(poison);
      const input = new Uint8Array(stream.length + 2 * MARGIN).fill(poison);
      input.set(stream, MARGIN);
      const block = room.subarray(MARGIN, MARGIN + size);
      const outcome = decodeLz4Block(input.subarray(MARGIN, MARGIN + stream.length), block);
      const outside = [...room.subarray(0, MARGIN), ...room.subarray(MARGIN + size)];
      assert.ok(
        outside.every((byte) => byte === poison),
        `round ${round}: canaries`,
      );
      const unwritten = block.subarray(outcome.written);
      assert.ok(
        unwritten.every((byte) => byte === poison),
        `round ${round}: bytes behind \`written\``,
      );
      return { outcome, written: block.slice(0, outcome.written) };
    });
    // Three decodes over different stale bytes, in different surroundings: one outcome, one output.
    assert.deepEqual(runs[1], runs[0]);
    assert.deepEqual(runs[2], runs[0]);
    seen.add(runs[0]!.outcome.reason);
  }
  // The mutants reach every bound, and some stay valid.
  assert.equal(seen.size, 10, [...seen].join(", "));
});
