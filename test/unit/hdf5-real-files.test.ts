// Owns: the chunk index reader on real detector files; expected sums come from the files' own provenance notes.
// Must not know: decoders. The folder is named by FRAMELAB_REAL_FILES.
import assert from "node:assert/strict";
import { readSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import type { DatasetFacts } from "#framelab/source/acquisition";
import { readChunkTable } from "#framelab/source/hdf5/chunk-table";
import { describe, loadH5wasm, withFacts } from "./hdf5-describe";

const root = process.env.FRAMELAB_REAL_FILES;
const skip = root === undefined ? "FRAMELAB_REAL_FILES is not set" : false;

let h5wasm: Awaited<ReturnType<typeof loadH5wasm>>;
before(async () => {
  h5wasm = await loadH5wasm();
});

function stored(fd: number, address: number, bytes: number): Buffer {
  const block = Buffer.alloc(bytes);
  assert.equal(readSync(fd, block, 0, bytes, address), bytes);
  return block;
}

function pieces(fd: number, facts: DatasetFacts): Buffer[] {
  if (facts.layout.kind !== "chunked") return [stored(fd, facts.layout.address!, facts.layout.bytes)];
  const table = readChunkTable(fd, facts, 0, facts.shape[0]!);
  return Array.from(table.address, (address, i) => stored(fd, address, table.bytes[i]!));
}

const OLD_AND_NEW = "dectris-h5-testfiles/datasets_different_h5ver";
/** Unfiltered u32 datasets and their sums. */
const SUMS: readonly (readonly [string, number])[] = [
  ["chunked", 300],
  ["chunked_unlimited_maxshape", 300],
  ["chunked_fixed_array", 760],
  ["chunked_fixed_array_paged", 49990000],
  ["not_chunked", 300],
];

for (const version of ["earliest", "v110"]) {
  for (const [name, sum] of SUMS) {
    test(`dataset_${version}.h5 ${name} sums to ${sum}`, { skip }, () => {
      const file = join(root!, OLD_AND_NEW, `dataset_${version}.h5`);
      withFacts(describe(h5wasm, file, `/data/${name}`), (fd, facts) => {
        let got = 0;
        for (const piece of pieces(fd, facts)) {
          for (let at = 0; at < piece.length; at += 4) got += piece.readUInt32LE(at);
        }
        assert.equal(got, sum);
      });
    });
  }
}

/** Chunks of bitshuffle or "lz4" mode begin with their decoded size, a big-endian number of 8 bytes. */
const COMPRESSED: readonly (readonly [string, string, number])[] = [
  [`${OLD_AND_NEW}/dataset_earliest.h5`, "/data/chunked_fixed_array_paged_bslz4", 16],
  [`${OLD_AND_NEW}/dataset_v110.h5`, "/data/chunked_fixed_array_paged_bslz4", 16],
  [`${OLD_AND_NEW}/dataset_v110.h5`, "/data/chunked_unlimited_maxshape_bslz4", 400],
  ["dectris-h5-testfiles/dataset_artificial_small_001/test_data_000001.h5", "/entry/data/data", 13 * 11 * 2],
  [
    "dectris-h5-testfiles/datasets_eiger2/eiger2_simread7_2datafiles_4images_bslz4_uint32_data_000001.h5",
    "/entry/data/data",
    512 * 1028 * 4,
  ],
  ["hdf5plugin/bitshuffle.h5", "/entry/data/data", 2167 * 2070 * 4],
  ["rosettasciio-arina/test_00_data_000001.h5", "/entry/data/data", 192 * 192 * 4],
  ["quantem.gpu/fixture_u8_data_000001.h5", "/entry/data/data", 192 * 192],
];

for (const [path, dataset, chunkBytes] of COMPRESSED) {
  test(`${path} ${dataset}: every chunk begins with its decoded size`, { skip }, () => {
    withFacts(describe(h5wasm, join(root!, path), dataset), (fd, facts) => {
      const found = pieces(fd, facts);
      assert.equal(found.length, facts.shape[0]);
      for (const piece of found) assert.equal(Number(piece.readBigUInt64BE(0)), chunkBytes);
    });
  });
}
