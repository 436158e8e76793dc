// Owns: chunks of every filter pipeline, byte for byte as HDF5 wrote them, through lowering and the reference.
// Must not know: how filters are undone.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Note } from "framelab";
import { decodeChunk } from "#framelab/backends/reference/decode-chunk";
import { lowerFilters } from "#framelab/filters/lower";
import type { Program } from "#framelab/filters/program";

/** What was written to each of them: u16 values, little-endian. */
const COUNTS = [0, 1, 2, 3, 300, 65535, 7, 8, 9];
const COUNT_BYTES = [...new Uint8Array(Uint16Array.from(COUNTS).buffer)];

type Filters = readonly (readonly [id: number, values: readonly number[]])[];

/** Stored chunks of h5py 3.16.0 with hdf5plugin 7.1.0 (`read_direct_chunk`), as hexadecimal digits. */
const WRITTEN: Readonly<Record<string, { filters: Filters; stored: string }>> = {
  checksum: { filters: [[3, []]], stored: "00000100020003002c01ffff070008000900014a0632" },
  "shuffle, deflate, checksum": {
    filters: [
      [2, [2]],
      [1, [6]],
      [3, []],
    ],
    stored: "789c63606462d6f9cfcec1c900048cff81040014d2024a10d37ee5",
  },
  "checksum, deflate": {
    filters: [
      [3, []],
      [1, [6]],
    ],
    stored: "789c6360606460626066d061fcff9f9d8183819381d18bcd08001bb802cd",
  },
  "bitshuffle without compression": {
    filters: [[32008, [0, 4, 2]]],
    stored: "6a6c70b02030202030202020202020200900",
  },
  "bitshuffle+LZ4, checksum": {
    filters: [
      [32008, [0, 4, 2, 0, 2]],
      [3, []],
    ],
    stored: "00000000000000120000200000000012f0016a6c70b0203020203020202020202020090013c51002",
  },
  lz4: {
    filters: [[32004, [8]]],
    stored: "000000000000001200000008000000080000010002000300000000082c01ffff07000800000000020900",
  },
  "bitshuffle without compression, lz4": {
    filters: [
      [32008, [0, 4, 2, 8, 0]],
      [32004, [8]],
    ],
    stored: "000000000000001200000008000000086a6c70b020302020000000083020202020202020000000020900",
  },
};

