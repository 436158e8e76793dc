// Owns: lowering: client data lists of every length, what is refused and how it is said, folders against the registry.
// Must not know: chunk bytes.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Dtype, UnsupportedFilterError, UnsupportedLayoutError } from "framelab";
import { lowerFilters } from "#framelab/filters/lower";
import { FILTERS } from "#framelab/filters/registry";

function lower(
  filters: readonly [id: number, values: readonly number[]][],
  dtype: Dtype = "u16",
  elements = 64,
) {
  const facts = filters.map(([id, values]) => ({ id, name: "in the file", values }));
  return lowerFilters({
    filters: facts,
    dtype,
    littleEndian: true,
    chunkElements: elements,
    place: "a.h5:/data",
  });
}

const lz4Steps = (elementBytes: number, blockElements = 0) => [
  { op: "lz4-block", filter: 0, framing: "bitshuffle", elementBytes },
  { op: "bit-unshuffle", filter: 0, elementBytes, blockElements },
];
const bareSteps = (elementBytes: number, blockElements = 0) => lz4Steps(elementBytes, blockElements).slice(1);

const LISTS: readonly [name: string, values: number[], steps: object[]][] = [
  ["none: the filter's defaults", [], bareSteps(2)],
  ["2, the writer's own options: block, compressor", [0, 2], lz4Steps(2)],
  ["2, with a block size", [512, 2], lz4Steps(2, 512)],
  ["3: no compressor means none", [0, 3, 2], bareSteps(2)],
  ["4: no compressor means none", [0, 3, 2, 128], bareSteps(2, 128)],
  ["5", [0, 2, 2, 0, 2], lz4Steps(2)],
  ["5, with a block size", [0, 3, 2, 1024, 2], lz4Steps(2, 1024)],
  ["5, no compression", [0, 4, 2, 64, 0], bareSteps(2, 64)],
  ["6, with a level", [0, 4, 2, 0, 2, 3], lz4Steps(2)],
  ["an element size that is not the type's: the filter's counts", [0, 4, 8, 0, 2], lz4Steps(8)],
];

for (const [name, values, steps] of LISTS) {
  test(`client data of bitshuffle, ${name}`, () => {
    assert.deepEqual(lower([[32008, values]]), { steps, elementBytes: 2, chunkBytes: 128 });
  });
}

test("steps stand in decoding order, each with its filter's bit", () => {
  const pipeline: [number, number[]][] = [
    [2, [4]],
    [1, [6]],
    [3, []],
  ];
  assert.deepEqual(
    lower(pipeline, "u32").steps.map((step) => [step.op, "filter" in step && step.filter]),
    [
      ["checksum", 2],
      ["inflate", 1],
      ["byte-unshuffle", 0],
    ],
  );
});

test("big-endian elements end in a byteswap, single bytes do not", () => {
  const facts = { filters: [], littleEndian: false, chunkElements: 3, place: "test" };
  assert.deepEqual(lowerFilters({ ...facts, dtype: "f64" }).steps, [{ op: "byteswap", elementBytes: 8 }]);
  assert.deepEqual(lowerFilters({ ...facts, dtype: "i8" }).steps, []);
});

/** Refused: the message says id, name, place and reason. */
const REFUSED: readonly [filters: [number, number[]][], says: RegExp][] = [
  [[[32008, [0, 4, 2, 0, 3, 1]]], /a\.h5:\/data uses filter 32008 \(bitshuffle\).*bitshuffle\+Zstandard/],
  [[[32008, [0, 4, 2, 0, 7]]], /32008 \(bitshuffle\).*compressor 7/],
  [[[32008, [0, 4, 0, 0, 2]]], /element size of 0/],
  [[[32008, [0, 4, 3, 0, 2]]], /elements of 3 bytes do not divide a chunk of 128 bytes/],
  [[[32008, [0, 4, 2, 12, 0]]], /blocks of 12 elements are not a multiple of 8/],
  [[[2, [0]]], /2 \(shuffle\).*element size of 0/],
  [[[32001, [2, 2, 2, 2]]], /filter 32001 \(Blosc\).*no decoder/],
  [[[32013, []]], /filter 32013 \(zfp\)/],
  [[[32015, []]], /filter 32015 \(Zstandard\)/],
  [[[4, []]], /filter 4 \(SZIP\)/],
  [[[5, []]], /filter 5 \(N-bit\)/],
  [[[6, []]], /filter 6 \(scale-offset\)/],
  [[[40000, []]], /filter 40000 \(in the file\)/],
  [
    [
      [1, [6]],
      [32004, []],
    ],
    /32004 \(lz4\).*another filter had compressed/,
  ],
  [
    [
      [32008, [0, 4, 2, 0, 2]],
      [1, [6]],
    ],
    /1 \(deflate\).*another filter had compressed/,
  ],
];

for (const [filters, says] of REFUSED) {
  test(`refused: ${JSON.stringify(filters)}`, () => {
    assert.throws(
      () => lower(filters),
      (error) => {
        assert.ok(error instanceof UnsupportedFilterError);
        assert.equal(error.code, "unsupported-filter");
        assert.match(error.message, says);
        assert.match(error.message, /Rewrite the dataset/);
        assert.equal(error.place, "a.h5:/data");
        return true;
      },
    );
  });
}

test("more filters than a filter mask has bits, and impossible chunk sizes", () => {
  assert.throws(
    () => lower(Array.from({ length: 33 }, () => [3, []] as [number, number[]])),
    UnsupportedFilterError,
  );
  for (const elements of [0, -1, 0.5 / 2, Number.NaN, 2 ** 53]) {
    assert.throws(() => lower([], "u16", elements), UnsupportedLayoutError);
  }
});

test("every folder of filters/ is in the registry, and no id stands there twice", () => {
  const folders = readdirSync(join(__dirname, "../../../kernel-ext/src/filters"), { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  assert.deepEqual(FILTERS.map((filter) => filter.name).sort(), names.sort());
  assert.equal(new Set(FILTERS.map((filter) => filter.id)).size, FILTERS.length);
});
