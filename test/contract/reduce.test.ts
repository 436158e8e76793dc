// Owns: reductions of paths and of loaded frames on every backend, against plain loops over the source arrays.
// Must not know: how reductions add.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  annulus,
  centerOfMass,
  type DetectorMask,
  type Dtype,
  disk,
  fromImage,
  load,
  maxPattern,
  meanPattern,
  type ProgressEvent,
  type Reduced,
  type ReduceOptions,
  reduce,
  sumPattern,
  virtualImage,
} from "framelab";
import { writeAcquisition, writeSingleFile } from "../fixtures/acquisition";
import { BACKENDS_HERE, countFrames, scratchFolder, upTo } from "./harness";

const folder = scratchFolder();
const [HEIGHT, WIDTH, COUNT] = [17, 22, 24];
const SIZE = HEIGHT * WIDTH;
const QUIET = { progress: false } as const;
const BRIGHT = disk({ center: [8, 10.5], radius: 5 });
const DARK = annulus({ center: [8, 10.5], inner: 5, outer: 9 });

const ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;
const FLAGS: Partial<Record<Dtype, readonly number[]>> = {
  u16: [65535, 65534],
  u32: [4294967295, 4294967294],
  f32: [Number.NaN, Number.POSITIVE_INFINITY],
  f64: [Number.NaN, Number.NEGATIVE_INFINITY],
};

/** Two masked pixels: one in the bright disk, one far out. */
const PIXEL_MASK = new Uint32Array(SIZE);
PIXEL_MASK[8 * WIDTH + 9] = 1;
PIXEL_MASK[3] = 4;

/** Counts with flags: pixel 5 flagged in every frame, pixel 200 in frame 3, pixel 201 in odd frames. */
function flaggedFrames(dtype: Dtype): (i: number) => Uint8Array {
  const plain = countFrames(dtype, HEIGHT, WIDTH);
  const flags = FLAGS[dtype];
  return (i) => {
    const bytes = plain(i);
    if (!flags) return bytes;
    const pixels = new ARRAYS[dtype](bytes.buffer) as Uint32Array;
    pixels[5] = flags[0]!;
    if (i === 3) pixels[200] = flags[1]!;
    if (i % 2 === 1) pixels[201] = flags[0]!;
    return bytes;
  };
}

