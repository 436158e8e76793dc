// Owns: the transform's stages on small arrays worked out by hand.
// Must not know: files, loads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { binFrame, binnedDtype, binnedShape } from "#framelab/transform/bin";
import { markFlagged, maskFlags, treatFlagged } from "#framelab/transform/flagged";
import { narrowFill, narrowFrame } from "#framelab/transform/narrow";
import { binMask, cropMask } from "#framelab/transform/pixel-mask";
import { cropFrame, regionOf } from "#framelab/transform/region";
import type { Bin, Dtype, PixelArray } from "#framelab/types";

test("a crop takes the rows and columns of its half-open ranges", () => {
  const frame = Uint16Array.of(0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23);
  const region = regionOf({ rows: [1, 3], cols: [1, 3] }, [3, 4]);
  assert.deepEqual(region, { top: 1, left: 1, height: 2, width: 2 });
  const output = new Uint16Array(4);
  cropFrame(frame, 4, region, output);
  assert.deepEqual([...output], [11, 12, 21, 22]);
  assert.deepEqual(regionOf({ rows: undefined, cols: [3, 4] }, [3, 4]), {
    top: 0,
    left: 3,
    height: 3,
    width: 1,
  });
});

test("a crop past the detector is refused with both numbers", () => {
  assert.throws(() => regionOf({ rows: undefined, cols: [0, 5] }, [3, 4]), {
    name: "SelectionError",
    place: "detector.cols",
    expected: "0 … 4",
    got: "[0, 5)",
  });
});

function mark(frame: PixelArray, mask: Uint8Array | null, sentinel: number) {
  const flags = new Uint8Array(frame.length).fill(9);
  const seen = new Uint32Array(frame.length);
  markFlagged(frame, mask, sentinel, seen, flags);
  return { flags: [...flags], seen: [...seen] };
}

test("mask and sentinels flag; only sentinels that the mask leaves are counted", () => {
  const mask = maskFlags(Uint32Array.of(0, 8, 0, 2 ** 31));
  assert.deepEqual([...mask], [0, 1, 0, 1]);
  const u16 = Uint16Array.of(65_533, 65_535, 65_534, 7);
  assert.deepEqual(mark(u16, mask, 65_534), { flags: [0, 1, 1, 1], seen: [0, 0, 1, 0] });
  const u32 = Uint32Array.of(65_535, 2 ** 32 - 3, 2 ** 32 - 2, 2 ** 32 - 1);
  assert.deepEqual(mark(u32, null, 2 ** 32 - 2), { flags: [0, 0, 1, 1], seen: [0, 0, 1, 1] });
  const u8 = Uint8Array.of(254, 255, 255, 0);
  assert.deepEqual(mark(u8, mask, Number.POSITIVE_INFINITY), { flags: [0, 1, 0, 1], seen: [0, 0, 0, 0] });
});

function treated<T extends PixelArray>(frame: T, width: number, flagged: number[], how: "zero" | "median") {
  const flags = Uint8Array.from({ length: frame.length }, (_, i) => (flagged.includes(i) ? 1 : 0));
  const output = frame.slice() as T;
  const alone = treatFlagged(frame, flags, width, how, output);
  return { values: [...output], alone };
}

