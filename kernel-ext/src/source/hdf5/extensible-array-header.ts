// Owns: the header of an extensible array (format specification 3.0, VII.C) and the block sizes that follow from it.
// Must not know: where blocks lie, what an entry is.
import type { ChunkedFacts } from "./chunk-sink";
import { Cursor } from "./cursor";
import type { MetadataFile } from "./metadata-file";

const HEADER = "chunk index (extensible array header)";
/** HDF5 always writes 10 (1024 entries a page). */
const MAX_PAGE_BITS = 16;

/** Data blocks of one size: one super block's, or a run of those that hang on the index block. */
export interface BlockGroup {
  readonly firstSlot: number;
  /** Number of its first data block, counted over all groups. */
  readonly firstBlock: number;
  readonly blocks: number;
  readonly blockEntries: number;
  /** Which super block address of the index block, or null where the data blocks hang on the index block. */
  readonly superBlock: number | null;
}

export interface ArrayHeader {
  readonly entryBytes: number;
  readonly pageEntries: number;
  /** Bytes of the "block offset" field of data and super blocks. */
  readonly blockOffsetBytes: number;
  /** Entries, data block addresses and super block addresses in the index block. */
  readonly indexEntries: number;
  readonly indexDataBlocks: number;
  readonly indexSuperBlocks: number;
  readonly indexBlock: number | null;
  /** One past the highest slot ever written: what blocks hold for later slots is not an entry. */
  readonly writtenSlots: number;
  /** Group that holds a slot at or beyond `indexEntries`. */
  groupOf(slot: number): BlockGroup;
}

export function readArrayHeader(file: MetadataFile, facts: ChunkedFacts, address: number): ArrayHeader {
  const { offsetBytes, lengthBytes, baseAddress } = facts;
  const header = file.readChecked(address, 16 + 6 * lengthBytes + offsetBytes, "EAHD", HEADER);
  const cursor: Cursor = new Cursor(file, header, address, HEADER, 4);
  const version = cursor.u8();
  const client = cursor.u8();
  const filtered = facts.filters.length > 0 ? 1 : 0;
  if (version !== 0 || client !== filtered) {
    cursor.refuse(`version 0 for client ${filtered}`, `version ${version} for client ${client}`);
  }
  const entryBytes = cursor.u8();
  const slotBits = cursor.u8();
  const indexEntries = cursor.u8();
  const minBlockEntries = cursor.u8();
  const minPointers = cursor.u8();
  const pageBits = cursor.u8();
  cursor.skip(4 * lengthBytes); // how many super and data blocks, and their bytes
  const writtenSlots = cursor.uint(lengthBytes);
  cursor.skip(lengthBytes); // slots with memory
  const indexBlock = cursor.optionalUint(offsetBytes);
  const minBits = Math.log2(minBlockEntries);
  const pointerBits = Math.log2(minPointers);
  const sound = Number.isInteger(minBits) && Number.isInteger(pointerBits) && pointerBits >= 1;
  if (!sound || slotBits > 64 || slotBits < minBits || pageBits < minBits || pageBits > MAX_PAGE_BITS) {
    cursor.refuse(
      `powers of two, at most 64 bits of slots and ${MAX_PAGE_BITS} of a page`,
      `${minBlockEntries} entries, ${minPointers} pointers, ${slotBits} and ${pageBits} bits`,
    );
  }
  // Group g has 2^(g/2) data blocks of minBlockEntries * 2^((g+1)/2) entries, halves rounded down. The groups of the
  // first 2 * log2(minPointers) sizes hang on the index block.
  const groupCount = 1 + slotBits - minBits;
  const direct = Math.min(2 * pointerBits, groupCount);
  const groups = blockGroups(groupCount, direct, indexEntries, minBlockEntries);
  const groupOf = (slot: number): BlockGroup => {
    const g = Math.floor(Math.log2((slot - indexEntries) / minBlockEntries + 1));
    const group = groups[g];
    if (group === undefined) return cursor.refuse(`a slot below 2^${slotBits}`, `slot ${slot}`);
    // Beyond 2^48 slots the logarithm may round up to the next group.
    return slot < group.firstSlot ? groups[g - 1]! : group;
  };
  return {
    entryBytes,
    pageEntries: 2 ** pageBits,
    blockOffsetBytes: Math.ceil(slotBits / 8),
    indexEntries,
    indexDataBlocks: 2 * (minPointers - 1),
    indexSuperBlocks: groupCount - direct,
    indexBlock: indexBlock === null ? null : indexBlock + baseAddress,
    writtenSlots,
    groupOf,
  };
}

function blockGroups(
  count: number,
  direct: number,
  indexEntries: number,
  minBlockEntries: number,
): BlockGroup[] {
  const groups: BlockGroup[] = [];
  let firstSlot = indexEntries;
  let firstBlock = 0;
  for (let g = 0; g < count; g++) {
    const blocks = 2 ** Math.floor(g / 2);
    const blockEntries = minBlockEntries * 2 ** Math.floor((g + 1) / 2);
    groups.push({ firstSlot, firstBlock, blocks, blockEntries, superBlock: g < direct ? null : g - direct });
    firstSlot += blocks * blockEntries;
    firstBlock += blocks;
  }
  return groups;
}
