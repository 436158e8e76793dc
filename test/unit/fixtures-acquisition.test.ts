// Owns: tests of the frames, acquisitions, demo and damage cases: what they look like and that neighbours are intact.
// Must not know: FrameLab's own readers and decoders.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { FRAMES_PATH, writeAcquisition, writeSingleFile } from "../fixtures/acquisition";
import { encodeChunk } from "../fixtures/bitshuffle-encoder";
import { COUNT_DTYPES, frameElements, frameValues, inModuleGap, STANDARD_PATTERN } from "../fixtures/counts";
import { blockDamageCases, CASE_PATH, halvedLengthCases, writeDamageCase } from "../fixtures/damage";
import { ACCEPTED_STREAMS, codeCases, REFUSED_STREAMS } from "../fixtures/damage-codes";
import { lengthCases } from "../fixtures/damage-lengths";
import { DEMO, demoFrame, writeDemo } from "../fixtures/demo";
import { judgeAttribute, judgeDataset, withH5wasm } from "../fixtures/h5wasm-judge";
import { streamStatistics } from "../fixtures/lz4-statistics";

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "framelab-acquisition-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Per block of 8192 bytes, as measured on 4D-STEM counts that liblz4 compressed: u8, u16, u32. */
const FIELD = {
  u8: { sequences: 205, streamBytes: 1189 },
  u16: { sequences: 112, streamBytes: 694 },
  u32: { sequences: 56, streamBytes: 377 },
} as const;

test("generated counts compress like the field's", () => {
  for (const dtype of COUNT_DTYPES) {
    const width = Number(dtype.slice(1)) / 8;
    const chunks = [0, 85, 136, 255].map((i) =>
      encodeChunk(frameElements("counts", dtype, STANDARD_PATTERN, i), width),
    );
    const found = streamStatistics(chunks, width);
    for (const name of ["sequences", "streamBytes"] as const) {
      const off = found[name] / FIELD[dtype][name] - 1;
      assert.ok(Math.abs(off) < 0.05, `${dtype} ${name} ${found[name].toFixed(1)}`);
    }
    assert.ok(Math.abs(found.withoutLiterals - 0.5) < 0.08, `${dtype} no literals ${found.withoutLiterals}`);
    assert.ok(Math.abs(found.offsetTwo - 0.26) < 0.05, `${dtype} offset 2 ${found.offsetTwo}`);
  }
});

