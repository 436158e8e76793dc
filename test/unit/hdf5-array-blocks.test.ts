// Owns: kept blocks of array indexes: one address that is led to as blocks of several kinds or lengths is damage.
// Must not know: which index leads there.
import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ArrayBlocks } from "#framelab/source/hdf5/array-blocks";
import { MetadataFile } from "#framelab/source/hdf5/metadata-file";
import { lookup3 } from "../fixtures/hdf5-writer";

const folder = mkdtempSync(join(tmpdir(), "framelab-blocks-"));
const AT = 32;
const BYTES = 40;
/** The array's header; a block names it behind signature, version and client. */
const HEADER = 8;

const file = join(folder, "block.h5");
const bytes = Buffer.alloc(256);
bytes.write("EADB", AT, "latin1");
bytes.writeUInt8(1, AT + 5);
bytes.writeBigUInt64LE(BigInt(HEADER), AT + 6);
bytes.writeUInt32LE(lookup3(bytes.subarray(AT, AT + BYTES - 4)), AT + BYTES - 4);
writeFileSync(file, bytes);
const fd = openSync(file, "r");
after(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

const open = (): ArrayBlocks =>
  new ArrayBlocks(new MetadataFile(fd, bytes.length, "block.h5"), {
    header: HEADER,
    client: 1,
    offsetBytes: 8,
    baseAddress: 0,
  });

test("a block is read once and given again", () => {
  const blocks = open();
  const block = blocks.signed(AT, BYTES, "EADB", "data block");
  assert.equal(block.length, BYTES);
  assert.equal(blocks.signed(AT, BYTES, "EADB", "data block"), block);
});

for (const [what, length, signature, kind] of [
  ["longer", BYTES + 8, "EADB", "data block"],
  ["shorter", BYTES - 8, "EADB", "data block"],
  ["another kind", BYTES, "EASB", "super block"],
] as const) {
  test(`the same address as a block that is ${what} is refused, not the kept block`, () => {
    const blocks = open();
    blocks.signed(AT, BYTES, "EADB", "data block");
    assert.throws(() => blocks.signed(AT, length, signature, kind), { code: "unsupported-layout" });
  });
}
