// Owns: the cache of decoded frames: right frames, few decodes, bounded size, no memory of failures.
// Must not know: decoders.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CACHE_BYTES, FrameCache } from "#framelab/run/frame-cache";

/** A cache whose frames hold their own number, and the groups that were decoded. */
function numbered(count: number, frameBytes: number, depth: number) {
  const decoded: [number, number][] = [];
  const cache = new FrameCache(count, frameBytes, depth, async (from, to) => {
    decoded.push([from, to]);
    const bytes = new Uint8Array((to - from) * frameBytes);
    for (let i = from; i < to; i++) bytes.fill(i, (i - from) * frameBytes, (i - from + 1) * frameBytes);
    return bytes;
  });
  return { cache, decoded };
}

test("frames of one chunk are decoded together, once, also when they are asked for at once", async () => {
  const { cache, decoded } = numbered(8, 5, 3);
  const frames = await Promise.all([4, 3, 5, 7, 4].map((i) => cache.frame(i)));
  assert.deepEqual(
    frames.map((frame) => [...frame]),
    [4, 3, 5, 7, 4].map((i) => new Array(5).fill(i)),
  );
  assert.deepEqual(decoded, [
    [3, 6],
    [6, 8],
  ]);
});

test("what was used longest ago goes first, and the cache keeps to its bytes", async () => {
  const { cache, decoded } = numbered(9, CACHE_BYTES / 2, 1);
  for (const i of [0, 1, 0, 2, 0, 1]) assert.equal((await cache.frame(i))[0], i);
  assert.deepEqual(
    decoded.map(([from]) => from),
    [0, 1, 2, 1],
  );
});

test("frames that are read one after the other are decoded several at a time, others are not", async () => {
  const { cache, decoded } = numbered(40, 2 ** 18, 1);
  for (let i = 20; i < 40; i++) assert.equal((await cache.frame(i))[0], i);
  assert.deepEqual(decoded, [
    [20, 21],
    [21, 37],
    [37, 40],
  ]);
  for (const i of [0, 9, 4]) assert.equal((await cache.frame(i))[0], i);
  assert.deepEqual(decoded.slice(3), [
    [0, 1],
    [9, 10],
    [4, 5],
  ]);
  const chunks = numbered(20, 2 ** 18, 3);
  for (let i = 0; i < 20; i++) assert.equal((await chunks.cache.frame(i))[0], i);
  assert.deepEqual(chunks.decoded, [
    [0, 3],
    [3, 18],
    [18, 20],
  ]);
});

test("the frames behind those that are read in turn are decoded meanwhile, once, and only then", async () => {
  const { cache, decoded } = numbered(200, 2 ** 18, 1);
  for (const i of [50, 51]) await cache.frame(i);
  assert.deepEqual(decoded.at(-1), [51, 67]);
  for (const i of [52, 53, 54]) await cache.frame(i);
  assert.deepEqual(decoded.slice(2), [[67, 83]]);
  for (const i of [66, 67, 68]) assert.equal((await cache.frame(i))[0], i);
  assert.deepEqual(decoded.slice(3), [[83, 99]]);
  // Three runs of 16 frames and one frame fill 49 of 64 places: nothing was dropped.
  for (const i of [50, 51, 66]) await cache.frame(i);
  assert.equal(decoded.length, 4);
});

test("a frame larger than the cache is decoded alone", async () => {
  const { cache, decoded } = numbered(4, CACHE_BYTES + 1, 4);
  await cache.frame(2);
  assert.deepEqual(decoded, [[2, 3]]);
});

test("a decode that failed is tried again", async () => {
  let calls = 0;
  const cache = new FrameCache(1, 1, 1, async () => {
    calls += 1;
    if (calls === 1) throw new Error("once");
    return Uint8Array.of(7);
  });
  await assert.rejects(cache.frame(0), /once/);
  assert.equal((await cache.frame(0))[0], 7);
});
