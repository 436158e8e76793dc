// Owns: the keys and entries of one node of a version 1 B-tree of chunks, read and compared a node at a time.
// Must not know: the tree, files, error messages. Plain functions of arrays and numbers: what V8 compiles for an object's
// methods goes with the last such object, and each load would start with uncompiled code.
import type { ChunkTable } from "../acquisition";
import { compareCoordinates } from "./chunk-sink";

/** Where the entries of a node lie: `[stored bytes u32][filter mask u32][offset u64] x columns [child address]`, repeated. */
export interface EntryForm {
  /** Bytes of a node before its first entry. */
  readonly prefixBytes: number;
  /** Bytes of an entry, and of an address in it. */
  readonly entryBytes: number;
  readonly offsetBytes: number;
  /** Offsets of a key: one for each axis, and one inside an element. */
  readonly columns: number;
}

/**
 * Reads `count` keys: each offset divided by its column's entry in `steps`. Gives the place in `keys` of the first
 * offset that is no multiple or no exact number, -1 where there is none.
 */
export function readKeys(
  view: DataView,
  { prefixBytes, entryBytes, columns }: EntryForm,
  count: number,
  steps: Float64Array,
  keys: Float64Array,
): number {
  for (let key = 0; key < count; key++) {
    const at = prefixBytes + key * entryBytes + 8;
    for (let column = 0; column < columns; column++) {
      const low = view.getUint32(at + 8 * column, true);
      const high = view.getUint32(at + 8 * column + 4, true);
      const place = key * columns + column;
      // Most are 0: chunks are frames, which start at the first row and column.
      if ((low | high) === 0) {
        keys[place] = 0;
        continue;
      }
      const offset = high * 0x100000000 + low;
      const scaled = offset / steps[column]!;
      if (!Number.isInteger(scaled) || offset > Number.MAX_SAFE_INTEGER) return place;
      keys[place] = scaled;
    }
  }
  return -1;
}

/** The first of `count` keys that is not below the one behind it, in lexicographic order; -1 where all are. */
export function firstUnordered(keys: Float64Array, count: number, columns: number): number {
  for (let key = 0; key + 1 < count; key++) {
    if (compareCoordinates(keys, key * columns, keys, (key + 1) * columns, columns) >= 0) return key;
  }
  return -1;
}

/**
 * Puts `count` entries of a leaf into the slots of their chunks in `table`, as the file has them; a chunk outside `grid`
 * or the table is left out, one without an address as well. Gives the first entry whose chunk starts inside an element,
 * -1 where there is none.
 */
export function takeEntries(
  view: DataView,
  form: EntryForm,
  count: number,
  keys: Float64Array,
  grid: Float64Array,
  baseAddress: number,
  { first, address, bytes, filterMask }: ChunkTable,
): number {
  const { prefixBytes, entryBytes, offsetBytes, columns } = form;
  const axes = columns - 1;
  for (let entry = 0; entry < count; entry++) {
    const key = entry * columns;
    if (keys[key + axes] !== 0) return entry;
    // Coordinates outside the grid: a chunk of a dataset that was made smaller.
    let slot = 0;
    let axis = 0;
    for (; axis < axes && keys[key + axis]! < grid[axis]!; axis++)
      slot = slot * grid[axis]! + keys[key + axis]!;
    slot -= first;
    if (axis < axes || slot < 0 || slot >= address.length) continue;
    const at = prefixBytes + entry * entryBytes;
    const target = addressAt(view, at + entryBytes - offsetBytes, offsetBytes, baseAddress);
    if (Number.isNaN(target)) continue;
    address[slot] = target;
    bytes[slot] = view.getUint32(at, true);
    filterMask[slot] = view.getUint32(at + 4, true);
  }
  return -1;
}

/** An absolute address of 2, 4 or 8 bytes; NaN where it is undefined (all bits set). Above 2^53 the nearest double. */
export function addressAt(view: DataView, at: number, offsetBytes: number, baseAddress: number): number {
  const isWide = offsetBytes === 8;
  const low = offsetBytes === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
  const high = isWide ? view.getUint32(at + 4, true) : 0;
  const isUndefined = isWide ? (low & high) === -1 : low === 2 ** (8 * offsetBytes) - 1;
  return isUndefined ? Number.NaN : high * 0x100000000 + low + baseAddress;
}
