// Owns: the facts of a dataset from its object header: flags, fill value, what contradicts h5wasm.
// Must not know: chunk indexes.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { NotHdf5Error } from "#framelab/errors";
import { chunkCoordinates, chunkCount, chunkGrid, chunkNumber, stepChunk } from "#framelab/plan/chunk-grid";
import type { DatasetDescription } from "#framelab/source/hdf5/dataset-facts";
import { chunked, dataset, group, numbers, writeHdf5 } from "../fixtures/hdf5-writer";
import { type Described, describe, loadH5wasm, withFacts } from "./hdf5-describe";

let folder: string;
let edges: Described;
let flat: Described;

before(async () => {
  const h5wasm = await loadH5wasm();
  folder = mkdtempSync(join(tmpdir(), "framelab-facts-"));
  const file = join(folder, "facts.h5");
  const data = chunked({
    dtype: "i32",
    order: "big",
    shape: [5, 3],
    maxShape: [null, 3],
    chunkShape: [2, 3],
    index: "extensible-array",
    rawEdgeChunks: true,
    filters: [{ id: 32008, values: [0, 4, 4, 0, 2], name: "bitshuffle" }],
    fillValue: Uint8Array.of(1, 2, 3, 4),
    chunks: [null, null, null],
  });
  const plain = dataset(numbers("u16", [2, 2], [1, 2, 3, 4]), { layout: "compact" });
  const written = writeHdf5(file, group({ data, plain }), { superblock: 2, continuedHeaders: true });
  edges = describe(h5wasm, file, "/data");
  flat = describe(h5wasm, file, "/plain");
  assert.equal(edges.headerAddress, written.headerOffset(data));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("facts of a chunked dataset", () => {
  withFacts(edges, (_fd, facts) => {
    assert.deepEqual(facts.shape, [5, 3]);
    assert.deepEqual(facts.maxShape, [null, 3]);
    assert.deepEqual([facts.dtype, facts.littleEndian], ["i32", false]);
    assert.deepEqual(facts.filters, [{ id: 32008, name: "bitshuffle", values: [0, 4, 4, 0, 2] }]);
    assert.deepEqual([...facts.fillValue], [1, 2, 3, 4]);
    assert.ok(facts.layout.kind === "chunked");
    assert.deepEqual(facts.layout.chunkShape, [2, 3]);
    assert.equal(facts.layout.index.rawEdgeChunks, true);
  });
});

test("facts of a compact dataset", () => {
  withFacts(flat, (_fd, facts) => {
    assert.equal(facts.layout.kind, "compact");
    assert.deepEqual([...facts.fillValue], [0, 0]);
  });
});

const LIES: readonly (readonly [string, Partial<DatasetDescription>])[] = [
  ["shape", { shape: [6, 3] }],
  ["maximum shape", { maxShape: [5, 3] }],
  ["datatype", { dtype: "u32" }],
  ["byte order", { littleEndian: true }],
  ["filters", { filters: [] }],
  ["client data of filter 32008", { filters: [{ id: 32008, name: "", values: [0, 4, 4, 0, 3] }] }],
];
for (const [what, lie] of LIES) {
  test(`a header that contradicts HDF5's ${what} is refused`, () => {
    const lying = { ...edges, description: { ...edges.description, ...lie } };
    assert.throws(
      () => withFacts(lying, () => null),
      (error: Error & { code?: string }) =>
        error.code === "unsupported-layout" && error.message.includes(`the ${what} cannot be read`),
    );
  });
}

test("a file without a superblock is not HDF5", () => {
  assert.throws(() => withFacts(edges, () => null, __filename), NotHdf5Error);
});

test("chunk numbers and coordinates are each other's inverse, at any size", () => {
  const grid = chunkGrid([5, 7, 3], [2, 7, 2]);
  assert.deepEqual(grid, [3, 1, 2]);
  const coordinates = [0, 0, 0];
  for (let number = 0; number < chunkCount(grid); number++) {
    assert.deepEqual(chunkCoordinates(grid, number), coordinates);
    assert.equal(chunkNumber(grid, coordinates), number);
    stepChunk(grid, coordinates);
  }
  assert.equal(chunkNumber(grid, [0, 1, 0]), -1);
  const large = [2 ** 26, 2 ** 26 - 1];
  assert.equal(chunkNumber(large, chunkCoordinates(large, 2 ** 52 - 2 ** 26 - 1)), 2 ** 52 - 2 ** 26 - 1);
  assert.throws(() => chunkCount([2 ** 27, 2 ** 27]), { code: "unsupported-layout" });
});