function program(filters: Filters, littleEndian = true, chunkElements = COUNTS.length): Program {
  const facts = filters.map(([id, values]) => ({ id, name: "", values }));
  return lowerFilters({ filters: facts, dtype: "u16", littleEndian, chunkElements, place: "test" });
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

function decode(lowered: Program, stored: Uint8Array, mask = 0) {
  const notes: Note[] = [];
  const out = new Uint8Array(lowered.chunkBytes).fill(0x5a);
  const damage = decodeChunk(lowered, stored, mask, out, notes);
  return { reasons: damage.map(({ reason }) => reason), damage, out: [...out], notes };
}

for (const [name, { filters, stored }] of Object.entries(WRITTEN)) {
  test(`${name}: exact`, () => {
    const { damage, out, notes } = decode(program(filters), bytesOf(stored));
    assert.deepEqual(damage, []);
    assert.deepEqual(out, COUNT_BYTES);
    assert.deepEqual(notes, []);
  });
}

test("big-endian bitshuffle+LZ4 comes out in native order", () => {
  const stored = bytesOf("0000000000000012000020000000000e2230200100806a6c70b0203020200009");
  const filters: Filters = [[32008, [0, 4, 2, 0, 2]]];
  assert.deepEqual(decode(program(filters, false), stored).out, COUNT_BYTES);
});

test("no filter: the stored bytes, which must be exactly the chunk's", () => {
  assert.deepEqual(decode(program([]), Uint8Array.from(COUNT_BYTES)).out, COUNT_BYTES);
  for (const bytes of [0, 17, 19]) {
    const { damage } = decode(program([]), new Uint8Array(bytes));
    const detail = `${bytes} bytes, an uncompressed chunk has 18`;
    assert.deepEqual(damage, [{ block: null, reason: "raw-size-mismatch", detail, at: 0 }]);
  }
});

test("a checksum over an odd number of bytes", () => {
  const facts = {
    filters: [{ id: 3, name: "", values: [] }],
    littleEndian: true,
    chunkElements: 5,
    place: "test",
  };
  const lowered = lowerFilters({ ...facts, dtype: "u8" });
  assert.deepEqual(decode(lowered, bytesOf("010203fafffd03fb09")).out, [1, 2, 3, 250, 255]);
});

test("a checksum in the byte order of HDF5 before 1.6.3 is taken, any other is damage", () => {
  const chunk = WRITTEN.checksum!.stored.slice(0, 36);
  assert.deepEqual(decode(program([[3, []]]), bytesOf(`${chunk}4a013206`)).reasons, []);
  for (const wrong of ["014a0633", "32064a01", "0632014a", "00000000"]) {
    const { damage } = decode(program([[3, []]]), bytesOf(chunk + wrong));
    assert.equal(damage[0]!.reason, "checksum-mismatch");
    assert.match(damage[0]!.detail, /^Fletcher-32 of the chunk is 0x32064a01, stored is 0x[0-9a-f]{8}$/);
  }
});

test("a checksum sees the flipped literal bit that LZ4 cannot see", () => {
  const { filters, stored } = WRITTEN["bitshuffle+LZ4, checksum"]!;
  const flipped = bytesOf(stored);
  flipped[20]! ^= 1;
  assert.deepEqual(decode(program(filters), flipped).reasons, ["checksum-mismatch"]);
  const withoutChecksum = decode(program(filters.slice(0, 1)), flipped.subarray(0, -4));
  assert.deepEqual(withoutChecksum.reasons, []);
  assert.notDeepEqual(withoutChecksum.out, COUNT_BYTES);
});

test("a chunk shorter than its checksum", () => {
  assert.deepEqual(decode(program([[3, []]]), new Uint8Array(3)).reasons, ["chunk-too-short"]);
});

test("a skipped filter's steps are left out, chunk by chunk", () => {
  const { filters, stored } = WRITTEN["bitshuffle+LZ4, checksum"]!;
  const lowered = program(filters);
  const raw = Uint8Array.from(COUNT_BYTES);
  assert.deepEqual(decode(lowered, raw, 0b11).out, COUNT_BYTES);
  assert.deepEqual(decode(lowered, bytesOf(stored).subarray(0, -4), 0b10).out, COUNT_BYTES);
  assert.deepEqual(decode(lowered, bytesOf(WRITTEN.checksum!.stored), 0b01).out, COUNT_BYTES);
  // Skipped, yet compressed: not the chunk's size.
  assert.deepEqual(decode(lowered, bytesOf(stored), 0b11).reasons, ["raw-size-mismatch"]);
  // Not skipped, yet raw: no header.
  assert.deepEqual(decode(program(filters.slice(0, 1)), raw).reasons, ["decoded-size-mismatch"]);
});

test("a raw big-endian chunk is still swapped", () => {
  const swapped = Uint8Array.from(COUNT_BYTES.map((_, i) => COUNT_BYTES[i ^ 1]!));
  const lowered = program([[32008, [0, 4, 2, 0, 2]]], false);
  assert.deepEqual(decode(lowered, swapped, 1).out, COUNT_BYTES);
});

test("deflate: cut, damaged, too long, too short are inflate-failed; bytes behind the stream are a note", () => {
  const { filters, stored } = WRITTEN["shuffle, deflate, checksum"]!;
  const deflated = filters.slice(0, 2);
  const stream = bytesOf(stored).subarray(0, -4);
  assert.deepEqual(decode(program(deflated), stream).out, COUNT_BYTES);
  const damaged = stream.slice();
  damaged[6]! ^= 0xff;
  assert.deepEqual(decode(program(deflated), damaged).reasons, ["inflate-failed"]);
  assert.deepEqual(decode(program(deflated), stream.subarray(0, -3)).reasons, ["inflate-failed"]);
  assert.deepEqual(decode(program(deflated), new Uint8Array(0)).reasons, ["inflate-failed"]);
  const tooLong = decode(program(deflated, true, 8), stream);
  assert.deepEqual(tooLong.damage[0]!.detail, "the deflate stream holds more than 16 bytes");
  const tooShort = decode(program(deflated, true, 10), stream);
  assert.deepEqual(tooShort.damage[0]!.detail, "the deflate stream ends after 18 of 20 bytes");
  const longer = decode(program(deflated), Uint8Array.from([...stream, 1, 2, 3]));
  assert.deepEqual(longer.out, COUNT_BYTES);
  assert.deepEqual(
    longer.notes.map(({ code }) => code),
    ["trailing-bytes"],
  );
});

test("damage leaves the output as it was", () => {
  const { filters, stored } = WRITTEN["bitshuffle+LZ4, checksum"]!;
  const cut = decode(program(filters.slice(0, 1)), bytesOf(stored).subarray(0, 30));
  assert.deepEqual(cut.reasons, ["block-length-past-chunk"]);
  assert.ok(cut.out.every((byte) => byte === 0x5a));
});