/** Values of frame i: bigints for integers, numbers for floats, null where nothing was measured. */
function measured(dtype: Dtype, frames: (i: number) => Uint8Array, i: number): (bigint | number | null)[] {
  const bytes = frames(i);
  const pixels = new ARRAYS[dtype](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return Array.from(pixels as ArrayLike<number | bigint>, (value, pixel) => {
    if (PIXEL_MASK[pixel] || FLAGS[dtype]?.includes(value as number)) return null;
    return dtype.startsWith("f") ? Number(value) : BigInt(value);
  });
}

const total = (values: readonly (bigint | number)[]): number =>
  typeof values[0] === "bigint"
    ? Number((values as bigint[]).reduce((sum, value) => sum + value, 0n))
    : (values as number[]).reduce((sum, value) => sum + value, 0);

/** What each reduction must give over some frames; null = a frame that is lost. */
function expected(dtype: Dtype, frames: (i: number) => Uint8Array, list: readonly (number | null)[]) {
  const read = list.map((i) => (i === null ? null : measured(dtype, frames, i)));
  const present = read.filter((frame) => frame !== null);
  const inside = (mask: DetectorMask) => (_: unknown, p: number) =>
    mask.contains(Math.floor(p / WIDTH), p % WIDTH);
  const image = (mask: DetectorMask) =>
    read.map((frame) =>
      frame === null ? Number.NaN : total(frame.filter(inside(mask)).filter((v) => v !== null)),
    );
  const pattern = (of: (values: (bigint | number)[]) => number) =>
    upTo(SIZE).map((p) => {
      const values = present.map((frame) => frame[p]!).filter((v) => v !== null);
      return values.length === 0 ? Number.NaN : of(values);
    });
  const com = read.flatMap((frame) => {
    if (frame === null) return [Number.NaN, Number.NaN];
    const weights = frame.map((v) => Number(v ?? 0));
    const sum = weights.reduce((a, b) => a + b, 0);
    const moment = (at: (p: number) => number) => weights.reduce((m, w, p) => m + w * at(p), 0) / sum;
    return [moment((p) => Math.floor(p / WIDTH)), moment((p) => p % WIDTH)];
  });
  return {
    bf: image(BRIGHT),
    df: image(DARK),
    sum: pattern(total),
    mean: pattern((values) => total(values) / values.length),
    max: pattern((values) => Math.max(...values.map(Number))),
    com,
  };
}

const ALL = {
  bf: virtualImage(BRIGHT),
  df: virtualImage(DARK),
  sum: sumPattern(),
  mean: meanPattern(),
  max: maxPattern(),
  com: centerOfMass(),
};

function assertAll(
  results: Readonly<Record<keyof typeof ALL, Reduced>>,
  values: ReturnType<typeof expected>,
  leading: readonly number[],
) {
  for (const name of Object.keys(ALL) as (keyof typeof ALL)[]) {
    assert.deepEqual([...results[name].data], values[name], name);
  }
  assert.deepEqual(results.bf.shape, leading);
  assert.deepEqual(results.mean.shape, [HEIGHT, WIDTH]);
  assert.deepEqual(results.com.shape, [...leading, 2]);
}

const files = new Map<Dtype, string>();
for (const dtype of Object.keys(ARRAYS) as Dtype[]) {
  const path = join(folder, `${dtype}.h5`);
  const frames = flaggedFrames(dtype);
  const common = { name: dtype, count: COUNT, height: HEIGHT, width: WIDTH, dtype, frames };
  writeSingleFile(path, { ...common, scanShape: [4, 6], pixelMask: PIXEL_MASK });
  files.set(dtype, path);
}

for (const backend of BACKENDS_HERE) {
  test(`${backend}: every reduction of every dtype equals plain loops, from the path and from loaded frames`, async () => {
    for (const [dtype, path] of files) {
      const values = expected(dtype, flaggedFrames(dtype), upTo(COUNT));
      const results = await reduce(path, ALL, { ...QUIET, backend });
      assertAll(results, values, [4, 6]);
      const frames = await load(path, { ...QUIET, backend });
      assertAll(await reduce(frames, ALL, QUIET), values, [4, 6]);
      assert.equal(results.bf.report.backend.name, backend);
    }
  });

  const lost = {
    name: `lost-${backend}`,
    count: COUNT,
    height: HEIGHT,
    width: WIDTH,
    dtype: "u16",
    frames: flaggedFrames("u16"),
    pixelMask: PIXEL_MASK,
    filesOf: [8, 8, 8],
    absentFiles: [1],
    scanShape: [4, 6],
    store: (i: number, chunk: Uint8Array) =>
      i === 2 || i === 20 ? Uint8Array.from(chunk).fill(0xff, 16, 40) : chunk,
  } as const;
  const lostPath = writeAcquisition(folder, lost).path;
  const kept = upTo(COUNT).map((i) => (i === 2 || i === 20 || (i >= 8 && i < 16) ? null : i));

  test(`${backend}: damaged and missing frames are NaN or left out, and listed`, async () => {
    const results = await reduce(lostPath, ALL, { ...QUIET, backend });
    assertAll(results, expected("u16", flaggedFrames("u16"), kept), [4, 6]);
    const { report, notes } = results.bf;
    assert.deepEqual([...new Set(report.damaged.map(({ frame }) => frame))], [2, 20]);
    assert.deepEqual(
      report.missing.map(({ frame }) => frame),
      upTo(8).map((i) => i + 8),
    );
    assert.deepEqual(
      notes.map(({ code }) => code),
      ["flagged-left-out", "damaged-left-out", "missing-left-out"],
    );
    assert.match(notes[0]!.text, /^Left out: 1 pixel of the pixel mask\.$/);
    // Pixels 200 (frame 3) and 201 (8 odd frames) lie in the annulus; the patterns see pixel 5 in 14 frames, too.
    assert.match(results.df.notes[0]!.text, /^Left out: 9 values of other pixels/);
    assert.match(results.mean.notes[0]!.text, /2 pixels of the pixel mask, 23 values of other pixels/);
    assert.match(results.max.notes[0]!.text, /2 pixels of the pixel mask, 23 values of other pixels/);
    assert.match(notes[1]!.text, /are NaN: 2, 20\./);
    assert.match(results.mean.notes[1]!.text, /are left out: 2, 20\./);
  });

  test(`${backend}: damage and gaps throw when that is asked for, with the report of load`, async () => {
    const strict: ReduceOptions = { ...QUIET, backend, onDamage: "throw" };
    const wanted = await load(lostPath, { ...QUIET, backend, onMissing: "fill" }).catch((e: unknown) => e);
    const error = await meanPattern(lostPath, strict).catch((e: unknown) => e);
    assert.equal((error as Error).name, "DamagedFramesError");
    assert.equal((error as Error).message, (wanted as Error).message);
    await assert.rejects(meanPattern(lostPath, { ...QUIET, backend, onMissing: "throw" }), {
      name: "MissingFramesError",
    });
    const trimmed = await virtualImage(lostPath, BRIGHT, { ...QUIET, backend, onMissing: "trim" });
    assert.deepEqual(trimmed.shape, [1, 6]);
  });
}

test("each reduction by itself is that of reduce", async () => {
  const path = files.get("u16")!;
  const values = expected("u16", flaggedFrames("u16"), upTo(COUNT));
  const frames = await load(path, QUIET);
  const pairs: [Reduced, readonly number[]][] = [
    [await virtualImage(path, DARK, QUIET), values.df],
    [await virtualImage(frames, DARK, QUIET), values.df],
    [await sumPattern(path, QUIET), values.sum],
    [await sumPattern(frames, QUIET), values.sum],
    [await meanPattern(path, QUIET), values.mean],
    [await maxPattern(path, QUIET), values.max],
    [await centerOfMass(path, QUIET), values.com],
    [
      await centerOfMass(frames, fromImage(new Array(HEIGHT).fill(new Array(WIDTH).fill(1))), QUIET),
      values.com,
    ],
  ];
  for (const [got, wanted] of pairs) assert.deepEqual([...got.data], wanted);
});

test("a selection is reduced in its order, and repeats count again", async () => {
  const path = files.get("u32")!;
  const list = [7, 0, 7, 23];
  const results = await reduce(path, ALL, { ...QUIET, frames: list, scanShape: null });
  assertAll(results, expected("u32", flaggedFrames("u32"), list), [4]);
  assert.deepEqual(results.bf.axes, ["frame"]);
});

test("results say their axes and unit, and print as one line without values", async () => {
  const { bf, com, mean } = await reduce(files.get("u8")!, ALL, QUIET);
  assert.deepEqual([bf.axes, bf.unit], [["scan row", "scan column"], "counts"]);
  assert.deepEqual([com.axes, com.unit], [["scan row", "scan column", "row, column"], "pixels"]);
  assert.deepEqual([mean.axes, mean.unit], [["detector row", "detector column"], "counts"]);
  const { inspect } = await import("node:util");
  assert.match(
    inspect(bf),
    /^Virtual image \(disk around \[8, 10\.5\], radius 5\) f64 \[4, 6\] in counts; Left out: 1 pixel/,
  );
});

test("a frame whose pixels are all flagged, and a frame without counts, have no value", async () => {
  const path = join(folder, "empty.h5");
  const frames = (i: number) => new Uint8Array(SIZE * 2).fill(i === 0 ? 0xff : 0);
  writeSingleFile(path, { name: "empty", count: 2, height: HEIGHT, width: WIDTH, dtype: "u16", frames });
  const { bf, com, mean } = await reduce(path, ALL, { ...QUIET, scanShape: null });
  assert.deepEqual([...bf.data], [Number.NaN, 0]);
  assert.ok([...com.data].every(Number.isNaN));
  assert.ok([...mean.data].every((value) => value === 0));
});

test("progress counts frames, and a cancel ends a reduction with AbortError", async () => {
  const path = join(folder, "long.h5");
  const one = countFrames("u16", 192, 192)(0);
  const spec = {
    name: "long",
    count: 3000,
    height: 192,
    width: 192,
    dtype: "u16",
    frames: () => one,
  } as const;
  writeSingleFile(path, spec);
  const events: ProgressEvent[] = [];
  await meanPattern(path, { frames: { from: 0, to: 600 }, progress: (event) => events.push(event) });
  assert.deepEqual([events.at(-1)?.task, events.at(-1)?.framesDone], ["reduce", 600]);
  assert.match(events.at(-1)!.message, /^Reduced 600 frames/);
  const abort = new AbortController();
  // The reference takes far longer than the time between two events.
  const slow = { backend: "reference", signal: abort.signal } as const;
  const stop = (event: ProgressEvent) => {
    if (event.framesDone > 0) abort.abort();
  };
  await assert.rejects(meanPattern(path, { ...slow, progress: stop }), { name: "AbortError" });
  for (const backend of BACKENDS_HERE) {
    const soon = new AbortController();
    const started = meanPattern(path, { ...QUIET, backend, signal: soon.signal });
    setImmediate(() => soon.abort());
    await assert.rejects(started, { name: "AbortError" });
  }
  const frames = await load(path, { ...QUIET, frames: { from: 0, to: 600 } });
  const late = new AbortController();
  const running = meanPattern(frames, { ...QUIET, signal: late.signal });
  late.abort();
  await assert.rejects(running, { name: "AbortError" });
});

test("misuse is an OptionError", async () => {
  const path = files.get("u16")!;
  const frames = await load(path, QUIET);
  const option = { name: "OptionError" };
  await assert.rejects(reduce(path, {}), option);
  await assert.rejects(reduce(path, { bf: BRIGHT } as never), option);
  await assert.rejects(reduce(frames, ALL, { frames: [0] } as never), option);
  await assert.rejects(reduce(3 as never, ALL), option);
  await assert.rejects(meanPattern(path, { onDamage: "skip" } as never), option);
  await assert.rejects(virtualImage(path, disk({ center: [99, 99], radius: 3 }), QUIET), option);
  assert.throws(() => virtualImage("a.h5" as never), option);
});
