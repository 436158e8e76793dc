// Owns: a virtual dataset's own facts and its list of mappings (format specification 3.0, IV.A.2.i, VII.C).
// Must not know: where sources lie, frames, what h5wasm says: for a virtual dataset it may open sources by itself.
import { dtypeBytes } from "../../pixel-arrays";
import type { Dtype } from "../../types";
import { metadataChecksum } from "./checksum";
import { Cursor } from "./cursor";
import { readHeapObject } from "./global-heap";
import { VIRTUAL } from "./layout-message";
import { parseDataspace, parseDatatype, parseFillValue } from "./messages";
import { MetadataFile } from "./metadata-file";
import { MESSAGE, readObjectHeader } from "./object-header";
import { readSelection, type Selection } from "./selection";
import { readSuperblock, type Superblock } from "./superblock";

/** One source of a virtual dataset. */
export interface VirtualMapping {
  /** As stored: a path, "." for the file itself; `%b` stands for the number of a block where the mapping is unlimited. */
  readonly file: string;
  readonly dataset: string;
  readonly from: Selection;
  readonly to: Selection;
}

export interface VirtualDataset {
  /** Extent as stored; sources that grew since may hold more. */
  readonly shape: readonly number[];
  readonly dtype: Dtype;
  readonly littleEndian: boolean;
  /** As stored bytes, in the byte order of the virtual dataset. */
  readonly fillValue: Uint8Array;
  readonly mappings: readonly VirtualMapping[];
}

const WHAT = "list of virtual sources";
/** One entry takes 50 bytes and each source is a file to open. */
const MAX_MAPPINGS = 100_000;

/** Flags of an entry of version 1 (HDF5 2.0): a name is that of an earlier entry, or the file is this one. */
const FILE_SHARED = 1;
const DATASET_SHARED = 2;
const SAME_FILE = 4;

/**
 * Reads the object header at `headerAddress` (relative to the superblock) and the mappings behind it.
 *
 * Errors: `NotHdf5Error`, `UnsupportedLayoutError` (damaged, not virtual, a type without dtype), `BackendError`.
 */
export function readVirtualDataset(
  fd: number,
  fileBytes: number,
  headerAddress: number,
  place: string,
): VirtualDataset {
  const file: MetadataFile = new MetadataFile(fd, fileBytes, place);
  const superblock = readSuperblock(file);
  const address = headerAddress + superblock.baseAddress;
  const messages = readObjectHeader(file, superblock, address);
  const need = (type: number, what: string) =>
    messages.get(type) ?? file.refuse("object header", address, `a ${what} message`, "none");
  const { shape } = parseDataspace(file, need(MESSAGE.dataspace, "dataspace"), superblock.lengthBytes);
  const { dtype, littleEndian } = parseDatatype(file, need(MESSAGE.datatype, "datatype"));
  const layout = need(MESSAGE.layout, "data layout");
  const cursor: Cursor = new Cursor(file, layout.data, layout.address, "data layout message");
  const version = cursor.u8();
  const kind = cursor.u8();
  if (layout.shared || version < 4 || version > 5 || kind !== VIRTUAL) {
    cursor.refuse("a virtual layout of version 4 or 5", `class ${kind}, version ${version}`);
  }
  const heap = cursor.optionalUint(superblock.offsetBytes);
  const index = cursor.u32();
  const fillValue = parseFillValue(
    file,
    messages.get(MESSAGE.fillValue),
    messages.get(MESSAGE.oldFillValue),
    dtypeBytes(dtype),
  );
  const mappings = heap === null ? [] : readMappings(file, superblock, heap + superblock.baseAddress, index);
  return { shape, dtype, littleEndian, fillValue, mappings };
}

/** Stored extent of the dataset with this object header where it is virtual, else null. @throws as readVirtualDataset. */
export function virtualExtent(
  fd: number,
  fileBytes: number,
  headerAddress: number,
  place: string,
): readonly number[] | null {
  const file: MetadataFile = new MetadataFile(fd, fileBytes, place);
  const superblock = readSuperblock(file);
  const messages = readObjectHeader(file, superblock, headerAddress + superblock.baseAddress);
  const layout = messages.get(MESSAGE.layout)?.data;
  const space = messages.get(MESSAGE.dataspace);
  if (layout === undefined || space === undefined || layout.length < 2) return null;
  if (layout[0]! < 4 || layout[1] !== VIRTUAL) return null;
  return parseDataspace(file, space, superblock.lengthBytes).shape;
}

function readMappings(
  file: MetadataFile,
  superblock: Superblock,
  heap: number,
  index: number,
): VirtualMapping[] {
  const { data, address } = readHeapObject(file, superblock, heap, index);
  const end = data.length - 4;
  if (end < 1) file.refuse(WHAT, address, "a version and a checksum", `${data.length} bytes`);
  const stored = data.readUInt32LE(end);
  const computed = metadataChecksum(data, 0, end);
  if (stored !== computed) file.refuse(WHAT, address, `checksum ${stored} as stored`, `${computed}`);
  const cursor: Cursor = new Cursor(file, data, address, WHAT, 0, end);
  const version = cursor.u8();
  if (version > 1) cursor.refuse("version 0 or 1", `version ${version}`);
  const count = cursor.uint(superblock.lengthBytes);
  if (count > MAX_MAPPINGS) cursor.refuse(`at most ${MAX_MAPPINGS} mappings`, `${count}`);
  const mappings: VirtualMapping[] = [];
  const earlier = (name: "file" | "dataset"): string => {
    const entry = cursor.uint(superblock.lengthBytes);
    return mappings[entry]?.[name] ?? cursor.refuse(`an entry before ${mappings.length}`, `entry ${entry}`);
  };
  for (let i = 0; i < count; i++) {
    const flags = version === 0 ? 0 : cursor.u8();
    if (flags > 7) cursor.refuse("flags below 8", `${flags}`);
    let source = ".";
    if (!(flags & SAME_FILE)) source = flags & FILE_SHARED ? earlier("file") : text(cursor);
    const dataset = flags & DATASET_SHARED ? earlier("dataset") : text(cursor);
    mappings.push({ file: source, dataset, from: readSelection(cursor), to: readSelection(cursor) });
  }
  return mappings;
}

/** A string that ends with a zero byte. */
function text(cursor: Cursor): string {
  const end = cursor.bytes.indexOf(0, cursor.at);
  if (end < 0 || end >= cursor.end) cursor.refuse("a name that ends with a zero byte", "none");
  const bytes = cursor.slice(end - cursor.at);
  cursor.skip(1);
  return bytes.toString("utf8");
}
