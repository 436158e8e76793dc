// Owns: `detector`, `flagged`, `bin` and `dtype` on every backend, through `load` and `stream`, judged by the source arrays.
// Must not know: how a stage computes, how a backend decodes.
import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DamagedFramesError, type Dtype, forEachBatch, type LoadOptions, OptionError } from "framelab";
import { type AcquisitionSpec, writeAcquisition, writeSingleFile } from "../fixtures/acquisition";
import { Random } from "../fixtures/random";
import { BACKENDS_HERE, loadOn, scratchFolder, upTo } from "./harness";

const folder = scratchFolder();
const ROWS = 13;
const COLS = 11;
const COUNT = 9;
const MASK = Uint32Array.from({ length: ROWS * COLS }, (_, i) => (i % 17 === 3 ? 2 : 0));
MASK.fill(1, 0, 2 * COLS); // Two dead rows: whole bins without a measurement.

/** Counts with sentinels, one grid of plain numbers a frame. */
function grid(i: number): number[] {
  const random = new Random(31, i);
  return upTo(ROWS * COLS).map(() => {
    const value = random.poisson(Math.exp(-2));
    return value > 5 ? (value % 2 ? 65_535 : 65_534) : value;
  });
}

const bytes16 = (values: readonly number[]) => new Uint8Array(Uint16Array.from(values).buffer);
const spec = {
  count: COUNT,
  height: ROWS,
  width: COLS,
  dtype: "u16",
  frames: (i: number) => bytes16(grid(i)),
  pixelMask: MASK,
} as const;
const good = writeAcquisition(folder, { ...spec, name: "good", filesOf: [4, 5] });

const isFlagged = (value: number, at: number) => MASK[at] !== 0 || value >= 65_534;

interface Expectation {
  readonly values: number[];
  readonly shape: readonly [number, number];
}

/** What one frame should become: written out pixel by pixel from the definition. */
function expected(i: number, options: LoadOptions): Expectation {
  const source = grid(i);
  const [top, bottom] = options.detector?.rows ?? [0, ROWS];
  const [left, right] = options.detector?.cols ?? [0, COLS];
  const inside = (y: number, x: number) => y >= top && y < bottom && x >= left && x < right;
  const pixel = (y: number, x: number) => {
    const value = source[y * COLS + x];
    const flagged = isFlagged(value, y * COLS + x);
    if (!flagged) return { value, flagged };
    if (options.flagged === "zero") return { value: 0, flagged: false };
    if (options.flagged !== "median") return { value, flagged };
    const near: number[] = [];
    for (const dy of [-1, 0, 1]) {
      for (const dx of [-1, 0, 1]) {
        const at = (y + dy) * COLS + x + dx;
        if (inside(y + dy, x + dx) && !isFlagged(source[at], at)) near.push(source[at]);
      }
    }
    near.sort((a, b) => a - b);
    const half = near.length / 2;
    const median = (near[Math.ceil(half) - 1] + near[Math.floor(half)]) / 2;
    return { value: near.length === 0 ? 0 : Math.floor(median), flagged: false };
  };
  const bin = options.bin ?? 1;
  const shape = [Math.ceil((bottom - top) / bin), Math.ceil((right - left) / bin)] as const;
  const values: number[] = [];
  for (let y = top; y < bottom; y += bin) {
    for (let x = left; x < right; x += bin) {
      let sum = 0;
      for (let dy = 0; dy < bin; dy++) {
        for (let dx = 0; dx < bin; dx++) {
          if (!inside(y + dy, x + dx)) continue;
          const { value, flagged } = pixel(y + dy, x + dx);
          if (bin === 1 || !flagged) sum += value;
        }
      }
      values.push(bin === 1 && options.dtype === "u8" && sum > 255 ? sum - 65_280 : sum);
    }
  }
  return { values, shape };
}

const DETECTOR = { rows: [1, 12], cols: [2, 9] } as const;
const CASES: readonly LoadOptions[] = [
  { detector: DETECTOR },
  { detector: { cols: [10, 11] } },
  { flagged: "keep" },
  { flagged: "zero" },
  { flagged: "median" },
  { detector: DETECTOR, flagged: "median" },
  { bin: 2 },
  { bin: 4, flagged: "median" },
  { bin: 8, flagged: "zero" },
  { dtype: "u8" },
  { dtype: "u8", flagged: "median" },
  { detector: DETECTOR, bin: 2, dtype: "u8" },
  { detector: DETECTOR, bin: 4, dtype: "u16", flagged: "median" },
];

