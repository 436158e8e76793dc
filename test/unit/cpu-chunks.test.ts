// Owns: every instruction set decodes every dtype, byte order, block size and layout to the source array, bit for bit.
// Must not know: files, batches, threads.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Addon, loadAddon } from "#framelab/backends/addon";
import { chunkFormat } from "#framelab/backends/cpu/format";
import { lowerFilters } from "#framelab/filters/lower";
import type { Program } from "#framelab/filters/program";
import {
  BITSHUFFLE_FILTER,
  bitshuffleValues,
  encodeChunk,
  encodeLz4FilterChunk,
  LZ4_FILTER,
} from "../fixtures/bitshuffle-encoder";
import { DTYPES, type DtypeRow, sourceValues, storedElements } from "../parity/sources";

const loaded = loadAddon();
const addon = "addon" in loaded ? loaded.addon : null;
const skip = addon ? false : `no native addon: ${"reason" in loaded ? loaded.reason : ""}`;

/** Vector steps are 128, 256 and 512 elements: counts around them, odd tails, several blocks. */
const ELEMENTS = [1, 7, 8, 9, 127, 128, 264, 511, 512, 1023, 4099, 229 * 65, 192 * 192];
const BLOCK_ELEMENTS = [0, 64, 128, 512, 520, 1024, 8192];

function program(
  row: DtypeRow,
  littleEndian: boolean,
  chunkElements: number,
  filter: Program["steps"] | number[],
) {
  const values = filter as number[];
  const filters = values.length === 0 ? [] : [{ id: values[0]!, name: "", values: values.slice(1) }];
  return lowerFilters({ filters, dtype: row.dtype, littleEndian, chunkElements, place: "test" });
}

/** Decodes with every instruction set of this machine; the bytes behind and before the output must stay. */
function decodeEverywhere(native: Addon, decoded: Program, stored: Uint8Array, filterMask = 0): Uint8Array[] {
  const lowered = chunkFormat(decoded);
  assert.ok("format" in lowered);
  const isas = native.isas().filter((isa) => isa.supported);
  assert.ok(isas.length >= 2);
  return isas.map(({ name }) => {
    const guarded = new Uint8Array(decoded.chunkBytes + 128).fill(0xa5);
    const out = guarded.subarray(64, 64 + decoded.chunkBytes);
    const reason = native.decodeChunk({ ...lowered.format, isa: name, filterMask, stored, out });
    assert.equal(reason, 0, name);
    const around = [...guarded.subarray(0, 64), ...guarded.subarray(64 + decoded.chunkBytes)];
    assert.ok(
      around.every((byte) => byte === 0xa5),
      `${name} writes outside its chunk`,
    );
    return out;
  });
}

function assertAll(decoded: Uint8Array[], source: ArrayBufferView, where: string): void {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  for (const [i, out] of decoded.entries()) assert.ok(bytes.equals(out), `${where}, instruction set ${i}`);
}

describe("native chunks", { skip }, () => {
  for (const row of DTYPES) {
    it(`${row.dtype} with bitshuffle and LZ4`, () => {
      for (const elements of ELEMENTS) {
        for (const blockElements of BLOCK_ELEMENTS) {
          // One order for each case keeps the test short; both orders meet every element count.
          const littleEndian = (elements + blockElements / 8) % 2 === 0;
          const source = sourceValues(row, elements, elements + 7 * blockElements);
          const stored = encodeChunk(storedElements(row, source, littleEndian), row.bytes, blockElements);
          const filter = [BITSHUFFLE_FILTER, ...bitshuffleValues(row.bytes, blockElements)];
          const where = `${elements} elements in blocks of ${blockElements}`;
          assertAll(
            decodeEverywhere(addon!, program(row, littleEndian, elements, filter), stored),
            source,
            where,
          );
        }
      }
    });

    it(`${row.dtype} with bitshuffle alone, with LZ4 alone, and raw`, () => {
      for (const elements of ELEMENTS) {
        for (const littleEndian of [true, false]) {
          const source = sourceValues(row, elements, elements);
          const bytes = storedElements(row, source, littleEndian);
          const planes = encodeChunk(bytes, row.bytes, 128, { compressor: "none" });
          const none = [BITSHUFFLE_FILTER, ...bitshuffleValues(row.bytes, 128, 0)];
          const decode = (filter: number[], stored: Uint8Array, mask = 0): void =>
            assertAll(
              decodeEverywhere(addon!, program(row, littleEndian, elements, filter), stored, mask),
              source,
              `${elements} ${filter}`,
            );
          decode(none, planes);
          // Blocks that end inside an element.
          decode([LZ4_FILTER, 0], encodeLz4FilterChunk(bytes, 1001));
          decode([], bytes);
          // Filter mask: this chunk skipped its only filter.
          decode(none, bytes, 1);
          decode([LZ4_FILTER, 0], bytes, 1);
        }
      }
    });
  }

  it("zero, constant and full planes", () => {
    for (const row of DTYPES) {
      for (const fill of [0, 1, 0x80, 0xff]) {
        const bytes = new Uint8Array(4096 * row.bytes).fill(fill);
        const filter = [BITSHUFFLE_FILTER, ...bitshuffleValues(row.bytes)];
        const decoded = decodeEverywhere(
          addon!,
          program(row, true, 4096, filter),
          encodeChunk(bytes, row.bytes),
        );
        assertAll(decoded, bytes, `${row.dtype} of ${fill}`);
      }
    }
  });

  it("every group of planes alone", () => {
    for (const row of DTYPES) {
      for (let byte = 0; byte < row.bytes; byte++) {
        const bytes = new Uint8Array(1536 * row.bytes);
        for (let i = byte; i < bytes.length; i += row.bytes) bytes[i] = (i * 37) >> 2;
        const filter = [BITSHUFFLE_FILTER, ...bitshuffleValues(row.bytes)];
        const decoded = decodeEverywhere(
          addon!,
          program(row, true, 1536, filter),
          encodeChunk(bytes, row.bytes),
        );
        assertAll(decoded, bytes, `${row.dtype}, byte ${byte}`);
      }
    }
  });
});
