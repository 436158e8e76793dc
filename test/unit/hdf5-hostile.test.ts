// Owns: mutated HDF5 metadata: whatever the bytes, facts and tables come out, or a FrameLabError does.
// Must not know: which check catches which mutation.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { FrameLabError, UnsupportedLayoutError } from "#framelab/errors";
import { chunkCount, chunkGrid } from "#framelab/plan/chunk-grid";
import { readChunkTable } from "#framelab/source/hdf5/chunk-table";
import { type ChunkIndexName, chunked, encodeHdf5, group, lookup3 } from "../fixtures/hdf5-writer";
import { type Described, describe, loadH5wasm, withFacts } from "./hdf5-describe";

/** Mutations of each file; raise it (FRAMELAB_FUZZ=20000) for a long run. */
const ROUNDS = Number(process.env.FRAMELAB_FUZZ ?? 150);

let h5wasm: Awaited<ReturnType<typeof loadH5wasm>>;
let folder: string;
before(async () => {
  h5wasm = await loadH5wasm();
  folder = mkdtempSync(join(tmpdir(), "framelab-hostile-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** xorshift32: the same mutations on every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

interface Sample {
  readonly bytes: Buffer;
  readonly described: Described;
}

function sample(index: ChunkIndexName, filtered: boolean, superblock: 0 | 2): Sample {
  const one = index === "single-chunk";
  const chunk = Buffer.alloc(8, 1);
  const node = chunked({
    dtype: "u16",
    shape: one ? [2, 2] : [80, 2],
    maxShape: one
      ? [2, 2]
      : index === "extensible-array"
        ? [null, 2]
        : index === "btree-v2"
          ? [null, null]
          : [80, 2],
    chunkShape: one ? [2, 2] : [1, 2],
    index,
    pageBits: 4,
    filters: filtered ? [{ id: 32008, values: [0, 4, 2, 0, 2] }] : [],
    chunks: () => (filtered || one ? chunk : chunk.subarray(0, 4)),
  });
  const file = join(folder, `${index}-${filtered}-${superblock}.h5`);
  const { bytes } = encodeHdf5(group({ data: node }), { superblock });
  writeFileSync(file, bytes);
  return { bytes: Buffer.from(bytes), described: describe(h5wasm, file, "/data") };
}

/** Flips a byte, fills a run with 0xff or 0, writes an extreme number, or cuts the file. */
function mutate(original: Buffer, random: (below: number) => number): Buffer {
  const bytes = Buffer.from(original);
  for (let changes = 1 + random(3); changes > 0; changes--) {
    const at = random(bytes.length);
    switch (random(6)) {
      case 0:
      case 1:
        bytes[at] = bytes[at]! ^ (1 << random(8));
        break;
      case 2:
        bytes.fill(0xff, at, Math.min(bytes.length, at + 1 + random(9)));
        break;
      case 3:
        bytes.fill(0, at, Math.min(bytes.length, at + 1 + random(9)));
        break;
      case 4:
        bytes[at] = random(256);
        break;
      default:
        if (random(4) === 0) return bytes.subarray(0, at);
        bytes.writeUInt16LE(random(65536), Math.min(at, bytes.length - 2));
    }
  }
  return bytes;
}

/** Makes the checksum of every block right again, so that mutations reach what lies behind it. */
function repairChecksums(bytes: Buffer, original: Buffer, random: (below: number) => number): void {
  if (bytes.length < original.length || random(8) === 0) return;
  for (const { from, end } of checkedBlocks(original)) {
    bytes.writeUInt32LE(lookup3(bytes.subarray(from, end)), end);
  }
}

const blocksOf = new Map<Buffer, { from: number; end: number }[]>();

/** Every block that starts with a signature or follows another block, and ends with its checksum. */
function checkedBlocks(original: Buffer): { from: number; end: number }[] {
  let blocks = blocksOf.get(original);
  if (blocks !== undefined) return blocks;
  blocks = [];
  const starts = ["OHDR", "OCHK", "FAHD", "FADB", "EAHD", "EAIB", "EASB", "EADB", "BTHD", "BTIN", "BTLF"];
  for (let from = 0; from + 8 < original.length; from++) {
    const afterBlock = blocks.some(({ end }) => end + 4 === from);
    if (!afterBlock && !starts.includes(original.toString("latin1", from, from + 4))) continue;
    for (let end = from + 8; end + 4 <= original.length && end < from + 1500; end++) {
      if (lookup3(original.subarray(from, end)) !== original.readUInt32LE(end)) continue;
      blocks.push({ from, end });
      break;
    }
  }
  blocksOf.set(original, blocks);
  return blocks;
}

type Outcome = "table" | "refused";

function outcome(bytes: Buffer, described: Described, file: string): Outcome {
  writeFileSync(file, bytes);
  try {
    return withFacts(
      described,
      (fd, facts) => {
        if (facts.layout.kind === "chunked") {
          const chunks = chunkCount(chunkGrid(facts.shape, facts.layout.chunkShape));
          const table = readChunkTable(fd, facts, 0, chunks);
          assert.equal(table.address.length, chunks);
          assert.ok(!table.bytes.some(Number.isNaN));
        }
        return "table";
      },
      file,
    );
  } catch (error) {
    if (!(error instanceof FrameLabError)) throw error;
    assert.ok(error.message.includes(described.description.dataset), error.message);
    return "refused";
  }
}

const KINDS: [ChunkIndexName, boolean, 0 | 2][] = [
  ["btree-v1", true, 0],
  ["btree-v1", false, 2],
  ["single-chunk", true, 2],
  ["implicit", false, 2],
  ["fixed-array", true, 2],
  ["fixed-array", false, 0],
  ["extensible-array", true, 2],
  ["extensible-array", false, 0],
  ["btree-v2", true, 2],
  ["btree-v2", false, 0],
];

for (const [index, filtered, superblock] of KINDS) {
  test(`mutated ${index}, ${filtered ? "filtered" : "raw"}, superblock ${superblock}: a table or a named error`, () => {
    const { bytes, described } = sample(index, filtered, superblock);
    const file = join(folder, "mutated.h5");
    const random = seeded(0x9e3779b9 ^ (index.length * 31 + superblock));
    const seen = { table: 0, refused: 0 };
    assert.equal(outcome(bytes, described, file), "table");
    for (let round = 0; round < ROUNDS; round++) {
      const mutated = mutate(bytes, random);
      repairChecksums(mutated, bytes, random);
      seen[outcome(mutated, described, file)] += 1;
    }
    // Both must occur, or the mutations miss what they are for.
    assert.ok(seen.table > 0 && seen.refused > 0, JSON.stringify(seen));
  });
}

/** A file of one v1 B-tree node at a known place, for hand-made damage. */
function btreeSample(): Sample & { readonly root: number } {
  const one = sample("btree-v1", true, 0);
  const root = withFacts(one.described, (_fd, facts) => {
    assert.ok(facts.layout.kind === "chunked");
    return facts.layout.index.address!;
  });
  return { ...one, root };
}

test("a v1 B-tree whose child is the root itself is refused as a loop or a wrong level", () => {
  const { bytes, described, root } = btreeSample();
  assert.ok(bytes[root + 5]! > 0, "80 chunks take an inner node");
  // Child 0 of the root: behind 24 bytes of prefix and a key of 8 + 3 * 8 bytes.
  bytes.writeBigUInt64LE(BigInt(root), root + 24 + 32);
  const file = join(folder, "loop.h5");
  writeFileSync(file, bytes);
  withFacts(
    described,
    (fd, facts) =>
      assert.throws(
        () => readChunkTable(fd, facts, 0, 80),
        (error) => error instanceof UnsupportedLayoutError && error.message.includes(`at byte ${root}`),
      ),
    file,
  );
});

test("a damaged node that the range does not need is not read", () => {
  const { bytes, described, root } = btreeSample();
  const lastChild = Number(bytes.readBigUInt64LE(root + 24 + (bytes.readUInt16LE(root + 6) - 1) * 40 + 32));
  bytes.write("ERRE", lastChild, "latin1");
  const file = join(folder, "other-node.h5");
  writeFileSync(file, bytes);
  withFacts(
    described,
    (fd, facts) => {
      assert.ok(readChunkTable(fd, facts, 0, 10).address.every((address) => address > 0));
      assert.throws(() => readChunkTable(fd, facts, 0, 80), {
        code: "unsupported-layout",
        expected: 'signature "TREE"',
        got: '"ERRE"',
      });
    },
    file,
  );
});

test("an entry past the end of the file stands in the table as stored", () => {
  const far = 2 ** 40;
  const node = chunked({
    dtype: "u16",
    shape: [4, 2],
    maxShape: [null, 2],
    chunkShape: [1, 2],
    index: "extensible-array",
    chunks: (i) => ({ bytes: Buffer.alloc(4), ...(i === 2 ? { declaredAddress: far } : {}) }),
  });
  const file = join(folder, "far.h5");
  writeFileSync(file, encodeHdf5(group({ data: node }), { superblock: 3 }).bytes);
  withFacts(describe(h5wasm, file, "/data"), (fd, facts) => {
    const table = readChunkTable(fd, facts, 0, 4);
    assert.equal(table.address[2], far);
    assert.ok(table.address[3]! < facts.fileBytes);
  });
});

test("a dataset of 2^40 chunks is refused before anything is allocated", () => {
  const file = join(folder, "many.h5");
  const h5 = new h5wasm.File(file, "w");
  h5.create_dataset({
    name: "data",
    data: new Uint16Array(2),
    shape: [2],
    maxshape: [null],
    chunks: [1],
  }).resize([2 ** 40]);
  h5.close();
  withFacts(describe(h5wasm, file, "/data"), (fd, facts) => {
    assert.deepEqual(facts.shape, [2 ** 40]);
    assert.throws(() => readChunkTable(fd, facts, 0, 2 ** 40), {
      code: "unsupported-layout",
      got: `${2 ** 40}`,
    });
    assert.ok(Number.isNaN(readChunkTable(fd, facts, 2 ** 40 - 5, 5).address[0]));
  });
});
