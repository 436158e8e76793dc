// Owns: chunks of every detector shape, dtype, byte order and block size decode to their source arrays, bit for bit.
// Must not know: files, frames, how the decoder works.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeChunk } from "#framelab/backends/reference/decode-chunk";
import { lowerFilters } from "#framelab/filters/lower";
import { BITSHUFFLE_FILTER, bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";
import { DTYPES, type DtypeRow, sourceValues, storedElements } from "./sources";

/** Block sizes in elements; 0 = the format's default, also written as 0 into the chunk's header. */
const BLOCK_SIZES = {
  default: () => 0,
  "64 elements": () => 64,
  "512 elements": () => 512,
  "1024 elements": () => 1024,
  "8192 bytes": (elementBytes: number) => 8192 / elementBytes,
} as const;

/** Side lengths of small detectors: every element count mod 8, chunks shorter than a block and just longer. */
const LARGEST_SIDE = 40;
const LARGE_DETECTORS = [
  [229, 65],
  [743, 647],
  [1065, 1030],
] as const;

/** One source in a file's byte order, as one encoded chunk. Dtypes of one width have the same bytes. */
function encodeSource(
  row: DtypeRow,
  source: ArrayBufferView,
  littleEndian: boolean,
  blockElements: number,
): Uint8Array {
  const options = blockElements === 0 ? { headerBlockBytes: 0 } : {};
  return encodeChunk(storedElements(row, source, littleEndian), row.bytes, blockElements, options);
}

/** Decodes one encoded chunk and compares it with its source. */
function assertParity(
  row: DtypeRow,
  source: ArrayBufferView,
  stored: Uint8Array,
  littleEndian: boolean,
  blockElements: number,
): void {
  const elements = source.byteLength / row.bytes;
  const program = lowerFilters({
    filters: [
      { id: BITSHUFFLE_FILTER, name: "bitshuffle", values: bitshuffleValues(row.bytes, blockElements) },
    ],
    dtype: row.dtype,
    littleEndian,
    chunkElements: elements,
    place: "test",
  });
  const out = new Uint8Array(source.byteLength).fill(0xa5);
  const damage = decodeChunk(program, stored, 0, out);
  const where = `${elements} ${row.dtype}, ${littleEndian ? "little" : "big"}-endian, blocks of ${blockElements}`;
  assert.deepEqual(damage, [], where);
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  assert.ok(bytes.equals(out), where);
}

/** Each element count that a detector of 1..40 rows and columns can have, with how many shapes have it. */
function smallElementCounts(): Map<number, number> {
  const shapes = new Map<number, number>();
  for (let rows = 1; rows <= LARGEST_SIDE; rows++) {
    for (let columns = 1; columns <= LARGEST_SIDE; columns++) {
      shapes.set(rows * columns, (shapes.get(rows * columns) ?? 0) + 1);
    }
  }
  return shapes;
}

// A chunk knows its element count, not its shape: shapes of one count have the same chunk, which is decoded once.
for (const row of DTYPES) {
  for (const [name, blockElements] of Object.entries(BLOCK_SIZES)) {
    test(`${row.dtype} detectors of 1..40 x 1..40, blocks of ${name}`, () => {
      const shapes = smallElementCounts();
      assert.equal(
        [...shapes.values()].reduce((sum, count) => sum + count),
        LARGEST_SIDE ** 2,
      );
      for (const elements of shapes.keys()) {
        const source = sourceValues(row, elements, 1000 * elements + row.bytes);
        for (const littleEndian of [true, false]) {
          const block = blockElements(row.bytes);
          assertParity(row, source, encodeSource(row, source, littleEndian, block), littleEndian, block);
        }
      }
    });
  }
}

for (const [rows, columns] of LARGE_DETECTORS) {
  for (const width of [1, 2, 4, 8]) {
    const dtypes = DTYPES.filter(({ bytes }) => bytes === width);
    test(`${dtypes.map(({ dtype }) => dtype).join(", ")} detectors of ${rows} x ${columns}, every block size`, () => {
      const sources = dtypes.map((row) => sourceValues(row, rows * columns, rows));
      for (const blockElements of Object.values(BLOCK_SIZES)) {
        const block = blockElements(width);
        const stored = encodeSource(dtypes[0]!, sources[0]!, true, block);
        for (const [i, row] of dtypes.entries()) assertParity(row, sources[i]!, stored, true, block);
      }
    });
  }
}
