// Owns: encoded frames on every backend: exact frames, pixels, parts and reductions, the damage rules of plain loads, and
// a scan larger than its memory limit. Must not know: how chunks are held.
import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  type Dtype,
  disk,
  type EncodedOptions,
  load,
  meanPattern,
  reduce,
  sumPattern,
  virtualImage,
} from "framelab";
import { writeAcquisition, writeSingleFile } from "../fixtures/acquisition";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";

const folder = scratchFolder();
const COUNT = 24;
const frameOf = countFrames("u16", 30, 41);
const spec = { count: COUNT, height: 30, width: 41, dtype: "u16", frames: frameOf } as const;
const scanned = { ...spec, filesOf: [9, 9, 6], scanShape: [4, 6] } as const;

const good = writeAcquisition(folder, { ...scanned, name: "good" });
const damaged = writeAcquisition(folder, {
  ...scanned,
  name: "damaged",
  store: (i, chunk) => (i === 4 || i === 20 ? Uint8Array.from(chunk).fill(0xff, 16, 60) : chunk),
});
const absent = writeAcquisition(folder, { ...scanned, name: "absent", absentFiles: [1] });

const encoded = (path: string, options: Omit<EncodedOptions, "representation"> = {}) =>
  load(path, { progress: false, ...options, representation: "encoded" });

