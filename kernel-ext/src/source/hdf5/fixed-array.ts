// Owns: fixed array chunk indexes (format specification 3.0, VII.B).
// Must not know: layouts, other indexes.
import { safeProduct } from "../../plan/chunk-grid";
import { ArrayBlocks, pageBit } from "./array-blocks";
import { ChunkEntry } from "./chunk-entry";
import type { ChunkedFacts, ChunkSink } from "./chunk-sink";
import { forEachSlot, slotGrid } from "./chunk-slots";
import { Cursor } from "./cursor";
import type { MetadataFile } from "./metadata-file";

const HEADER = "chunk index (fixed array header)";
const BLOCK = "chunk index (fixed array data block)";
const PAGE = "chunk index (fixed array page)";
/** HDF5 always writes 10 (1024 entries a page). */
const MAX_PAGE_BITS = 16;

/** Puts every chunk of the sink's range; of a paged array only the pages that the range needs are read. */
export function readFixedArray(
  file: MetadataFile,
  facts: ChunkedFacts,
  address: number,
  sink: ChunkSink,
): void {
  const { offsetBytes, lengthBytes, baseAddress } = facts;
  const header = file.readChecked(address, 12 + lengthBytes + offsetBytes, "FAHD", HEADER);
  const cursor: Cursor = new Cursor(file, header, address, HEADER, 4);
  const version = cursor.u8();
  const client = cursor.u8();
  const entry = new ChunkEntry(file, HEADER, address, cursor.u8(), facts, sink);
  const pageBits = cursor.u8();
  const entries = cursor.uint(lengthBytes);
  const block = cursor.optionalUint(offsetBytes);
  const filtered = facts.filters.length > 0 ? 1 : 0;
  if (version !== 0 || client !== filtered) {
    cursor.refuse(`version 0 for client ${filtered}`, `version ${version} for client ${client}`);
  }
  if (pageBits > MAX_PAGE_BITS) cursor.refuse(`pages of at most 2^${MAX_PAGE_BITS} entries`, `2^${pageBits}`);
  const grid = slotGrid(file, facts);
  const slots = safeProduct(grid.map((extent) => extent ?? Number.NaN));
  if (entries !== slots) cursor.refuse(`${slots} entries, a chunk each at the maximum extent`, `${entries}`);
  if (block === null) return; // no chunk was ever written

  const blockAddress = block + baseAddress;
  const blocks = new ArrayBlocks(file, { header: address, client, offsetBytes, baseAddress });
  const pageEntries = 2 ** pageBits;
  const prefixBytes = 6 + offsetBytes;
  if (entries <= pageEntries) {
    const bytes = blocks.signed(blockAddress, prefixBytes + entries * entry.bytes + 4, "FADB", BLOCK);
    forEachSlot(file, grid, sink, (number, slot) =>
      entry.put(number, bytes, prefixBytes + slot * entry.bytes),
    );
    return;
  }
  const bitmapBytes = Math.ceil(Math.ceil(entries / pageEntries) / 8);
  const prefix = blocks.signed(blockAddress, prefixBytes + bitmapBytes + 4, "FADB", BLOCK);
  const bitmap = prefix.subarray(prefixBytes, prefixBytes + bitmapBytes);
  const firstPage = blockAddress + prefix.length;
  const pageBytes = pageEntries * entry.bytes + 4;
  forEachSlot(file, grid, sink, (number, slot) => {
    const page = Math.floor(slot / pageEntries);
    if (!pageBit(bitmap, page)) return; // a page that was never written
    const present = Math.min(pageEntries, entries - page * pageEntries); // the last page is short
    const bytes = blocks.page(firstPage + page * pageBytes, present * entry.bytes + 4, PAGE);
    entry.put(number, bytes, (slot - page * pageEntries) * entry.bytes);
  });
}
