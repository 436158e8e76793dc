// Owns: the header of a version 2 B-tree (format specification 3.0, III.A.2) and the node sizes that follow from it.
// Must not know: what a record holds beyond its size.
import type { ChunkedFacts } from "./chunk-sink";
import { Cursor } from "./cursor";
import type { MetadataFile } from "./metadata-file";

const HEADER = "chunk index (version 2 B-tree header)";
/** Signature, version, type and checksum of a node. */
const NODE_OVERHEAD_BYTES = 10;
/** A tree of 2^40 chunks with the smallest possible nodes is no deeper. */
const MAX_DEPTH = 40;

/** Capacity of nodes at one depth (0 = leaves). */
export interface NodeSizes {
  readonly maxRecords: number;
  /** Records that a node and everything below it may hold at most. */
  readonly maxBelow: number;
  /** Bytes of one child pointer: address, records of the child and, above depth 1, records below it. */
  readonly pointerBytes: number;
}

export interface BTreeHeader {
  readonly type: number;
  readonly recordBytes: number;
  readonly depth: number;
  readonly root: number | null;
  readonly rootRecords: number;
  /** Bytes of "records of the child" in a child pointer. */
  readonly recordCountBytes: number;
  /** By depth, from the leaves up to the root. */
  readonly sizes: readonly NodeSizes[];
}

export function readBTreeHeader(file: MetadataFile, facts: ChunkedFacts, address: number): BTreeHeader {
  const { offsetBytes, lengthBytes, baseAddress } = facts;
  const header = file.readChecked(address, 22 + offsetBytes + lengthBytes, "BTHD", HEADER);
  const cursor: Cursor = new Cursor(file, header, address, HEADER, 4);
  const version = cursor.u8();
  const type = cursor.u8();
  const nodeBytes = cursor.u32();
  const recordBytes = cursor.u16();
  const depth = cursor.u16();
  cursor.skip(2); // when nodes are split and merged
  const root = cursor.optionalUint(offsetBytes);
  const rootRecords = cursor.u16();
  const wantedType = facts.filters.length > 0 ? 11 : 10;
  if (version !== 0 || type !== wantedType) {
    cursor.refuse(`version 0 with records of type ${wantedType}`, `version ${version} of type ${type}`);
  }
  if (depth > MAX_DEPTH) cursor.refuse(`a depth of at most ${MAX_DEPTH}`, `${depth}`);
  const leafRecords = recordBytes === 0 ? 0 : Math.floor((nodeBytes - NODE_OVERHEAD_BYTES) / recordBytes);
  if (leafRecords < 1)
    cursor.refuse("nodes that hold a record", `${nodeBytes} bytes for records of ${recordBytes}`);
  const recordCountBytes = countBytes(leafRecords);
  const sizes: NodeSizes[] = [{ maxRecords: leafRecords, maxBelow: leafRecords, pointerBytes: 0 }];
  for (let level = 1; level <= depth; level++) {
    const below = sizes[level - 1]!;
    const pointerBytes = offsetBytes + recordCountBytes + (level > 1 ? countBytes(below.maxBelow) : 0);
    const maxRecords = Math.floor(
      (nodeBytes - NODE_OVERHEAD_BYTES - pointerBytes) / (recordBytes + pointerBytes),
    );
    const maxBelow = (maxRecords + 1) * below.maxBelow + maxRecords;
    if (maxRecords < 1 || maxBelow >= 2 ** 64) {
      cursor.refuse(`a depth that nodes of ${nodeBytes} bytes allow`, `depth ${depth}`);
    }
    sizes.push({ maxRecords, maxBelow, pointerBytes });
  }
  return {
    type,
    recordBytes,
    depth,
    root: root === null ? null : root + baseAddress,
    rootRecords,
    recordCountBytes,
    sizes,
  };
}

/** Bytes that HDF5 takes to write a count of at most `limit`. */
function countBytes(limit: number): number {
  let bytes = 1;
  for (let rest = limit; rest >= 256; rest = Math.floor(rest / 256)) bytes += 1;
  return bytes;
}