test("the median of the unflagged neighbours: odd and even numbers, edges, corners, nobody left", () => {
  // Around the middle: 1 2 3 4 6 7 8 9, of which 1 2 3 4 | 6 7 8 9: (4 + 6) / 2.
  assert.deepEqual(treated(Uint16Array.of(1, 2, 3, 4, 65_535, 6, 7, 8, 9), 3, [4], "median").values[4], 5);
  // The corner has 2, 4 and 50: their middle. The other flagged pixel is left out of it.
  assert.deepEqual(treated(Uint16Array.of(900, 2, 3, 4, 50, 6, 7, 8, 9), 3, [0], "median").values[0], 4);
  // 2 and 4 with 50 flagged: 3; and 50's own median of 2 3 4 6 7 8 9.
  assert.deepEqual(
    treated(Uint16Array.of(900, 2, 3, 4, 50, 6, 7, 8, 9), 3, [0, 4], "median").values,
    [3, 2, 3, 4, 6, 6, 7, 8, 9],
  );
  // 2 and 5 give 3.5: rounded down; -2 and -5 give -3.5: down as well.
  assert.equal(treated(Uint32Array.of(2, 2 ** 32 - 1, 5), 3, [1], "median").values[1], 3);
  assert.equal(treated(Int32Array.of(-2, 9, -5), 3, [1], "median").values[1], -4);
  assert.equal(treated(BigInt64Array.of(-2n, 9n, -5n), 3, [1], "median").values[1], -4n);
  assert.equal(
    treated(BigUint64Array.of(2n ** 63n, 9n, 2n ** 63n + 3n), 3, [1], "median").values[1],
    2n ** 63n + 1n,
  );
  assert.equal(treated(Float32Array.of(2, 9, 5), 3, [1], "median").values[1], 3.5);
  // Left and right ends of neighbouring rows are no neighbours.
  assert.deepEqual(treated(Uint16Array.of(1, 1, 9, 7, 5, 5), 3, [2], "median").values[2], 5);
  const gap = treated(Uint16Array.of(65_535, 65_535, 65_535, 4), 4, [0, 1, 2], "median");
  assert.deepEqual(gap, { values: [0, 0, 4, 4], alone: 2 });
});

test("zero sets flagged pixels to zero", () => {
  assert.deepEqual(treated(Uint16Array.of(1, 65_535, 3), 3, [1], "zero"), { values: [1, 0, 3], alone: 0 });
  assert.deepEqual(treated(BigInt64Array.of(1n, -2n), 2, [1], "zero").values, [1n, 0n]);
});

function binned(
  frame: PixelArray,
  shape: readonly [number, number],
  bin: Bin,
  from: Dtype,
  omit: number[] = [],
) {
  const flags = Uint8Array.from({ length: frame.length }, (_, i) => (omit.includes(i) ? 1 : 0));
  const dtype = binnedDtype(from);
  const [rows, cols] = binnedShape(shape, bin);
  const make = {
    u32: Uint32Array,
    i32: Int32Array,
    u64: BigUint64Array,
    f32: Float32Array,
    i64: BigInt64Array,
  };
  const output = new make[dtype as keyof typeof make](rows * cols);
  const misfit = binFrame(frame, omit.length > 0 ? flags : null, { shape, bin, dtype }, output);
  return misfit ?? [...output];
}

test("bins sum what exists at odd edges and leave flagged pixels out", () => {
  const frame = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 255);
  assert.deepEqual(binned(frame, [3, 3], 2, "u8"), [1 + 2 + 4 + 5, 3 + 6, 7 + 8, 255]);
  assert.deepEqual(binned(frame, [3, 3], 2, "u8", [1, 8]), [1 + 4 + 5, 3 + 6, 7 + 8, 0]);
  assert.deepEqual(binned(frame, [3, 3], 4, "u8"), [291]);
  assert.deepEqual(binned(new Uint16Array(17 * 9).fill(65_535), [17, 9], 8, "u16"), [
    64 * 65_535,
    8 * 65_535,
    64 * 65_535,
    8 * 65_535,
    8 * 65_535,
    65_535,
  ]);
  assert.deepEqual(binned(Int16Array.of(-32_768, -32_768), [1, 2], 2, "i16"), [-65_536]);
  assert.deepEqual(binned(Float32Array.of(0.5, 0.25), [1, 2], 2, "f32"), [0.75]);
  assert.deepEqual(binned(BigUint64Array.of(2n ** 63n, 2n ** 63n - 1n), [1, 2], 2, "u64"), [2n ** 64n - 1n]);
});