/** Streams in batches and joins the values. */
async function streamed(path: string, options: LoadOptions, batchFrames: number) {
  const values: number[] = [];
  const valid: number[] = [];
  const report = await forEachBatch(
    path,
    (batch) => {
      values.push(...(batch.frames.data as Uint16Array));
      valid.push(...batch.valid);
    },
    { progress: false, ...options, batchFrames },
  );
  return { values, valid, report };
}

for (const backend of BACKENDS_HERE) {
  for (const options of CASES) {
    test(`${backend}: ${JSON.stringify(options)}`, async () => {
      const frames = await loadOn(backend, good.path, options);
      const want = upTo(COUNT).map((i) => expected(i, options));
      assert.deepEqual(frames.shape, [3, 3, ...want[0].shape]);
      assert.equal(frames.pixelType, options.dtype ?? (options.bin ? "u32" : "u16"));
      assert.deepEqual(
        [...frames.data],
        want.flatMap(({ values }) => values),
      );
      assert.deepEqual([...frames.frame(7).data], want[7].values);
      assert.deepEqual(frames.pixelMask?.shape, want[0].shape);
      const { flagged } = frames.report;
      for (const batchFrames of [1, 4, 100]) {
        const batches = await streamed(good.path, { ...options, backend }, batchFrames);
        assert.deepEqual(batches.values, [...frames.data]);
        assert.deepEqual(batches.report.flagged, flagged);
      }
    });
  }

  test(`${backend}: the report counts and places flagged pixels`, async () => {
    const { report } = await loadOn(backend, good.path, { detector: DETECTOR, flagged: "median" });
    const inside = upTo(ROWS * COLS)
      .map((at) => ({ at, row: Math.floor(at / COLS), col: at % COLS }))
      .filter(({ row, col }) => row >= 1 && row < 12 && col >= 2 && col < 9);
    const masked = inside.filter(({ at }) => MASK[at] !== 0).map(({ row, col }) => ({ row, col }));
    assert.deepEqual(report.flagged.masked, { pixels: masked.length, listed: masked });
    const grids = upTo(COUNT).map(grid);
    const held = inside
      .filter(({ at }) => MASK[at] === 0)
      .map(({ at, row, col }) => ({ row, col, frames: grids.filter((g) => g[at] >= 65_534).length }))
      .filter(({ frames }) => frames > 0);
    assert.ok(held.length > 0);
    const values = held.reduce((sum, { frames }) => sum + frames, 0);
    assert.deepEqual(report.flagged.sentinels, { pixels: held.length, values, listed: held });
    assert.deepEqual(JSON.parse(JSON.stringify(report.flagged)), report.flagged);
    assert.ok(Object.isFrozen(report.flagged.masked.listed));
    const plain = await loadOn(backend, good.path);
    assert.equal(plain.report.flagged.sentinels, null);
  });

  test(`${backend}: damaged and missing frames stay what they are`, async () => {
    const store: AcquisitionSpec["store"] = (i, chunk) => (i === 2 ? chunk.subarray(0, 9) : chunk);
    const fillValue = Uint8Array.of(200, 0);
    const { path } = writeAcquisition(folder, {
      ...spec,
      name: "broken",
      filesOf: [3, 3, 3],
      absentFiles: [1],
      store,
      fillValue,
    });
    const options = { onDamage: "mask", onMissing: "fill", bin: 2, dtype: "u8" } as const;
    const frames = await loadOn(backend, path, options);
    assert.deepEqual([...frames.valid], [1, 1, 0, 0, 0, 0, 1, 1, 1]);
    const size = 7 * 6;
    const want = upTo(COUNT).flatMap((i) => {
      if (i >= 2 && i < 6) return new Array<number>(size).fill(i === 2 ? 0 : 200);
      return expected(i, options).values;
    });
    assert.deepEqual([...frames.data], want);
    const batches = await streamed(path, { ...options, backend }, 2);
    assert.deepEqual(batches.values, want);
    assert.deepEqual(batches.valid, [...frames.valid]);
  });

  test(`${backend}: a value that does not fit names its first frame and pixel, at any batch boundary`, async () => {
    const frames = (i: number) => {
      const values = grid(i);
      if (i >= 5) values[5 * COLS + 6] = 300 + i;
      return bytes16(values);
    };
    const { path } = writeAcquisition(folder, { ...spec, name: "wide", filesOf: [4, 5], frames });
    const refused = (work: Promise<unknown>, frame: number) =>
      assert.rejects(work, (error: unknown) => {
        assert.ok(error instanceof OptionError);
        assert.equal(error.place, "dtype");
        assert.equal(error.got, `frame ${frame}, pixel [5, 6]: ${300 + frame}`);
        assert.equal(error.expected, "whole numbers 0 … 255");
        assert.match(error.message, /scan position \[\d, \d\]|frame 8 of/);
        return true;
      });
    const options = { dtype: "u8", detector: DETECTOR } as const;
    await refused(loadOn(backend, path, options), 5);
    await refused(loadOn(backend, path, { ...options, frames: [0, 8, 6] }), 8);
    for (const batchFrames of [1, 3, 9])
      await refused(streamed(path, { ...options, backend }, batchFrames), 5);
    const exact = await loadOn(backend, path, { ...options, detector: { rows: [0, 5] } });
    assert.deepEqual(
      [...exact.data],
      upTo(COUNT).flatMap((i) => expected(i, { dtype: "u8", detector: { rows: [0, 5] } }).values),
    );
  });

  test(`${backend}: damage and a misfit: whichever frame comes first, at any batch boundary`, async () => {
    const frames = (i: number) => bytes16(grid(i).map((value, at) => (i === 4 && at === 100 ? 999 : value)));
    for (const [damaged, name] of [
      [3, "DamagedFramesError"],
      [5, "OptionError"],
    ] as const) {
      const store: AcquisitionSpec["store"] = (i, chunk) =>
        i === damaged || i === 8 ? chunk.subarray(0, 9) : chunk;
      const { path } = writeSingleFile(join(folder, `first-${damaged}.h5`), {
        ...spec,
        name: "first",
        frames,
        store,
        pixelMask: null,
      });
      const fails = async (work: Promise<unknown>) => {
        const error = await work.catch((e: unknown) => e);
        assert.equal((error as Error).name, name);
        if (error instanceof DamagedFramesError) {
          assert.deepEqual(
            error.report.damaged.map(({ frame }) => frame),
            [3, 8],
          );
        }
      };
      await fails(loadOn(backend, path, { dtype: "u8" }));
      for (const batchFrames of [1, 2, 9]) {
        await fails(streamed(path, { backend, dtype: "u8" }, batchFrames));
      }
    }
  });

  test(`${backend}: a sum past its type names the frame and the first pixel of the square`, async () => {
    const values = (i: number) =>
      Uint32Array.from({ length: ROWS * COLS }, (_, at) => (i === 6 && at >= 60 ? 2 ** 31 : at));
    const { path } = writeSingleFile(join(folder, "overflow.h5"), {
      ...spec,
      name: "overflow",
      dtype: "u32",
      frames: (i) => new Uint8Array(values(i).buffer),
      pixelMask: null,
    });
    // Pixel 60 is [5, 5]: the first square with two of them starts at [4, 6].
    const error = await loadOn(backend, path, { bin: 2 }).catch((e: unknown) => e);
    assert.ok(error instanceof OptionError);
    assert.equal(error.place, "bin");
    assert.equal(error.got, `frame 6, pixels from [4, 6]: ${2 ** 32 + 51 + 50}`);
    const exact = await loadOn(backend, path, { bin: 2, frames: { from: 0, to: 6 } });
    assert.equal(exact.get(0, 0, 0), 0 + 1 + 11 + 12);
  });

  const KINDS: readonly [Dtype, Dtype][] = [
    ["u8", "u32"],
    ["i8", "i32"],
    ["i16", "i32"],
    ["i32", "i32"],
    ["u64", "u64"],
    ["i64", "i64"],
    ["f32", "f32"],
    ["f64", "f64"],
  ];
  for (const [from, to] of KINDS) {
    test(`${backend}: ${from} sums to ${to}`, async () => {
      const make = {
        u8: Uint8Array,
        i8: Int8Array,
        i16: Int16Array,
        i32: Int32Array,
        u64: BigUint64Array,
        i64: BigInt64Array,
        f32: Float32Array,
        f64: Float64Array,
      };
      const Pixels = make[from as keyof typeof make] as unknown as new (
        values: readonly unknown[],
      ) => Uint8Array;
      const convert = from.endsWith("64") && !from.startsWith("f") ? BigInt : Number;
      const frames = (i: number) =>
        new Uint8Array(new Pixels(upTo(ROWS * COLS).map((at) => convert((at + i) % 100))).buffer);
      const { path } = writeSingleFile(join(folder, `sum-${from}.h5`), {
        ...spec,
        name: from,
        dtype: from,
        frames,
        pixelMask: null,
      });
      const loaded = await loadOn(backend, path, { bin: 4, detector: { rows: [0, 4], cols: [3, 7] } });
      assert.equal(loaded.pixelType, to);
      const sum = (i: number) =>
        [0, 1, 2, 3].reduce(
          (all, y) => all + [3, 4, 5, 6].reduce((row, x) => row + ((y * COLS + x + i) % 100), 0),
          0,
        );
      assert.deepEqual(
        [...loaded.data] as unknown[],
        upTo(COUNT).map((i) => convert(sum(i))),
      );
    });
  }

  test(`${backend}: a load longer than its decode window is exact, in less memory than the decoded frames`, async () => {
    const pictures = [0, 1, 2].map((kind) => {
      const random = new Random(5, kind);
      return Uint16Array.from({ length: 192 * 192 }, () => random.poisson(Math.exp(-2)));
    });
    const frames = pictures.map((picture) => new Uint8Array(picture.buffer));
    const last = new Uint8Array(
      Uint16Array.from(pictures[0], (value, at) => (at === 4000 ? 700 : value)).buffer,
    );
    const { path } = writeAcquisition(folder, {
      name: "long",
      count: 900,
      height: 192,
      width: 192,
      dtype: "u16",
      frames: (i) => (i === 899 ? last : frames[i % 3]),
      filesOf: [500, 400],
      pixelMask: null,
    });
    const memoryLimit = 50e6; // Decoded, the frames take 66 MB.
    const every = { memoryLimit, frames: { from: 0, to: 899 } } as const;
    await assert.rejects(loadOn(backend, path, every), { name: "MemoryLimitError" });
    const sums = pictures.map((picture) => {
      const sum = new Float64Array(24 * 24);
      for (const [at, value] of picture.entries()) {
        sum[Math.floor(at / 192 / 8) * 24 + Math.floor((at % 192) / 8)] += value;
      }
      return [...sum];
    });
    const binned = await loadOn(backend, path, { ...every, bin: 8 });
    assert.deepEqual(binned.shape, [899, 24, 24]);
    for (let i = 0; i < 899; i++) assert.deepEqual([...binned.frame(i).data], sums[i % 3]);
    assert.ok(binned.report.bytes.peak < memoryLimit);
    assert.equal(binned.report.bytes.decoded, 899 * 192 * 192 * 2);
    await assert.rejects(loadOn(backend, path, { memoryLimit, dtype: "u8", detector: { rows: [0, 48] } }), {
      name: "OptionError",
      got: "frame 899, pixel [20, 160]: 700",
    });
  });

  test(`${backend}: only the chunks of the selection are read`, async () => {
    const options = { frames: [7, 1, 7], detector: DETECTOR, bin: 2 } as const;
    const { report } = await loadOn(backend, good.path, options);
    const stored = (i: number) => good.chunks[i]?.bytes ?? Number.NaN;
    assert.equal(report.bytes.stored, stored(7) + stored(1) + stored(7));
  });
}

test("the file reads of a selection touch its chunks alone", async (t) => {
  const chunks = good.chunks.map((chunk) => chunk ?? { file: "", offset: 0, bytes: 0 });
  const paths = new Map<number, string>();
  const reads: { path: string; from: number; to: number }[] = [];
  const { openSync, readSync } = fs;
  t.mock.method(fs, "openSync", (...args: Parameters<typeof openSync>) => {
    const fd = openSync(...args);
    paths.set(fd, String(args[0]));
    return fd;
  });
  t.mock.method(
    fs,
    "readSync",
    (fd: number, buffer: Uint8Array, at: number, length: number, from: number) => {
      reads.push({ path: paths.get(fd) ?? "", from, to: from + length });
      return readSync(fd, buffer, at, length, from);
    },
  );
  await loadOn("reference", good.path, { frames: [7, 1], detector: DETECTOR, bin: 2 });
  // By its last byte: the superblock's read reaches into the chunk behind it.
  const lastRead = (i: number) => {
    const last = chunks[i].offset + chunks[i].bytes - 1;
    return reads.some(({ path, from, to }) => path === chunks[i].file && from <= last && to > last);
  };
  assert.deepEqual(upTo(COUNT).filter(lastRead), [1, 7]);
});
