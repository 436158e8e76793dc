// Owns: tests that the HDF5 writer's files are HDF5: h5wasm (the HDF5 library) reads what was put in.
// Must not know: FrameLab's own readers.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Dtype } from "#framelab/types";
import { bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";
import { judgeAttribute, judgeDataset, withH5wasm } from "../fixtures/h5wasm-judge";
import {
  type ByteOrder,
  type ChunkIndexName,
  chunked,
  dataset,
  dtypeBytes,
  externalLink,
  type FileOptions,
  type GroupNode,
  group,
  lookup3,
  numbers,
  type StoredChunk,
  scalar,
  softLink,
  swapElements,
  text,
  writeHdf5,
} from "../fixtures/hdf5-writer";
import { Random } from "../fixtures/random";

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "framelab-hdf5-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Index, chunks, maximum extent of [frames, 4, 3], and chunks left out. */
interface IndexCase {
  readonly index: ChunkIndexName;
  readonly count: number;
  readonly maxShape?: (number | null)[];
  readonly sparse?: boolean;
}

const INDEXES: readonly IndexCase[] = [
  { index: "btree-v1", count: 1 },
  { index: "btree-v1", count: 5000, sparse: true },
  { index: "single-chunk", count: 1 },
  { index: "implicit", count: 7 },
  { index: "fixed-array", count: 1024, sparse: true },
  { index: "fixed-array", count: 2500, sparse: true },
  { index: "extensible-array", count: 3, maxShape: [null, 4, 3] },
  { index: "extensible-array", count: 90, maxShape: [null, 4, 3], sparse: true },
  { index: "extensible-array", count: 1000, maxShape: [null, 4, 3], sparse: true },
  { index: "btree-v2", count: 10, maxShape: [null, null, 3] },
  { index: "btree-v2", count: 5000, maxShape: [null, null, 3], sparse: true },
];

const FILES: readonly FileOptions[] = [
  { superblock: 0 },
  { superblock: 2, userBlock: 512 },
  { superblock: 3, continuedHeaders: true },
  { superblock: 0, userBlock: 1024, offsetBytes: 4, lengthBytes: 8, continuedHeaders: true },
];

const PIXELS = 12;
const DTYPES: readonly Dtype[] = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"];

/** Random elements of every dtype, floats without NaN so that bytes compare. */
function randomElements(dtype: Dtype, count: number, seed: number): Uint8Array {
  const width = dtypeBytes(dtype);
  const bytes = new Random(seed).bytes(count * width);
  if (dtype.startsWith("f")) for (let at = width - 1; at < bytes.length; at += width) bytes[at]! &= 0x3f;
  return bytes;
}

function stackFile(
  test: IndexCase,
  dtype: Dtype,
  order: ByteOrder,
  filtered: boolean,
): { root: GroupNode; expected: Uint8Array } {
  const width = dtypeBytes(dtype);
  const expected = randomElements(dtype, test.count * PIXELS, test.count);
  const stored = (i: number): StoredChunk | Uint8Array | null => {
    const at = i * PIXELS * width;
    const elements = expected.subarray(at, at + PIXELS * width);
    if (test.sparse && i % 11 === 3) {
      elements.fill(0);
      return null;
    }
    const inFile = order === "big" ? swapElements(elements, width) : elements.slice();
    if (!filtered) return inFile;
    return i % 5 === 2 ? { bytes: inFile, filterMask: 1 } : encodeChunk(inFile, width);
  };
  const data = chunked({
    dtype,
    order,
    shape: [test.count, 4, 3],
    maxShape: test.maxShape,
    chunkShape: [1, 4, 3],
    index: test.index,
    filters: filtered ? [{ id: 32_008, values: bitshuffleValues(width), name: "bitshuffle" }] : [],
    chunks: stored,
  });
  return { root: group({ entry: group({ data }) }), expected };
}

for (const [f, file] of FILES.entries()) {
  test(`every chunk index reads back through h5wasm: ${JSON.stringify(file)}`, async () => {
    for (const [n, index] of INDEXES.entries()) {
      for (const filtered of index.index === "implicit" ? [false] : [false, true]) {
        const dtype = DTYPES[(n + 3 * f) % DTYPES.length]!;
        const { root, expected } = stackFile(index, dtype, n % 2 === 0 ? "little" : "big", filtered);
        const path = join(folder, `${f}-${n}-${filtered}.h5`);
        writeHdf5(path, root, file);
        const judged = await judgeDataset(path, "/entry/data");
        const name = `${index.index} of ${index.count}, ${dtype}, ${filtered ? "filtered" : "raw"}`;
        assert.deepEqual(judged.shape, [index.count, 4, 3], name);
        assert.ok(Buffer.compare(judged.bytes, expected) === 0, `${name}: values`);
        rmSync(path);
      }
    }
  });
}

test("every dtype in both byte orders has the type that h5wasm names", async () => {
  const letters: Record<string, string> = {
    u1: "B",
    u2: "H",
    u4: "I",
    u8: "Q",
    i1: "b",
    i2: "h",
    i4: "i",
    i8: "q",
  };
  for (const dtype of DTYPES) {
    for (const order of ["little", "big"] as const) {
      const path = join(folder, `${dtype}-${order}.h5`);
      writeHdf5(path, group({ x: dataset(numbers(dtype, [2], [1, 2], order)) }));
      const { dtype: named } = await judgeDataset(path, "/x");
      const width = dtypeBytes(dtype);
      const letter = dtype.startsWith("f") ? (width === 4 ? "f" : "d") : letters[dtype[0]! + width];
      assert.equal(named.at(-1), letter);
      if (width > 1) assert.equal(named[0], order === "big" ? ">" : "<");
    }
  }
});

for (const superblock of [0, 2] as const) {
  test(`groups, links and attributes read back, superblock ${superblock}`, async () => {
    const shared = dataset(numbers("f32", [2, 2], [1, 2, 3, 4.5]));
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`n${i}`, dataset(scalar("u32", i))]),
    );
    const path = join(folder, `groups-${superblock}.h5`);
    const root = group(
      {
        a: shared,
        b: shared,
        empty: group({}),
        many: group(many),
        links: group({ soft: softLink("/a"), out: externalLink("other.h5", "/x/y") }),
        compact: dataset(numbers("i16", [3], [-1, 2, 3]), { layout: "compact" }),
      },
      { name: text("wörld"), range: numbers("f64", [2], [1.5, -2]) },
    );
    writeHdf5(path, root, { superblock });
    assert.deepEqual(await judgeAttribute(path, "/", "name"), "wörld");
    assert.deepEqual(await judgeAttribute(path, "/", "range"), Float64Array.of(1.5, -2));
    const values = Float32Array.of(1, 2, 3, 4.5);
    for (const name of ["/a", "/b", "/links/soft"]) {
      assert.deepEqual((await judgeDataset(path, name)).bytes, new Uint8Array(values.buffer));
    }
    assert.deepEqual(
      (await judgeDataset(path, "/compact")).bytes,
      new Uint8Array(Int16Array.of(-1, 2, 3).buffer),
    );
    await withH5wasm(path, (file) => {
      const found = file.get("/many") as { keys(): string[] };
      assert.deepEqual([...found.keys()].sort(), Object.keys(many).sort());
      const link = file.get_external_link("/links/out");
      assert.deepEqual([link.filename, link.obj_path], ["other.h5", "/x/y"]);
    });
  });
}