for (const backend of BACKENDS_HERE) {
  test(`${backend}: every frame, pixel and part equals the source, with the files gone`, async () => {
    const copy = writeAcquisition(join(folder, `gone-${backend}`), { ...scanned, name: "gone" });
    const frames = await encoded(copy.path, { backend });
    for (const file of [copy.path, ...copy.dataFiles]) rmSync(file);
    assert.deepEqual(frames.shape, [4, 6, 30, 41]);
    assert.equal(frames.report.backend.name, backend);
    assert.deepEqual([...frames.valid], new Array(COUNT).fill(1));
    const stored = copy.chunks.reduce((sum, chunk) => sum + (chunk?.bytes ?? 0), 0);
    assert.equal(frames.storedBytes, stored);
    for (const i of [23, 0, 9, 8, 17])
      assert.ok(bytesOf(await frames.frame(i)).equals(Buffer.from(frameOf(i))));
    const pixel = (i: number, y: number, x: number) =>
      new DataView(frameOf(i).buffer).getUint16((y * 41 + x) * 2, true);
    for (const [r, c, y, x] of [
      [0, 0, 0, 0],
      [3, 5, 29, 40],
      [2, 1, 7, 33],
    ] as const) {
      assert.equal(await frames.get(r, c, y, x), pixel(r * 6 + c, y, x));
    }
    const part = await frames.scan({ rows: [1, 4, 2], cols: [2, 6] });
    assert.deepEqual(part.shape, [2, 4, 30, 41]);
    assert.ok(bytesOf(part).equals(stack(frameOf, [8, 9, 10, 11, 20, 21, 22, 23])));
    assert.ok(bytesOf(await frames.scan({})).equals(stack(frameOf, upTo(COUNT))));
    frames.release();
    assert.equal(part.frame(0).get(3, 4), pixel(8, 3, 4));
  });

  test(`${backend}: every kind of element, big-endian, in a listed order with repeats`, async () => {
    for (const dtype of ["u8", "u32", "u64", "i16", "f64"] as Dtype[]) {
      const path = join(folder, `${dtype}-${backend}.h5`);
      const own = countFrames(dtype, 12, 9);
      writeSingleFile(path, {
        name: dtype,
        count: 5,
        height: 12,
        width: 9,
        dtype,
        frames: own,
        order: "big",
      });
      const frames = await encoded(path, { backend, frames: [3, 0, 3] });
      assert.deepEqual(frames.shape, [3, 12, 9]);
      for (const [k, i] of [3, 0, 3].entries()) {
        assert.ok(bytesOf(await frames.frame(k)).equals(Buffer.from(own(i))), dtype);
      }
    }
  });

  test(`${backend}: damage raises the error of plain counts, and an undamaged copy then loads exactly`, async () => {
    const plain = await loadOn(backend, damaged.path).catch((error: unknown) => error);
    const error = await encoded(damaged.path, { backend }).catch((e: unknown) => e);
    assert.equal((error as Error).name, "DamagedFramesError");
    assert.equal((error as Error).message, (plain as Error).message);
    const masked = await encoded(damaged.path, { backend, onDamage: "mask" });
    const lost = upTo(COUNT).map((i) => (i === 4 || i === 20 ? 0 : 1));
    assert.deepEqual([...masked.valid], lost);
    assert.ok(bytesOf(await masked.frame(4)).every((byte) => byte === 0));
    assert.ok(bytesOf(await masked.frame(5)).equals(Buffer.from(frameOf(5))));
    const part = await masked.scan({ rows: [0, 1] });
    assert.deepEqual([...part.valid], lost.slice(0, 6));
    assert.deepEqual([...new Set(part.report.damaged.map(({ frame }) => frame))], [4]);
    const image = await virtualImage(masked, disk({ center: [15, 20], radius: 9 }), { progress: false });
    assert.deepEqual(
      upTo(COUNT).filter((i) => Number.isNaN(image.data[i]!)),
      [4, 20],
    );
    for (const [k, file] of good.dataFiles.entries()) copyFileSync(file, damaged.dataFiles[k]!);
    const healed = await encoded(damaged.path, { backend });
    assert.ok(bytesOf(await healed.frame(4)).equals(Buffer.from(frameOf(4))));
    writeAcquisition(folder, {
      ...scanned,
      name: "damaged",
      store: (i, chunk) => (i === 4 || i === 20 ? Uint8Array.from(chunk).fill(0xff, 16, 60) : chunk),
    });
  });

  test(`${backend}: stored bytes that nothing needs are noted as by load`, async () => {
    const more = (chunk: Uint8Array) => Buffer.concat([chunk, Buffer.alloc(5)]);
    const { path } = writeAcquisition(folder, {
      ...scanned,
      name: `more-${backend}`,
      store: (i, chunk) => (i % 7 === 3 ? more(chunk) : chunk),
    });
    const { notes } = (await loadOn(backend, path)).report;
    assert.ok(notes.some(({ text }) => /\b3 chunks\b/.test(text)));
    assert.deepEqual((await encoded(path, { backend })).report.notes, notes);
  });

  test(`${backend}: missing frames follow the rules of load`, async () => {
    await assert.rejects(encoded(absent.path, { backend }), { name: "MissingFramesError" });
    const filled = await encoded(absent.path, { backend, onMissing: "fill" });
    assert.deepEqual(
      [...filled.valid],
      upTo(COUNT).map((i) => (i >= 9 && i < 18 ? 0 : 1)),
    );
    assert.ok(bytesOf(await filled.frame(12)).every((byte) => byte === 0));
    const trimmed = await encoded(absent.path, { backend, onMissing: "trim" });
    assert.deepEqual(trimmed.shape, [1, 6, 30, 41]);
    assert.ok(bytesOf(await trimmed.frame(5)).equals(Buffer.from(frameOf(5))));
  });

  test(`${backend}: reductions of encoded frames are those of the path, also with transforms`, async () => {
    const options = { bin: 2, detector: { rows: [2, 25], cols: [0, 40] } } as const;
    const wanted = { bf: virtualImage(disk({ center: [5, 9], radius: 4 })), mean: meanPattern() };
    const path = await reduce(good.path, wanted, { ...options, progress: false, backend });
    const frames = await encoded(good.path, { ...options, backend });
    const held = await reduce(frames, wanted, { progress: false });
    assert.deepEqual(frames.shape, [4, 6, 12, 20]);
    assert.deepEqual([...held.bf.data], [...path.bf.data]);
    assert.deepEqual([...held.mean.data], [...path.mean.data]);
    const plain = await loadOn(backend, good.path, options);
    assert.ok(bytesOf(await frames.frame(11)).equals(bytesOf(plain.frame(11))));
  });

  // 3000 frames of 73,728 bytes are 221 MB; nearly all of them share one stored chunk.
  test(`${backend}: a scan larger than its memory limit is explored by reductions and encoded reads`, async () => {
    const [common, odd] = [countFrames("u16", 192, 192)(0), countFrames("u16", 192, 192)(1)];
    const path = join(folder, `large-${backend}.h5`);
    const count = backend === "reference" ? 1600 : 3000;
    const cols = count / 40;
    const at = 17 * cols + 3;
    writeSingleFile(path, {
      name: "large",
      count,
      height: 192,
      width: 192,
      dtype: "u16",
      frames: (i) => (i === at ? odd : common),
      scanShape: [40, cols],
    });
    const memoryLimit = 100e6;
    const limited = { progress: false, backend, memoryLimit } as const;
    await assert.rejects(load(path, limited), { name: "MemoryLimitError" });
    const total = (frame: Uint8Array) => new Uint16Array(frame.buffer).reduce((sum, value) => sum + value, 0);
    const everything = disk({ center: [96, 96], radius: 1000 });
    const image = await virtualImage(path, everything, limited);
    assert.deepEqual(
      [...image.data],
      upTo(count).map((i) => total(i === at ? odd : common)),
    );
    assert.ok(image.report.bytes.peak <= memoryLimit);
    const frames = await encoded(path, limited);
    assert.ok(frames.report.bytes.peak <= memoryLimit);
    assert.ok(bytesOf(await frames.frame(at)).equals(Buffer.from(odd)));
    assert.equal(await frames.get(39, cols - 1, 191, 190), new Uint16Array(common.buffer)[191 * 192 + 190]);
    const part = await frames.scan({ rows: [17, 18], cols: [2, 5] });
    assert.ok(bytesOf(part).equals(Buffer.concat([common, odd, common])));
    await assert.rejects(frames.scan({}), { name: "MemoryLimitError" });
    const sum = await sumPattern(frames, { progress: false });
    const [a, b] = [new Uint16Array(common.buffer), new Uint16Array(odd.buffer)];
    assert.deepEqual(
      [...sum.data],
      Array.from(a, (value, p) => value * (count - 1) + b[p]!),
    );
    frames.release();
  });
}

