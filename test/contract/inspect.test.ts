// Owns: `inspect`: what it says of good, short, unfinished and unreadable acquisitions. Judge: what was written.
// Must not know: how headers are read.
import assert from "node:assert/strict";
import fs, { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect as print } from "node:util";
import { inspect } from "framelab";
import { writeAcquisition, writeSingleFile } from "../fixtures/acquisition";
import {
  chunked,
  dataset,
  encodeHdf5,
  group,
  lookup3,
  scalar,
  text,
  writeHdf5,
} from "../fixtures/hdf5-writer";
import { countFrames, loadOn, scratchFolder } from "./harness";

const folder = scratchFolder();
const SPEC = {
  count: 16,
  height: 12,
  width: 20,
  dtype: "u16" as const,
  frames: countFrames("u16", 12, 20),
};

test("a good master is ready, with every fact of its headers", async () => {
  const mask = new Uint32Array(12 * 20);
  mask.set([1, 8, 2], 30);
  const { path } = writeAcquisition(join(folder, "good"), {
    ...SPEC,
    name: "scan",
    filesOf: [6, 6, 4],
    pixelMask: mask,
    detectorSpecific: { serial: dataset(scalar("u64", 2n ** 63n + 1n)), mode: dataset(text("counting ü")) },
  });
  const about = await inspect(path);
  assert.deepEqual([about.ready, about.why, about.todo, about.kind], [true, null, null, "master"]);
  assert.deepEqual(about.frames, { planned: 16, found: 16, complete: 16 });
  assert.deepEqual(about.scan, { shape: [4, 4], from: "square" });
  assert.deepEqual(about.detector, {
    name: "FrameLab test detector",
    shape: [12, 20],
    dwellSeconds: 0.0001,
    flaggedPixels: 3,
  });
  assert.deepEqual([about.dtype, about.byteOrder], ["u16", "little"]);
  assert.deepEqual(
    about.filters.map(({ id, values }) => [id, values]),
    [[32008, [0, 4, 2, 0, 2]]],
  );
  assert.deepEqual(about.layout, { storage: "chunked", chunkShape: [1, 12, 20], index: "btree-v1" });
  assert.deepEqual(
    about.files.map(({ firstFrame, frames, problem }) => [firstFrame, frames, problem]),
    [
      [0, 6, null],
      [6, 6, null],
      [12, 4, null],
    ],
  );
  const loaded = await loadOn("auto", path);
  assert.equal(about.bytes.stored, loaded.report.bytes.stored);
  assert.equal(about.bytes.inMemory, 16 * 12 * 20 * 2);
  const detector = "/entry/instrument/detector";
  assert.deepEqual(about.values[`${detector}/count_time`], { value: 0.0001, units: "s" });
  assert.equal(about.values[`${detector}/detectorSpecific/ntrigger`]?.value, 16);
  assert.equal(about.values[`${detector}/detectorSpecific/serial`]?.value, "9223372036854775809");
  assert.equal(about.values[`${detector}/detectorSpecific/mode`]?.value, "counting ü");
  assert.deepEqual(JSON.parse(JSON.stringify(about)), about);
  assert.ok(Object.isFrozen(about) && Object.isFrozen(about.values) && Object.isFrozen(about.files[0]));
  const lines = print(about).split("\n");
  assert.equal(lines[0], "scan_master.h5: ready");
  assert.ok(lines.length < 20, "one screen");
  assert.ok(lines.some((line) => /16 planned, 16 found, 16 complete; scan \[4, 4\]/.test(line)));
});

test("an absent data file and a short scan are named, with the frames that can be loaded", async () => {
  const { path, dataFiles } = writeAcquisition(join(folder, "short"), {
    ...SPEC,
    name: "scan",
    filesOf: [6, 6, 4],
    ntrigger: 25,
  });
  rmSync(dataFiles[1]!);
  const about = await inspect(path);
  assert.equal(about.ready, false);
  assert.match(about.why ?? "", /25 frames were planned, 10 are found .* frame 6 .*scan_data_000002\.h5/);
  // Of the scan [5, 5] one row is complete.
  assert.match(about.todo ?? "", /onMissing: "trim" loads the 5 frames .*complete rows .*for all 6/);
  assert.deepEqual((await loadOn("auto", path, { onMissing: "trim" })).shape, [1, 5, 12, 20]);
  assert.deepEqual(about.frames, { planned: 25, found: 10, complete: 10 });
  assert.match(print(about), /not ready.*1 of them missing or unreadable: scan_data_000002\.h5/s);
});