test("frame kinds hold what they name, and depend on seed and number alone", () => {
  const setup = { ...STANDARD_PATTERN, height: 96, width: 64 };
  const mean = (values: Uint32Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  assert.ok(Math.abs(mean(frameValues("poisson20", "u16", setup, 1)) - 20) < 0.3);
  assert.ok(Math.abs(mean(frameValues("random", "u32", setup, 1)) / 2 ** 31 - 1) < 0.05);
  assert.ok(frameValues("zeros", "u8", setup, 1).every((value) => value === 0));
  const gaps = frameValues("gaps", "u16", setup, 1);
  assert.ok(gaps.every((value, at) => (value === 65_535) === inModuleGap(Math.floor(at / 64), at % 64)));
  assert.deepEqual(frameValues("counts", "u16", setup, 7), frameValues("counts", "u16", setup, 7));
  assert.notDeepEqual(frameValues("counts", "u16", setup, 7), frameValues("counts", "u16", setup, 8));
});

test("a master links its data files, which hold the frames in order", async () => {
  const frames = (i: number): Uint8Array => Uint8Array.from({ length: 24 }, (_, at) => i * 10 + at);
  const { path, dataFiles, chunks } = writeAcquisition(join(folder, "master"), {
    name: "scan",
    count: 9,
    height: 3,
    width: 4,
    dtype: "i16",
    order: "big",
    frames,
    filesOf: [4, 3, 2],
    absentFiles: [1],
    scanShape: [3, 3],
    pixelMask: Uint32Array.of(1, ...new Array<number>(11).fill(0)),
    store: (i, chunk) => (i === 8 ? null : chunk),
  });
  const names = ["scan_data_000001.h5", "scan_data_000002.h5", "scan_data_000003.h5"];
  assert.deepEqual(
    dataFiles.map((file) => basename(file)),
    names,
  );
  assert.deepEqual(dataFiles.map(existsSync), [true, false, true]);
  await withH5wasm(path, (file) => {
    for (const [n, name] of names.entries()) {
      const link = file.get_external_link(`/entry/data/data_00000${n + 1}`);
      assert.deepEqual([link.filename, link.obj_path], [name, FRAMES_PATH]);
    }
  });
  const specific = "/entry/instrument/detector/detectorSpecific";
  assert.deepEqual((await judgeDataset(path, `${specific}/pixel_mask`)).shape, [3, 4]);
  assert.deepEqual(await judgeAttribute(path, "/entry/data", "scan_shape"), BigInt64Array.of(3n, 3n));
  assert.equal(await judgeAttribute(dataFiles[2]!, FRAMES_PATH, "image_nr_low"), 8n);
  const last = await judgeDataset(dataFiles[2]!, FRAMES_PATH);
  assert.deepEqual(last.shape, [2, 3, 4]);
  assert.deepEqual(last.bytes.slice(0, 24), frames(7));
  assert.deepEqual(
    chunks.map((chunk) => chunk !== null),
    [1, 1, 1, 1, 0, 0, 0, 1, 0].map(Boolean),
  );
  const place = chunks[7]!;
  const stored = readFileSync(place.file).subarray(place.offset, place.offset + place.bytes);
  assert.equal(stored.readBigUInt64BE(0), 24n);
});

test("single files of every filter hold the frames", async () => {
  for (const filter of ["bitshuffle", "bitshuffle-none", "lz4", "unfiltered"] as const) {
    const spec = {
      name: filter,
      count: 3,
      height: 40,
      width: 30,
      dtype: "u32",
      filter,
      blockElements: 64,
    } as const;
    const frames = (i: number): Uint8Array =>
      frameElements("poisson20", "u32", { ...STANDARD_PATTERN, height: 40, width: 30 }, i);
    const { path } = writeSingleFile(join(folder, `${filter}.h5`), { ...spec, frames });
    const judged = await judgeDataset(path, FRAMES_PATH);
    assert.deepEqual(judged.shape, [3, 40, 30]);
    assert.ok(Buffer.compare(judged.bytes, Buffer.concat([0, 1, 2].map(frames))) === 0, filter);
  }
});

test("the demo holds its frames, and its copy differs in one frame's chunk", async () => {
  const files = writeDemo(join(folder, "demo")).map((path) => basename(path));
  assert.deepEqual(
    files.filter((name) => name.includes("master")),
    ["demo_master.h5", "damaged_master.h5"],
  );
  const at = (name: string): string => join(folder, "demo", name);
  const { bytes } = await judgeDataset(at("demo_data_000003.h5"), FRAMES_PATH);
  assert.ok(Buffer.compare(bytes.subarray(-2 * 192 * 192), demoFrame(255)) === 0);
  const whole = readFileSync(at("demo_data_000001.h5"));
  const damaged = readFileSync(at("damaged_data_000001.h5"));
  const changed = [...whole.keys()].filter((offset) => whole[offset] !== damaged[offset]);
  assert.ok(changed.length > 100 && changed.length <= 512);
  assert.ok(changed.at(-1)! - changed[0]! < 512);
  assert.ok(changed.every((offset) => damaged[offset] === 0));
  assert.equal(DEMO.damagedFrame, 37);
});

test("damage cases: 32 of blocks, every reason, each once by name, neighbours intact", async () => {
  const blocks = blockDamageCases();
  assert.equal(blocks.length, 32);
  const all = [...blocks, ...halvedLengthCases(), ...lengthCases(), ...codeCases()];
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
  const named = new Set(codeCases().map(({ reason }) => reason));
  assert.equal(named.size, 19);
  assert.equal(new Set(REFUSED_STREAMS.map(({ reason }) => reason)).size, 9);
  assert.ok(ACCEPTED_STREAMS.every(({ decoded }) => decoded.length === 128));
  for (const [n, damage] of all.entries()) {
    const path = join(folder, `case-${n}.h5`);
    const places = writeDamageCase(path, damage);
    const written = readFileSync(path);
    const { bytes } = damage.stored(damage.damagedFrame + 1);
    const place = places[damage.damagedFrame + 1]!;
    const stored = written.subarray(place.offset, place.offset + place.bytes);
    assert.ok(Buffer.compare(stored, bytes) === 0, `${damage.name}: the frame behind`);
    assert.notDeepEqual(damage.stored(damage.damagedFrame), { bytes }, damage.name);
  }
  const intact = await withH5wasm(join(folder, "case-0.h5"), (file) => {
    const slice = (file.get(CASE_PATH) as { slice(of: number[][]): ArrayBufferView }).slice([[0, 2]]);
    return new Uint8Array(slice.buffer, slice.byteOffset, slice.byteLength).slice();
  });
  assert.ok(Buffer.compare(intact, Buffer.concat([0, 1].map(blocks[0]!.elements))) === 0);
});
