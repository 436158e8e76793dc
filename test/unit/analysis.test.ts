// Owns: masks, and sums that stay exact where floats would round, on frames made here.
// Must not know: files, decoders.
import assert from "node:assert/strict";
import { test } from "node:test";
import ndarray from "ndarray";
import { FrameSums } from "#framelab/analysis/frame-sums";
import { annulus, disk, fromImage, maskPixels } from "#framelab/analysis/masks";
import { PatternMax } from "#framelab/analysis/pattern-max";
import { PatternSums } from "#framelab/analysis/pattern-sums";

test("a disk holds the pixels whose centre is nearer than its radius, its edge not", () => {
  // Distances from [2, 3]: 2 exactly at (0, 3), (4, 3), (2, 1), (2, 5); these are outside.
  assert.deepEqual(
    [...maskPixels(disk({ center: [2, 3], radius: 2 }), [5, 7])],
    [9, 10, 11, 16, 17, 18, 23, 24, 25],
  );
  assert.equal(maskPixels(disk({ center: [2, 3], radius: 2.001 }), [5, 7]).length, 13);
  assert.deepEqual([...maskPixels(disk({ center: [0.5, 0.5], radius: 1 }), [5, 7])], [0, 1, 7, 8]);
});

test("an annulus holds its inner edge and not its outer one", () => {
  const pixels = new Set(maskPixels(annulus({ center: [2, 3], inner: 1, outer: 2 }), [5, 7]));
  assert.ok(pixels.has(10) && !pixels.has(17) && !pixels.has(3));
  assert.equal(pixels.size, 8);
});

test("an image is a copy, and 0, NaN and false are outside", () => {
  const data = new Float32Array([0, 1, Number.NaN, -2, 0.5, 0]);
  const mask = fromImage(ndarray(data, [2, 3]));
  data.fill(1);
  assert.deepEqual([...maskPixels(mask, [2, 3])], [1, 3, 4]);
  assert.deepEqual(
    [
      ...maskPixels(
        fromImage([
          [true, false],
          [false, true],
        ]),
        [2, 2],
      ),
    ],
    [0, 3],
  );
  assert.deepEqual([...maskPixels(fromImage(ndarray(data, [2, 3]).transpose(1, 0)), [3, 2])].length, 6);
});

test("bad masks are option errors with both sides", () => {
  const option = { name: "OptionError" };
  assert.throws(() => disk({ center: [1, 2], radius: 0 }), { ...option, message: /radius of disk is 0/ });
  assert.throws(() => disk({ center: [1, Number.NaN], radius: 3 }), option);
  assert.throws(() => disk({ centre: [1, 2], radius: 3 } as never), { ...option, message: /centre/ });
  assert.throws(() => annulus({ center: [1, 2], inner: 3, outer: 3 }), option);
  assert.throws(() => fromImage([[1, 2], [3]]), option);
  assert.throws(() => fromImage(ndarray(new Uint8Array(8), [2, 2, 2])), option);
  assert.throws(() => maskPixels(fromImage([[1]]), [2, 2]), { ...option, message: /\[1, 1\].*\[2, 2\]/ });
  assert.throws(() => maskPixels(disk({ center: [96, 96], radius: 20 }), [10, 10]), {
    ...option,
    message: /disk around \[96, 96\], radius 20.* covers no pixel/,
  });
});

// 2^53 + 1 is the first integer that a 64-bit float cannot hold: a plain sum of these loses the ones on its way.
test("u32 sums over more frames than a float is exact for are rounded once", () => {
  const sums = new PatternSums("u32", 2);
  const frame = Uint32Array.of(2 ** 32 - 3, 1);
  const count = 2 ** 21 + 12_345;
  for (let i = 0; i < count; i++) sums.add(frame);
  const exact = BigInt(2 ** 32 - 3) * BigInt(count);
  assert.ok(exact > 2n ** 53n);
  assert.deepEqual([...sums.values()], [Number(exact), count]);
});

test("64-bit sums are exact in both signs, and rounded once", () => {
  const unsigned = new PatternSums("u64", 2);
  const signed = new PatternSums("i64", 2);
  let expected = 0n;
  let negative = 0n;
  for (let i = 0; i < 5000; i++) {
    const value = 2n ** 63n + BigInt(i) * 1_234_567_891n;
    const below = -(2n ** 62n) + BigInt(i) * 7n;
    unsigned.add(BigUint64Array.of(value, BigInt(i)));
    signed.add(BigInt64Array.of(below, -BigInt(i)));
    expected += value;
    negative += below;
  }
  const small = (5000 * 4999) / 2;
  assert.deepEqual([...unsigned.values()], [Number(expected), small]);
  assert.deepEqual([...signed.values()], [Number(negative), -small]);
});

test("a 64-bit sum that cancels is exact", () => {
  const sums = new PatternSums("i64", 1);
  for (const value of [2n ** 62n, 3n, -(2n ** 62n)]) sums.add(BigInt64Array.of(value));
  assert.deepEqual([...sums.values()], [3]);
  const frame = new FrameSums("i64", Uint32Array.of(0, 1, 2), 1);
  frame.add(BigInt64Array.of(2n ** 62n, 3n, -(2n ** 62n)), 0);
  assert.deepEqual([...frame.values], [3]);
});

test("the sum of a frame of more than 2^21 large u32 pixels is rounded once", () => {
  const size = 2 ** 22 + 3;
  const pixels = Uint32Array.from({ length: size }, (_, i) => i);
  const frame = new Uint32Array(size).fill(2 ** 32 - 3);
  frame[7] = 2 ** 32 - 2; // Flagged.
  frame[9] = 4;
  const sums = new FrameSums("u32", pixels, 1);
  sums.add(frame, 0);
  assert.equal(sums.values[0], Number(BigInt(2 ** 32 - 3) * BigInt(size - 2) + 4n));
  assert.equal(sums.flagged, 1);
});

test("the largest of 64-bit integers is found among neighbours that floats cannot tell apart", () => {
  const max = new PatternMax("i64", 2);
  assert.ok([...max.values()].every(Number.isNaN));
  max.add(BigInt64Array.of(-5n, 2n ** 53n));
  max.add(BigInt64Array.of(-9n, 2n ** 53n + 3n));
  assert.deepEqual([...max.values()], [-5, 2 ** 53 + 4]);
});