test("a memory limit below the stored bytes is refused before anything is read, with both numbers", async () => {
  const path = join(folder, "stored.h5");
  const random = countFrames("u16", 192, 192);
  writeSingleFile(path, { name: "stored", count: 40, height: 192, width: 192, dtype: "u16", frames: random });
  await assert.rejects(encoded(path, { memoryLimit: 17e6 }), {
    name: "MemoryLimitError",
    message: /encoded frames .*memoryLimit allows 17 MB/,
  });
});

test("what a reader changes stays his own, and neighbouring reads agree", async () => {
  const frames = await encoded(good.path);
  const mine = await frames.frame(7);
  mine.data.fill(9);
  assert.ok(bytesOf(await frames.frame(7)).equals(Buffer.from(frameOf(7))));
  const all = await Promise.all(upTo(COUNT).map((i) => frames.frame(i)));
  for (const [i, frame] of all.entries()) assert.ok(bytesOf(frame).equals(Buffer.from(frameOf(i))));
});

test("reads outside the shape, without a scan, and after a release are refused", async () => {
  const frames = await encoded(good.path);
  await assert.rejects(frames.frame(COUNT), { name: "SelectionError", message: /0 … 23/ });
  await assert.rejects(frames.get(0, 0, 30, 0), { name: "SelectionError", message: /\[4, 6, 30, 41\]/ });
  await assert.rejects(frames.get(0, 0), { name: "SelectionError" });
  await assert.rejects(frames.scan({ rows: [3, 5] }), { name: "SelectionError" });
  await assert.rejects(frames.scan({ row: [0, 1] } as never), { name: "OptionError" });
  const flat = await encoded(good.path, { scanShape: null });
  await assert.rejects(flat.scan({ rows: [0, 1] }), { name: "SelectionError", message: /no scan shape/ });
  const running = frames.scan({});
  frames.release();
  frames.release();
  assert.ok(bytesOf(await running).equals(stack(frameOf, upTo(COUNT))));
  await assert.rejects(frames.frame(0), { name: "SelectionError", message: /were released/ });
  await assert.rejects(meanPattern(frames, { progress: false }), { name: "SelectionError" });
});

test("encoded frames print as one line, and cancel like a load", async () => {
  const frames = await encoded(good.path, { backend: "reference" });
  assert.match(
    inspect(frames),
    /^Encoded u16 \[4, 6, 30, 41\], \S+ kB for 59\.0 kB, reference .*, 0 damaged$/,
  );
  await assert.rejects(encoded(good.path, { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(load(good.path, { representation: "packed" } as never), { name: "OptionError" });
});
