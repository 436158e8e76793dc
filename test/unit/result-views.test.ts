// Owns: checks that ndarray views are exact past 2^31 and 2^32 elements.
// Must not know: decoders. The judge is the index arithmetic of the memory itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pixels } from "#framelab/result/pixels";
import { denseStride, exactView } from "#framelab/result/views";

const frame = 192 * 192;

/** Lazily zeroed memory with a mark in chosen elements: untouched pages cost nothing. */
function marked(count: number, marks: readonly number[]) {
  const buffer = new ArrayBuffer(count * frame);
  for (const at of marks) new Uint8Array(buffer, at, 1)[0] = (at % 251) + 1;
  const shape = [count, 192, 192];
  return exactView(pixels("u8", buffer, 0, count * frame), shape, denseStride(shape), 0);
}

for (const [name, count] of [
  ["2^31", 60_000],
  ["2^32", 120_000],
] as const) {
  const last = count - 1;
  const at = (f: number, y: number, x: number) => f * frame + y * 192 + x;
  const ends = [at(58_255, 0, 5), at(last, 0, 0), at(last, 191, 191), at(last, 100, 7)];
  const mark = (offset: number) => (offset % 251) + 1;

  test(`past ${name} elements get, pick, lo, hi, step and transpose show the asked elements`, () => {
    const view = marked(count, ends);
    assert.equal(view.get(last, 191, 191), mark(ends[2]));
    assert.equal(view.pick(58_255).get(0, 5), mark(ends[0]));
    assert.equal(view.pick(last).get(100, 7), mark(ends[3]));
    assert.equal(view.pick(last, null, 7).get(100), mark(ends[3]));
    assert.equal(view.pick(last, 191, 191).get(), mark(ends[2]));
    assert.equal(view.lo(last, 100, 0).get(0, 0, 7), mark(ends[3]));
    assert.deepEqual(view.lo(last, 100, 0).shape, [1, 92, 192]);
    assert.equal(
      view
        .lo(1)
        .pick(last - 1)
        .get(191, 191),
      mark(ends[2]),
    );
    assert.equal(view.hi(count, 192, 8).lo(58_255).get(0, 0, 5), mark(ends[0]));
    assert.equal(view.hi(10).get(9, 0, 0), 0);
    assert.equal(view.step(-1).get(0, 191, 191), mark(ends[2]));
    assert.equal(view.step(-1).pick(0).get(191, 191), mark(ends[2]));
    assert.equal(
      view
        .step(2)
        .pick(Math.floor(last / 2))
        .get(191, 191),
      last % 2 === 0 ? mark(ends[2]) : 0,
    );
    assert.equal(view.transpose(1, 2, 0).get(191, 191, last), mark(ends[2]));
    assert.equal(view.transpose(1, 2, 0).pick(100, 7).get(last), mark(ends[3]));
  });

  test(`past ${name} elements a picked frame is dense and writable`, () => {
    const view = marked(count, ends);
    const picked = view.pick(last);
    assert.equal(picked.data.length, frame);
    assert.equal(picked.dtype, "uint8");
    picked.set(3, 4, 77);
    assert.equal(view.get(last, 3, 4), 77);
  });
}
