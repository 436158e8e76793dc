// Owns: what people do wrong, through `load`: each an own error class with what, where and what to do.
// Must not know: which stage finds it.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FrameLabError, type LoadOptions, load } from "framelab";
import { writeSingleFile } from "../fixtures/acquisition";
import { chunked, group, writeHdf5 } from "../fixtures/hdf5-writer";
import { countFrames, loadOn, scratchFolder, upTo } from "./harness";

const folder = scratchFolder();
const good = writeSingleFile(join(folder, "good.h5"), {
  name: "good",
  count: 9,
  height: 8,
  width: 8,
  dtype: "u16",
  frames: countFrames("u16", 8, 8),
}).path;

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function filtered(id: number, name: string): string {
  const frames = chunked({
    dtype: "u16",
    shape: [2, 4, 4],
    chunkShape: [1, 4, 4],
    filters: [{ id, values: [], name }],
    index: "btree-v1",
    chunks: () => new Uint8Array(32),
  });
  const path = join(folder, `filter-${id}.h5`);
  writeHdf5(path, group({ entry: group({ data: group({ data: frames }) }) }));
  return path;
}

mkdirSync(join(folder, "a folder"));
const empty = chunked({
  dtype: "u16",
  shape: [0, 4, 4],
  maxShape: [null, 4, 4],
  chunkShape: [1, 4, 4],
  filters: [],
  index: "btree-v1",
  chunks: () => null,
});
const zero = join(folder, "zero.h5");
writeHdf5(zero, group({ entry: group({ data: group({ data: empty }) }) }));

const CASES: [what: string, path: string, options: LoadOptions, name: string, says: RegExp][] = [
  ["a text file", file("text.h5", "not an HDF5 file, only text\n".repeat(99)), {}, "NotHdf5Error", /HDF5/],
  ["an empty file", file("empty.h5", ""), {}, "NotHdf5Error", /empty|0 bytes/],
  [
    "a file cut short",
    file("cut.h5", readFileSync(good).subarray(0, 700)),
    {},
    "NotHdf5Error",
    /cut|short|HDF5/,
  ],
  ["a file that is not there", join(folder, "none.h5"), {}, "MissingFileError", /none\.h5/],
  ["a folder", join(folder, "a folder"), {}, "MissingFileError", /folder|directory/],
  [
    "a wrong dataset path",
    good,
    { dataset: "/entry/nothing" },
    "DatasetNotFoundError",
    /\/entry\/data\/data/,
  ],
  ["zero frames", zero, {}, "DatasetNotFoundError", /no frames/],
  ["a filter nobody knows", filtered(299, "mystery"), {}, "UnsupportedFilterError", /299.*mystery/],
  [
    "a known filter that is not decoded",
    filtered(32015, "zstd"),
    {},
    "UnsupportedFilterError",
    /32015.*[Zz]st/,
  ],
  ["an impossible scan shape", good, { scanShape: [4, 3] }, "ScanShapeError", /12 frames, but 9/],
  ["a frame past the end", good, { frames: [9] }, "SelectionError", /9/],
  ["more than the memory allowed", good, { memoryLimit: 1000 }, "MemoryLimitError", /0\.00 MB.*0\.00 MB|MB/],
  ["an unknown option", good, { scanshape: [3, 3] } as LoadOptions, "OptionError", /scanshape.*scanShape/],
  ["a backend that is not here", good, { backend: "metal" }, "BackendUnavailableError", /metal.*reference/],
];

for (const [what, path, options, name, says] of CASES) {
  test(`${what} is refused as ${name}`, async () => {
    const error = await load(path, { progress: false, ...options }).catch((e: unknown) => e);
    assert.ok(error instanceof FrameLabError, String(error));
    assert.equal(error.name, name);
    assert.match(error.message, says);
    assert.ok(!/H5[A-Z][a-z]|HDF5-DIAG|\n {4}at /.test(error.message), "no bare library text");
    const frames = await loadOn("reference", good);
    assert.deepEqual(
      [...frames.valid],
      upTo(9).map(() => 1),
    );
  });
}
