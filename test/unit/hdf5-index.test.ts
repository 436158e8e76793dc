// Owns: the chunk index reader on files of the repository's own writer and of h5wasm: every index kind, odd files.
// Must not know: how the reader walks an index.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe as suite, test } from "node:test";
import { readChunkTable } from "#framelab/source/hdf5/chunk-table";
import { judgeDataset } from "../fixtures/h5wasm-judge";
import {
  type ChunkedDatasetNode,
  chunked,
  type FileOptions,
  group,
  lookup3,
  writeHdf5,
} from "../fixtures/hdf5-writer";
import { describe, loadH5wasm, withFacts } from "./hdf5-describe";

type H5wasm = Awaited<ReturnType<typeof loadH5wasm>>;
let h5wasm: H5wasm;
let folder: string;

before(async () => {
  h5wasm = await loadH5wasm();
  folder = mkdtempSync(join(tmpdir(), "framelab-index-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Stored bytes of chunk `i`: its number, so that a chunk read in another's place shows. */
function payload(i: number): Uint8Array {
  const bytes = Buffer.alloc(8 + (i % 5), i % 251);
  bytes.writeUInt32LE(i);
  return bytes;
}

/** Every seventh chunk was never written; every third skipped the filter. */
function filteredNode(
  spec: Partial<ChunkedDatasetNode> & Pick<ChunkedDatasetNode, "shape" | "index">,
): ChunkedDatasetNode {
  return chunked({
    dtype: "u16",
    chunkShape: [1, 2],
    filters: [{ id: 32008, values: [0, 4, 2, 0, 2], name: "bitshuffle" }],
    ...spec,
    chunks: (i) => (i % 7 === 6 ? null : { bytes: payload(i), filterMask: i % 3 === 0 ? 1 : 0 }),
  });
}

/** Compares the table of a range with the places that the writer gave its chunks. */
function checkTable(
  file: string,
  node: ChunkedDatasetNode,
  options: FileOptions,
  ranges: [number, number][],
): void {
  const written = writeHdf5(file, group({ data: node }), options);
  const places = written.chunkPlaces(node);
  withFacts(describe(h5wasm, file, "/data"), (fd, facts) => {
    assert.equal(facts.layout.kind === "chunked" && facts.layout.index.kind, node.index);
    assert.deepEqual(facts.maxShape, node.maxShape);
    for (const [first, count] of [[0, places.length] as [number, number], ...ranges]) {
      const table = readChunkTable(fd, facts, first, count);
      for (let i = 0; i < count; i++) {
        const place = places[first + i] ?? null;
        const mask = place === null ? 0 : (node.chunk(first + i)?.filterMask ?? 0);
        const expected = place === null ? [Number.NaN, 0, 0] : [place.offset, place.bytes, mask];
        const got = [table.address[i]!, table.bytes[i]!, table.filterMask[i]!];
        if (got.every((value, k) => Object.is(value, expected[k]))) continue;
        assert.deepEqual(got, expected, `chunk ${first + i} of range ${first}+${count}`);
      }
    }
  });
}

const INDEXES: readonly Pick<ChunkedDatasetNode, "shape" | "maxShape" | "index">[] = [
  { index: "btree-v1", shape: [900, 6], maxShape: [null, 6] },
  { index: "fixed-array", shape: [300, 6], maxShape: [300, 6] },
  { index: "fixed-array", shape: [900, 6], maxShape: [1000, 7] },
  { index: "extensible-array", shape: [900, 6], maxShape: [null, 6] },
  { index: "extensible-array", shape: [20, 150], maxShape: [25, null] },
  { index: "btree-v2", shape: [900, 6], maxShape: [null, null] },
];

suite("chunk tables of files of the own writer", () => {
  for (const [n, spec] of INDEXES.entries()) {
    for (const options of [
      { superblock: 0 },
      { superblock: 2, userBlock: 512, offsetBytes: 4, lengthBytes: 8 },
      { superblock: 3, continuedHeaders: true },
    ] as FileOptions[]) {
      test(`${spec.index}, shape ${spec.shape}, ${JSON.stringify(options)}`, () => {
        const file = join(folder, `own-${n}-${options.superblock}.h5`);
        checkTable(file, filteredNode(spec), options, [
          [0, 1],
          [137, 40],
          [499, 2],
          [700, 200],
        ]);
      });
    }
  }

  test("extensible array whose data blocks are paged", () => {
    const node = filteredNode({ index: "extensible-array", shape: [140_000, 2], maxShape: [null, 2] });
    checkTable(join(folder, "paged.h5"), node, { superblock: 3 }, [[131_059, 3]]);
  });
});

suite("chunk tables of files that h5wasm writes", () => {
  const libvers = ["earliest", "v108", "v110", "latest"] as const;
  const maxima: (number | null)[][] = [
    [12, 4],
    [null, 4],
    [12, null],
    [null, null],
  ];
  for (const libver of libvers) {
    for (const maxshape of maxima) {
      test(`libver ${libver}, maximum shape ${maxshape.join(" x ")}`, () => {
        const file = join(folder, `h5wasm-${libver}-${maxshape.join("-")}.h5`);
        const values = Uint16Array.from({ length: 48 }, (_, i) => 1000 + i);
        const h5 = new h5wasm.File(file, "w", { libver });
        h5.create_dataset({ name: "data", data: values, shape: [12, 4], maxshape, chunks: [2, 2] });
        h5.close();
        const bytes = readFileSync(file);
        withFacts(describe(h5wasm, file, "/data"), (fd, facts) => {
          const table = readChunkTable(fd, facts, 0, 12);
          for (let i = 0; i < 12; i++) {
            const [row, col] = [2 * Math.floor(i / 2), 2 * (i % 2)];
            const expected = [0, 1, 4, 5].map((step) => 1000 + row * 4 + col + step);
            const at = table.address[i]!;
            assert.equal(table.bytes[i], 8);
            assert.deepEqual(
              [0, 2, 4, 6].map((step) => bytes.readUInt16LE(at + step)),
              expected,
            );
          }
        });
      });
    }
  }
});

test("slots of an extensible array beyond those ever written hold no chunk, as HDF5 reads them", async () => {
  const file = join(folder, "written-slots.h5");
  const values = Uint16Array.from({ length: 80 }, (_, i) => 1 + i);
  const h5 = new h5wasm.File(file, "w", { libver: "latest" });
  h5.create_dataset({ name: "data", data: values, shape: [40, 2], maxshape: [null, 2], chunks: [1, 2] });
  h5.close();
  const bytes = readFileSync(file);
  const header = bytes.indexOf("EAHD");
  // Signature, 8 single bytes, four lengths of 8 bytes; six lengths and an address lie before the checksum.
  assert.equal(bytes.readBigUInt64LE(header + 44), 40n);
  bytes.writeBigUInt64LE(23n, header + 44);
  bytes.writeUInt32LE(lookup3(bytes.subarray(header, header + 68)), header + 68);
  writeFileSync(file, bytes);
  const judged = Buffer.from((await judgeDataset(file, "/data")).bytes);
  withFacts(describe(h5wasm, file, "/data"), (fd, facts) => {
    const { address } = readChunkTable(fd, facts, 0, 40);
    for (let i = 0; i < 40; i++) {
      const expected = i < 23 ? 1 + 2 * i : 0;
      assert.equal(judged.readUInt16LE(4 * i), expected);
      assert.equal(Number.isNaN(address[i]!) ? 0 : bytes.readUInt16LE(address[i]!), expected, `chunk ${i}`);
    }
  });
});
