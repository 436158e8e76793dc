// Owns: tests that the encoders' chunks are what the C filters read (bitshuffle and LZ4 plugins through h5wasm).
// Must not know: FrameLab's own decoders.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  bitshuffleValues,
  chunkPlaces,
  defaultBlockElements,
  encodeChunk,
  encodeLz4FilterChunk,
  lz4FilterChunkPlaces,
} from "../fixtures/bitshuffle-encoder";
import {
  DEFLATE,
  deflate,
  FLETCHER32,
  shuffleBytes,
  shuffleFilter,
  withFletcher32,
} from "../fixtures/filter-encoders";
import { withH5wasm } from "../fixtures/h5wasm-judge";
import { chunked, type FilterSpec, group, type Node, writeHdf5 } from "../fixtures/hdf5-writer";
import { encodeLz4Block, encodeSequences, lz4Bound, storeLiterals } from "../fixtures/lz4-encoder";
import { Random } from "../fixtures/random";

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "framelab-encoders-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const DTYPES = { 1: "u8", 2: "u16", 4: "u32", 8: "u64" } as const;
type ElementBytes = keyof typeof DTYPES;
const ELEMENT_BYTES: readonly ElementBytes[] = [1, 2, 4, 8];
const COUNTS = [1, 5, 7, 8, 9, 63, 143, 1000, 4096, 5003, 9000];

const FILLS: Readonly<Record<string, (random: Random, at: number, width: number) => number>> = {
  zeros: () => 0,
  noise: (random) => random.uint32(),
  "few counts": (random, at, width) => (at % width === 0 && random.unit() < 0.3 ? random.below(9) : 0),
};

function filled(fill: string, elements: number, width: number): Uint8Array {
  const random = new Random(elements, width);
  return new Uint8Array(elements * width).map((_, at) => FILLS[fill]!(random, at, width));
}

/** One dataset of one chunk for each case in one file; every one must read back as its elements. */
async function assertReadBack(
  name: string,
  cases: readonly { width: ElementBytes; elements: Uint8Array; chunk: Uint8Array; filters: FilterSpec[] }[],
): Promise<void> {
  const members: Record<string, Node> = {};
  for (const [n, { width, elements, chunk, filters }] of cases.entries()) {
    const shape = [1, elements.length / width];
    members[`c${n}`] = chunked({ dtype: DTYPES[width], shape, chunkShape: shape, filters, chunks: [chunk] });
  }
  const path = join(folder, `${name}.h5`);
  writeHdf5(path, group(members));
  await withH5wasm(path, (file) => {
    for (const [n, { elements, width }] of cases.entries()) {
      const value = (file.get(`/c${n}`) as { value: ArrayBufferView }).value;
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      assert.ok(
        Buffer.compare(bytes, elements) === 0,
        `${name}, case ${n}: ${elements.length / width} x ${width}`,
      );
    }
  });
}

for (const compressor of ["lz4", "none"] as const) {
  test(`bitshuffle chunks with compressor ${compressor} read back`, async () => {
    const cases = [];
    for (const width of ELEMENT_BYTES) {
      for (const blockElements of [0, 64, 512, 1024]) {
        for (const count of COUNTS) {
          for (const fill of Object.keys(FILLS)) {
            const elements = filled(fill, count, width);
            const chunk = encodeChunk(elements, width, blockElements, { compressor });
            const values = bitshuffleValues(width, blockElements, compressor === "lz4" ? 2 : 0);
            cases.push({ width, elements, chunk, filters: [{ id: 32_008, values }] });
          }
        }
      }
    }
    await assertReadBack(`bitshuffle-${compressor}`, cases);
  });
}

test("stored literals and a header without block size read back", async () => {
  const cases = COUNTS.map((count) => {
    const elements = filled("few counts", count, 2);
    const chunk = encodeChunk(elements, 2, 0, { headerBlockBytes: 0, encodeBlock: storeLiterals });
    return { width: 2 as const, elements, chunk, filters: [{ id: 32_008, values: bitshuffleValues(2) }] };
  });
  await assertReadBack("literals", cases);
});

test("chunks of the lz4 filter read back, raw blocks too", async () => {
  const cases = [];
  for (const blockBytes of [0, 64, 1000]) {
    for (const count of COUNTS) {
      for (const fill of Object.keys(FILLS)) {
        const elements = filled(fill, count, 2);
        const chunk = encodeLz4FilterChunk(elements, blockBytes);
        cases.push({ width: 2 as const, elements, chunk, filters: [{ id: 32_004, values: [] }] });
      }
    }
  }
  const raw = lz4FilterChunkPlaces(encodeLz4FilterChunk(filled("noise", 1000, 2), 1000)).blocks;
  assert.ok(raw.length === 2 && raw.every((block) => block.bytes === block.decodedBytes));
  await assertReadBack("lz4", cases);
});

test("byte shuffle, deflate and fletcher32 read back", async () => {
  const cases = [];
  for (const width of ELEMENT_BYTES) {
    for (const count of COUNTS) {
      const elements = filled("few counts", count, width);
      const shuffled = deflate(shuffleBytes(elements, width));
      cases.push({ width, elements, chunk: shuffled, filters: [shuffleFilter(width), DEFLATE] });
      const checked = withFletcher32(encodeChunk(elements, width));
      const bitshuffle = { id: 32_008, values: bitshuffleValues(width) };
      cases.push({ width, elements, chunk: checked, filters: [bitshuffle, FLETCHER32] });
    }
  }
  await assertReadBack("others", cases);
});

test("places name the blocks and the tail of a chunk", () => {
  const elements = filled("noise", 5003, 2);
  const chunk = encodeChunk(elements, 2, 1024);
  const places = chunkPlaces(chunk, 2);
  assert.deepEqual(
    places.blocks.map((block) => block.decodedBytes),
    [2048, 2048, 2048, 2048, 1808],
  );
  assert.equal(places.tailBytes, 6);
  assert.deepEqual(chunk.slice(places.tailAt), elements.slice(-6));
  for (const { lengthAt, offset, bytes } of places.blocks) {
    assert.equal(new DataView(chunk.buffer).getUint32(lengthAt), bytes);
    assert.equal(offset, lengthAt + 4);
  }
});

test("the default block is 8192 bytes, for wide elements too", () => {
  assert.deepEqual([1, 2, 4, 8].map(defaultBlockElements), [8192, 4096, 2048, 1024]);
});

test("the LZ4 encoder compresses and keeps its bound", () => {
  assert.ok(encodeLz4Block(new Uint8Array(8192)).length < 50);
  for (const count of COUNTS) {
    const noise = filled("noise", count, 1);
    assert.ok(encodeLz4Block(noise).length <= lz4Bound(count));
  }
});

test("sequences by hand are the bytes that the format names", () => {
  assert.deepEqual(
    encodeSequences([{ literals: [7], offset: 1, matchLength: 10_219 }]),
    Uint8Array.from([0x1f, 7, 1, 0, ...new Array<number>(40).fill(255), 0]),
  );
  assert.deepEqual(
    encodeSequences([{ literals: [1, 2], offset: 0x102 }, { literals: [] }]),
    Uint8Array.of(0x20, 1, 2, 2, 1, 0),
  );
  assert.deepEqual(encodeSequences([{ token: 0xf0, literalExtension: [255] }]), Uint8Array.of(0xf0, 255));
});