test("a file that is still being written says how many frames are complete, and those load", async () => {
  const { path } = writeSingleFile(join(folder, "growing.h5"), {
    ...SPEC,
    name: "growing",
    file: { superblock: 3 },
    store: (i, chunk) => (i < 9 ? chunk : null),
    index: "extensible-array",
    nimages: 16,
    ntrigger: 1,
  });
  const about = await inspect(path);
  assert.deepEqual(about.frames, { planned: 16, found: 16, complete: 9 });
  assert.match(about.why ?? "", /9 written completely; the first that is missing is frame 9/);
  const loaded = await loadOn("auto", path, { onMissing: "trim" });
  assert.deepEqual(loaded.shape, [9, 12, 20]);
});

test("a file that a writer has open for readers meanwhile is read, with a note", async () => {
  const frames = chunked({
    dtype: "u16",
    shape: [3, 2, 2],
    maxShape: [null, 2, 2],
    chunkShape: [1, 2, 2],
    index: "extensible-array",
    chunks: (i) => new Uint8Array(8).fill(i + 1),
  });
  const { bytes } = encodeHdf5(group({ entry: group({ data: group({ data: frames }) }) }), { superblock: 3 });
  const path = join(folder, "swmr.h5");
  bytes[11] = 5; // open for writing, and for reading meanwhile
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(44, lookup3(bytes.subarray(0, 44)), true);
  writeFileSync(path, bytes);
  const about = await inspect(path);
  assert.equal(about.ready, true);
  assert.equal(about.notes[0]?.code, "being-written");
  assert.equal((await loadOn("auto", path)).get(2, 1, 1), 0x0303);
});

test("only headers are read: no byte of a chunk", async (t) => {
  const { path, dataFiles, chunks } = writeAcquisition(join(folder, "headers"), {
    ...SPEC,
    name: "scan",
    filesOf: [6, 6, 4],
  });
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
  assert.equal((await inspect(path)).ready, true);
  assert.deepEqual([...new Set(reads.map((read) => read.path))].sort(), [path, ...dataFiles].sort());
  const touched = chunks.filter((chunk) => {
    const last = (chunk?.offset ?? 0) + (chunk?.bytes ?? 0) - 1;
    return reads.some((read) => read.path === chunk?.file && read.from <= last && read.to > last);
  });
  assert.deepEqual(touched, []);
});

test("what cannot be loaded says why, and still what can be told", async () => {
  const zstd = chunked({
    dtype: "u32",
    shape: [2, 4, 4],
    chunkShape: [1, 4, 4],
    filters: [{ id: 32008, values: [0, 4, 4, 0, 3] }],
    chunks: () => new Uint8Array(64),
  });
  const file = join(folder, "zstd.h5");
  writeHdf5(file, group({ entry: group({ data: group({ data: zstd }) }) }));
  const about = await inspect(file);
  assert.equal(about.ready, false);
  assert.match(about.why ?? "", /[Zz]st/);
  assert.deepEqual([about.dtype, about.layout?.chunkShape], ["u32", [1, 4, 4]]);

  const note = join(folder, "note.h5");
  writeFileSync(note, "no HDF5 at all");
  const text = await inspect(note);
  assert.deepEqual([text.ready, text.frames, text.dtype], [false, null, null]);
  assert.match(text.why ?? "", /note\.h5 is not an HDF5 file/);
  assert.match((await inspect(join(folder, "none.h5"))).why ?? "", /does not exist/);
});

test("a wrong option and a cancel are errors", async () => {
  await assert.rejects(inspect(folder, { datset: "/x" } as object), { name: "OptionError" });
  await assert.rejects(inspect(join(folder, "growing.h5"), { threshold: 4 }), { name: "OptionError" });
  const signal = AbortSignal.abort();
  await assert.rejects(inspect(join(folder, "growing.h5"), { signal }), { name: "AbortError" });
});