test("chunks that name the same bytes are stored once", () => {
  const bytes = encodeChunk(new Uint8Array(2 * 192 * 192), 2);
  for (const index of ["btree-v1", "fixed-array"] as const) {
    const data = chunked({
      dtype: "u16",
      shape: [120_000, 192, 192],
      chunkShape: [1, 192, 192],
      index,
      filters: [{ id: 32_008, values: bitshuffleValues(2) }],
      chunks: () => bytes,
    });
    const path = join(folder, `${index}-big.h5`);
    const file = writeHdf5(path, group({ data }));
    const places = file.chunkPlaces(data);
    assert.equal(places.length, 120_000);
    assert.deepEqual(places[119_999], places[0]);
    const { offset, bytes: length } = places[0]!;
    assert.deepEqual(file.bytes.slice(offset, offset + length), bytes);
    assert.ok(file.bytes.length < 8e6, `${file.bytes.length} bytes`);
  }
});

test("an extensible array deep enough for paged data blocks reads back", async () => {
  const frames = Array.from({ length: 7 }, (_, i) => Uint8Array.of(i, i + 1, i + 2, i + 3));
  const count = 140_000;
  const data = chunked({
    dtype: "u8",
    shape: [count, 2, 2],
    maxShape: [null, 2, 2],
    chunkShape: [1, 2, 2],
    index: "extensible-array",
    chunks: (i) => frames[i % 7]!,
  });
  const path = join(folder, "paged.h5");
  writeHdf5(path, group({ data }), { superblock: 3 });
  const { bytes } = await judgeDataset(path, "/data");
  for (const i of [0, 131_055, 131_060, count - 1]) {
    assert.deepEqual(bytes.slice(4 * i, 4 * i + 4), frames[i % 7]);
  }
  assert.ok(bytes.every((value, at) => value === (Math.floor(at / 4) % 7) + (at % 4)));
});

test("lookup3 gives the value of its author's example", () => {
  assert.equal(lookup3(Buffer.from("Four score and seven years ago")), 0x1777_0551);
});
