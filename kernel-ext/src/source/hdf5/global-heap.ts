// Owns: reading one object of a global heap collection (format specification 3.0, III.E).
// Must not know: what the object means.
import { Cursor } from "./cursor";
import type { MetadataFile } from "./metadata-file";
import type { Superblock } from "./superblock";

const WHAT = "global heap";
/** Signature, version and reserved bytes in front of the collection's size. */
const PREFIX_BYTES = 8;

/** Bytes of object `index` of the collection at absolute `address`, and where they lie. */
export function readHeapObject(
  file: MetadataFile,
  { lengthBytes }: Superblock,
  address: number,
  index: number,
): { readonly data: Buffer; readonly address: number } {
  const start = file.readSigned(address, PREFIX_BYTES + lengthBytes, "GCOL", WHAT);
  const prefix: Cursor = new Cursor(file, start, address, WHAT, 4);
  const version = prefix.u8();
  if (version !== 1) prefix.refuse("version 1", `version ${version}`);
  prefix.skip(3);
  const bytes = prefix.uint(lengthBytes);
  if (bytes < start.length) prefix.refuse(`a collection of at least ${start.length} bytes`, `${bytes}`);
  const block = file.read(address, bytes, WHAT);
  const cursor: Cursor = new Cursor(file, block, address, WHAT, start.length);
  // Each object: index, reference count, 4 reserved bytes, size, data padded to 8 bytes. Object 0 is the free space.
  while (cursor.left >= 8 + lengthBytes) {
    const found = cursor.u16();
    cursor.skip(6);
    const size = cursor.uint(lengthBytes);
    if (found === index) return { address: cursor.position, data: cursor.slice(size) };
    if (found === 0) break;
    cursor.skip(Math.min(cursor.left, Math.ceil(size / 8) * 8));
  }
  return cursor.refuse(`an object ${index}`, "none");
}