test("a sum that its type cannot hold is given with its place, and not wrapped", () => {
  const most = 2 ** 32 - 3;
  assert.deepEqual(binned(Uint32Array.of(most, 0, 5, 5), [1, 4], 2, "u32"), [most, 10]);
  // 2^32 - 2 would read as flagged.
  assert.deepEqual(binned(Uint32Array.of(5, 5, most, 1), [1, 4], 2, "u32"), { at: 1, value: 2 ** 32 - 2 });
  assert.deepEqual(binned(Uint32Array.of(1, 2, 3, 4, most, most), [3, 2], 2, "u32"), {
    at: 1,
    value: 2 * most,
  });
  assert.deepEqual(binned(Int32Array.of(-(2 ** 31), -1), [1, 2], 2, "i32"), { at: 0, value: -(2 ** 31) - 1 });
  assert.deepEqual(binned(BigUint64Array.of(2n ** 63n, 2n ** 63n), [1, 2], 2, "u64"), {
    at: 0,
    value: 2n ** 64n,
  });
  assert.deepEqual(binned(BigInt64Array.of(2n ** 62n, 2n ** 62n), [1, 2], 2, "i64"), {
    at: 0,
    value: 2n ** 63n,
  });
});

function narrowed(frame: PixelArray, from: Dtype, to: "u8" | "u16", flagged: number[] = []) {
  const flags = Uint8Array.from({ length: frame.length }, (_, i) => (flagged.includes(i) ? 1 : 0));
  const output = to === "u8" ? new Uint8Array(frame.length) : new Uint16Array(frame.length);
  return narrowFrame(frame, flags, { from, to }, output) ?? [...output];
}

test("narrowing keeps every measured value, or gives the first that does not fit", () => {
  assert.deepEqual(narrowed(Uint16Array.of(0, 255, 7), "u16", "u8"), [0, 255, 7]);
  assert.deepEqual(narrowed(Uint16Array.of(0, 256, 300), "u16", "u8"), { at: 1, value: 256 });
  assert.deepEqual(narrowed(Uint32Array.of(65_533), "u32", "u16"), [65_533]);
  assert.deepEqual(narrowed(Uint32Array.of(65_534), "u32", "u16"), { at: 0, value: 65_534 });
  assert.deepEqual(narrowed(Int16Array.of(5, -1), "i16", "u16"), { at: 1, value: -1 });
  assert.deepEqual(narrowed(Float32Array.of(2, 2.5), "f32", "u8"), { at: 1, value: 2.5 });
  assert.deepEqual(narrowed(Float64Array.of(Number.NaN), "f64", "u8"), { at: 0, value: Number.NaN });
  assert.deepEqual(narrowed(BigInt64Array.of(3n, 2n ** 60n), "i64", "u16"), { at: 1, value: 2n ** 60n });
});

test("flagged values keep their meaning in the narrow type", () => {
  const u16 = Uint16Array.of(65_535, 65_534, 40_000, 3);
  assert.deepEqual(narrowed(u16, "u16", "u8", [0, 1, 2, 3]), [255, 254, 255, 3]);
  const u32 = Uint32Array.of(2 ** 32 - 1, 2 ** 32 - 2, 65_534, 3);
  assert.deepEqual(narrowed(u32, "u32", "u16", [0, 1, 2]), [65_535, 65_534, 65_535, 3]);
});

test("a fill value goes through narrowing like a flag, or becomes 0", () => {
  assert.equal(narrowFill(7, { from: "u16", to: "u8" }), 7);
  assert.equal(narrowFill(65_534, { from: "u16", to: "u8" }), 254);
  assert.equal(narrowFill(300, { from: "u16", to: "u8" }), 0);
  assert.equal(narrowFill(-1n, { from: "i64", to: "u16" }), 0);
});

test("masks: cropped with the frames; binned, flagged where every pixel is", () => {
  const mask = { shape: [3, 3] as const, data: Uint32Array.of(1, 2, 0, 4, 8, 1, 0, 1, 0) };
  const cropped = cropMask(mask, { top: 1, left: 1, height: 2, width: 2 });
  assert.deepEqual(cropped, { shape: [2, 2], data: Uint32Array.of(8, 1, 1, 0) });
  assert.deepEqual(binMask(mask, 2), { shape: [2, 2], data: Uint32Array.of(15, 0, 0, 0) });
});
