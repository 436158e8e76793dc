// Owns: the kinds of files that people bring, through `load` on every backend: exact, or refused by name.
// Must not know: which stage sees to a kind. Judge: the source arrays.
import assert from "node:assert/strict";
import { cpSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import type { Dtype, LoadOptions } from "framelab";
import {
  type AcquisitionSpec,
  type MasterSpec,
  writeAcquisition,
  writeSingleFile,
} from "../fixtures/acquisition";
import { BITSHUFFLE_FILTER, encodeChunk } from "../fixtures/bitshuffle-encoder";
import { chunked, encodeNumbers, externalLink, group, writeHdf5 } from "../fixtures/hdf5-writer";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";

const folder = scratchFolder();
const COUNT = 12;
const HEIGHT = 11;
const WIDTH = 26;

const spec = (name: string, dtype: Dtype = "u16"): AcquisitionSpec => ({
  name,
  count: COUNT,
  height: HEIGHT,
  width: WIDTH,
  dtype,
  frames: countFrames(dtype, HEIGHT, WIDTH),
});
const whole = (dtype: Dtype = "u16"): Buffer => stack(countFrames(dtype, HEIGHT, WIDTH), upTo(COUNT));
const u16 = countFrames("u16", HEIGHT, WIDTH);

/** Kinds whose every frame is exact: a file name, how it is written, options. */
const EXACT: [kind: string, change: Partial<AcquisitionSpec>][] = [
  ["a user block of 512 bytes", { file: { userBlock: 512 } }],
  ["a user block of 4096 bytes, superblock 2", { file: { userBlock: 4096, superblock: 2 } }],
  ["offsets of 4 bytes", { file: { offsetBytes: 4 } }],
  ["offsets of 4 and lengths of 8 bytes", { file: { offsetBytes: 4, lengthBytes: 8, superblock: 2 } }],
  ["superblock 3 and continued headers", { file: { superblock: 3, continuedHeaders: true } }],
  ["bitshuffle without a compressor", { filter: "bitshuffle-none" }],
  ["LZ4 without bitshuffle", { filter: "lz4" }],
  ["LZ4 in raw blocks", { filter: "lz4", frames: noise() }],
  ["chunks without a filter", { filter: "unfiltered" }],
  ["a grown frame axis", { unlimited: true }],
  ["big-endian counts", { order: "big" }],
  ["blocks of 64 elements", { blockElements: 64 }],
  [
    "chunks that skipped the filter",
    { store: (i, chunk) => (i % 2 ? { bytes: u16(i), filterMask: 1 } : chunk) },
  ],
];

/** Frames that LZ4 cannot shorten. */
function noise(): (i: number) => Uint8Array {
  return (i) => {
    let state = i + 1;
    return Uint8Array.from({ length: HEIGHT * WIDTH * 2 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    });
  };
}

for (const [kind, change] of EXACT) {
  const written = { ...spec("x"), ...change };
  const { path } = writeSingleFile(join(folder, `${kind}.h5`), written);
  for (const backend of BACKENDS_HERE) {
    test(`${backend}: ${kind}: exact`, async () => {
      const loaded = await loadOn(backend, path, { scanShape: null });
      assert.ok(bytesOf(loaded).equals(stack(written.frames, upTo(COUNT))));
    });
  }
}

for (const values of [
  [0, 2],
  [0, 4, 2],
  [0, 2, 2, 0, 2],
  [0, 4, 2, 0, 2, 0],
]) {
  const frames = chunked({
    dtype: "u16",
    shape: [COUNT, HEIGHT, WIDTH],
    chunkShape: [1, HEIGHT, WIDTH],
    filters: [{ id: BITSHUFFLE_FILTER, values }],
    chunks: (i) => (values.length === 3 ? bitPlanes(u16(i)) : encodeChunk(u16(i), 2)),
  });
  const path = join(folder, `values-${values.length}.h5`);
  writeHdf5(path, group({ entry: group({ data: group({ data: frames }) }) }));
  for (const backend of BACKENDS_HERE) {
    test(`${backend}: bitshuffle with ${values.length} client values: exact`, async () => {
      assert.ok(bytesOf(await loadOn(backend, path, { scanShape: null })).equals(whole()));
    });
  }
}

/** Shuffled and not compressed: without a fifth value there is no compressor. */
function bitPlanes(elements: Uint8Array): Uint8Array {
  return encodeChunk(elements, 2, 0, { compressor: "none" });
}

/** Masters whose data files are found, whatever the link says. */
const MASTERS: [kind: string, change: Partial<MasterSpec>][] = [
  ["soft links", { linkStyle: "soft" }],
  ["new-style groups", { file: { superblock: 2 } }],
  [
    "data_1 … data_12 by number",
    { filesOf: new Array(COUNT).fill(1), linkName: (file) => `data_${file + 1}` },
  ],
  ["data files of any name", { filesOf: [5, 7], dataFileName: (file) => `run ${file} ü.hdf` }],
  [
    "absolute links of another computer",
    { filesOf: [5, 7], linkFile: (_, name) => `D:\\data\\2024\\${name}` },
  ],
  [
    "absolute links that lead nowhere here",
    { filesOf: [5, 7], linkFile: (_, name) => `/data/eiger/${name}` },
  ],
];
for (const [kind, change] of MASTERS) {
  const { path } = writeAcquisition(join(folder, kind), { ...spec("x"), ...change });
  for (const backend of BACKENDS_HERE) {
    test(`${backend}: a master with ${kind}: exact`, async () => {
      assert.ok(bytesOf(await loadOn(backend, path, { scanShape: null })).equals(whole()));
    });
  }
}

for (const backend of BACKENDS_HERE) {
  test(`${backend}: a symbolic link to a master finds the files behind it, and never those of the working directory`, async () => {
    const at = (name: string) => join(folder, `${name} ${backend}`);
    const { path } = writeAcquisition(at("behind"), { ...spec("x"), filesOf: [5, 7] });
    const link = join(folder, `link_${backend}_master.h5`);
    symlinkSync(path, link);
    assert.ok(bytesOf(await loadOn(backend, link, { scanShape: null })).equals(whole()));
    // Data files of the same names, with other counts, where the process stands.
    const decoys = at("decoys");
    writeAcquisition(decoys, { ...spec("x"), frames: noise(), filesOf: [5, 7] });
    const { dataFiles, path: second } = writeAcquisition(at("apart"), { ...spec("x"), filesOf: [5, 7] });
    for (const file of dataFiles) rmSync(file);
    const before = process.cwd();
    process.chdir(decoys);
    try {
      const tried = join(at("apart"), "x_data_000001.h5");
      await assert.rejects(loadOn(backend, second), (error: Error) => {
        assert.equal(error.name, "MissingFileError");
        return error.message.includes(tried) && !error.message.includes(join(decoys, "x_data"));
      });
    } finally {
      process.chdir(before);
    }
  });
}

test("a copied folder loads without the first one, which its absolute links name", async () => {
  const first = join(folder, "first place");
  const { path } = writeAcquisition(first, {
    ...spec("x"),
    filesOf: [5, 7],
    linkFile: (_, name) => join(first, name),
  });
  const second = join(folder, "second place");
  cpSync(first, second, { recursive: true });
  rmSync(first, { recursive: true });
  for (const backend of BACKENDS_HERE) {
    const loaded = await loadOn(backend, join(second, basename(path)), { scanShape: null });
    assert.ok(bytesOf(loaded).equals(whole()));
  }
});

test("an unreadable data file behind a foreign absolute link is named by the place where it lies", async () => {
  const { path, dataFiles } = writeAcquisition(join(folder, "foreign"), {
    ...spec("x"),
    filesOf: [4, 4, 4],
    linkFile: (_, name) => `/data/eiger/${name}`,
  });
  writeFileSync(dataFiles[1]!, "");
  rmSync(dataFiles[2]!);
  const error = (await loadOn("auto", path).catch((e: unknown) => e)) as Error;
  assert.ok(error.message.includes(`(first: ${dataFiles[1]})`), error.message);
  // Both causes, the one absent and the one unusable.
  assert.match(error.message, /x_data_000002\.h5 is empty/);
  assert.match(
    error.message,
    /links to \/data\/eiger\/x_data_000003\.h5, which does not exist \(tried \/data/,
  );
});

/** What goes wrong with a data file, and which frames are left. */
const LOST: [kind: string, spoil: (file: string) => void, says: RegExp][] = [
  ["absent", (file) => rmSync(file), /which does not exist \(tried [^)]*absent\/x_data_000002\.h5\)\. Pass/],
  ["empty", (file) => writeFileSync(file, ""), /x_data_000002\.h5 is empty \(0 bytes\)\. Pass/],
  [
    "cut short",
    (file) => truncateSync(file, 900),
    /is cut short: it has 900 bytes and its superblock says \d/,
  ],
  ["something else", (file) => writeFileSync(file, "a note, no data"), /is not an HDF5 file: .*"a note/],
  ["without its dataset", (file) => void writeHdf5(file, group({})), /x_data_000002\.h5 has no such dataset/],
];
for (const [kind, spoil, says] of LOST) {
  const { path, dataFiles } = writeAcquisition(join(folder, kind), {
    ...spec("x"),
    filesOf: [4, 4, 4],
    ntrigger: 16,
    fillValue: encodeNumbers("u16", [9]),
  });
  spoil(dataFiles[1]!);
  for (const backend of BACKENDS_HERE) {
    test(`${backend}: a data file that is ${kind} is named, the others load when asked`, async () => {
      await assert.rejects(loadOn(backend, path), (error: Error) => {
        assert.equal(error.name, "MissingFramesError");
        assert.match(error.message, says);
        return /16 planned, 8 found.*first: [^)]*x_data_000002\.h5/.test(error.message);
      });
      const trimmed = await loadOn(backend, path, { onMissing: "trim", scanShape: null });
      assert.ok(bytesOf(trimmed).equals(stack(u16, upTo(4))));
      const filled = await loadOn(backend, path, { onMissing: "fill", scanShape: null });
      const lost = filled.report.notes.filter(({ code }) => code.startsWith("data-file-"));
      assert.equal(lost.length, 1);
      assert.deepEqual([...filled.valid], [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0]);
      assert.equal(filled.get(5, 3, 3), 9);
      assert.ok(bytesOf(filled.frame(11)).equals(Buffer.from(u16(11))));
    });
  }
}

test("never-written chunks are missing, not damaged, and the fill value only when asked", async () => {
  const { path } = writeSingleFile(join(folder, "preallocated.h5"), {
    ...spec("x"),
    fillValue: encodeNumbers("u16", [513]),
    store: (i, chunk) => (i === 3 || i > 9 ? null : chunk),
  });
  for (const backend of BACKENDS_HERE) {
    await assert.rejects(loadOn(backend, path, { scanShape: null }), {
      name: "MissingFramesError",
      message: /frames 3, 10, 11 are missing.*3 never written/,
    });
    const filled = await loadOn(backend, path, { onMissing: "fill", scanShape: null });
    assert.equal(filled.get(3, 5, 5), 513);
    assert.deepEqual([...filled.valid], [1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0]);
    assert.deepEqual(filled.report.damaged, []);
  }
});

test("frame-last stacks keep their own axes", async () => {
  const frames = chunked({
    dtype: "u16",
    shape: [HEIGHT, WIDTH, COUNT],
    chunkShape: [HEIGHT, WIDTH, 1],
    filters: [{ id: BITSHUFFLE_FILTER, values: [0, 4, 2, 0, 2] }],
    chunks: (i) => encodeChunk(u16(i), 2),
  });
  const path = join(folder, "frame-last.h5");
  writeHdf5(path, group({ scan: group({ counts: frames }) }));
  for (const backend of BACKENDS_HERE) {
    const loaded = await loadOn(backend, path, { dataset: "/scan/counts", scanShape: null });
    assert.deepEqual(loaded.shape, [HEIGHT, WIDTH, COUNT]);
    const view = new DataView(u16(7).buffer);
    for (const [y, x] of [
      [0, 0],
      [4, 9],
      [10, 25],
    ] as const) {
      assert.equal(loaded.get(y, x, 7), view.getUint16((y * WIDTH + x) * 2, true));
    }
  }
});

const REFUSED: [
  kind: string,
  options: LoadOptions,
  values: number[],
  id: number,
  name: string,
  says: RegExp,
][] = [
  ["bitshuffle with Zstandard", {}, [0, 4, 2, 0, 3], BITSHUFFLE_FILTER, "bitshuffle", /[Zz]standard|zstd/i],
  ["szip", {}, [4, 8], 4, "", /4 .*szip/i],
  ["blosc", {}, [], 32001, "blosc", /32001.*[Bb]losc/],
  ["a filter nobody knows", {}, [], 41_234, "home-made", /41234.*home-made/],
];
for (const [kind, options, values, id, name, says] of REFUSED) {
  test(`${kind} is refused by id and name on every backend`, async () => {
    const frames = chunked({
      dtype: "u16",
      shape: [2, 4, 4],
      chunkShape: [1, 4, 4],
      filters: [{ id, values, name }],
      chunks: () => new Uint8Array(32),
    });
    const path = join(folder, `refused-${id}-${values.length}.h5`);
    writeHdf5(path, group({ entry: group({ data: group({ data: frames }) }) }));
    for (const backend of BACKENDS_HERE) {
      await assert.rejects(loadOn(backend, path, options), { name: "UnsupportedFilterError", message: says });
    }
  });
}

test("where a picture stands in the place of a stack, the stacks that were seen are listed", async () => {
  const picture = chunked({
    dtype: "u16",
    shape: [HEIGHT, WIDTH],
    chunkShape: [HEIGHT, WIDTH],
    filters: [],
    chunks: () => u16(0),
  });
  const frames = chunked({
    dtype: "u16",
    shape: [COUNT, HEIGHT, WIDTH],
    chunkShape: [1, HEIGHT, WIDTH],
    filters: [],
    chunks: (i) => u16(i),
  });
  const path = join(folder, "picture.h5");
  writeHdf5(path, group({ entry: group({ data: group({ data: picture }) }), scan: group({ frames }) }));
  for (const dataset of [undefined, "/entry/data/data"]) {
    await assert.rejects(loadOn("auto", path, { ...(dataset && { dataset }) }), {
      name: "DatasetNotFoundError",
      message:
        /\/entry\/data\/data of .* is \[11, 26\], no stack of frames\. .*: \/scan\/frames \[12, 11, 26\] u16/,
    });
  }
  // The same in the one data file of a master.
  const master = join(folder, "picture_master.h5");
  const links = group({ data_000001: externalLink("picture.h5", "/entry/data/data") });
  writeHdf5(master, group({ entry: group({ data: links }) }));
  await assert.rejects(loadOn("auto", master), {
    name: "DatasetNotFoundError",
    message: /\/entry\/data\/data of .*picture\.h5 is \[11, 26\].*\/scan\/frames/,
  });
});

test("other layouts load through the option dataset, and an error lists the stacks that were seen", async () => {
  const path = join(folder, "facility.h5");
  const frames = chunked({
    dtype: "u16",
    shape: [COUNT, HEIGHT, WIDTH],
    chunkShape: [1, HEIGHT, WIDTH],
    filters: [{ id: BITSHUFFLE_FILTER, values: [0, 4, 2, 0, 2] }],
    chunks: (i) => encodeChunk(u16(i), 2),
  });
  writeHdf5(path, group({ exchange: group({ data: frames }), other: externalLink("gone.h5", "/x") }));
  await assert.rejects(loadOn("auto", path), {
    name: "DatasetNotFoundError",
    message: /\/exchange\/data \[12, 11, 26\] u16/,
  });
  for (const backend of BACKENDS_HERE) {
    const loaded = await loadOn(backend, path, { dataset: "/exchange/data", scanShape: null });
    assert.ok(bytesOf(loaded).equals(whole()));
  }
});
