// Owns: extensible array chunk indexes (format specification 3.0, VII.C): which block holds a slot's entry.
// Must not know: layouts, other indexes.
import { ArrayBlocks, pageBit } from "./array-blocks";
import { ChunkEntry } from "./chunk-entry";
import type { ChunkedFacts, ChunkSink } from "./chunk-sink";
import { forEachSlot, slotGrid } from "./chunk-slots";
import { readAddress, readUint } from "./cursor";
import { type ArrayHeader, type BlockGroup, readArrayHeader } from "./extensible-array-header";
import type { MetadataFile } from "./metadata-file";

const INDEX_BLOCK = "chunk index (extensible array index block)";
const SUPER_BLOCK = "chunk index (extensible array super block)";
const DATA_BLOCK = "chunk index (extensible array data block)";
const PAGE = "chunk index (extensible array page)";

/** Puts every chunk of the sink's range; reads only the data blocks and pages that the range needs. */
export function readExtensibleArray(
  file: MetadataFile,
  facts: ChunkedFacts,
  address: number,
  sink: ChunkSink,
): void {
  const header = readArrayHeader(file, facts, address);
  if (header.indexBlock === null) return; // no chunk was ever written
  const entry = new ChunkEntry(
    file,
    "chunk index (extensible array header)",
    address,
    header.entryBytes,
    facts,
    sink,
  );
  const { offsetBytes, baseAddress } = facts;
  const client = facts.filters.length > 0 ? 1 : 0;
  const blocks = new ArrayBlocks(file, { header: address, client, offsetBytes, baseAddress });
  const array = new ExtensibleArray(file, blocks, facts, header, header.indexBlock, entry);
  forEachSlot(file, slotGrid(file, facts), sink, (number, slot) => array.put(number, slot));
}

class ExtensibleArray {
  private readonly indexBlock: Buffer;
  /** Offsets in the index block: entries, then addresses of data blocks, then addresses of super blocks. */
  private readonly entriesAt: number;
  private readonly dataBlocksAt: number;
  private readonly superBlocksAt: number;
  /** Bytes of a data or super block before its contents: signature, version, client, header address, block offset. */
  private readonly prefixBytes: number;

  constructor(
    private readonly file: MetadataFile,
    private readonly blocks: ArrayBlocks,
    private readonly facts: ChunkedFacts,
    private readonly header: ArrayHeader,
    indexBlock: number,
    private readonly entry: ChunkEntry,
  ) {
    const { offsetBytes } = facts;
    this.entriesAt = 6 + offsetBytes;
    this.dataBlocksAt = this.entriesAt + header.indexEntries * entry.bytes;
    this.superBlocksAt = this.dataBlocksAt + header.indexDataBlocks * offsetBytes;
    const bytes = this.superBlocksAt + header.indexSuperBlocks * offsetBytes + 4;
    this.indexBlock = blocks.signed(indexBlock, bytes, "EAIB", INDEX_BLOCK);
    this.prefixBytes = 6 + offsetBytes + header.blockOffsetBytes;
  }

  put(number: number, slot: number): void {
    const { header, entry } = this;
    if (slot >= header.writtenSlots) return;
    if (slot < header.indexEntries) {
      entry.put(number, this.indexBlock, this.entriesAt + slot * entry.bytes);
      return;
    }
    const group = header.groupOf(slot);
    const inGroup = slot - group.firstSlot;
    const block = Math.floor(inGroup / group.blockEntries);
    const inBlock = inGroup - block * group.blockEntries;
    if (group.superBlock === null) this.putDirect(number, group, block, inBlock);
    else this.putThroughSuperBlock(number, group, group.superBlock, block, inBlock);
  }

  /** The first data blocks hang on the index block itself, and are never paged. */
  private putDirect(number: number, group: BlockGroup, block: number, inBlock: number): void {
    const at = this.dataBlocksAt + (group.firstBlock + block) * this.facts.offsetBytes;
    const address = this.address(this.indexBlock, at);
    if (!Number.isNaN(address)) this.putFromBlock(number, group, address, block, inBlock);
  }

  private putThroughSuperBlock(
    number: number,
    group: BlockGroup,
    superBlock: number,
    block: number,
    inBlock: number,
  ): void {
    const { facts, header, prefixBytes } = this;
    const address = this.address(this.indexBlock, this.superBlocksAt + superBlock * facts.offsetBytes);
    if (Number.isNaN(address)) return;
    const pages = group.blockEntries > header.pageEntries ? group.blockEntries / header.pageEntries : 0;
    // Each data block has whole bytes of page bits, but the bits in use are packed without gaps.
    const bitmapBytes = group.blocks * Math.ceil(pages / 8);
    const length = prefixBytes + bitmapBytes + group.blocks * facts.offsetBytes + 4;
    const bytes = this.blocks.signed(address, length, "EASB", SUPER_BLOCK);
    this.checkOffset(bytes, address, SUPER_BLOCK, group, 0);
    const dataBlock = this.address(bytes, prefixBytes + bitmapBytes + block * facts.offsetBytes);
    if (Number.isNaN(dataBlock)) return;
    if (pages === 0) {
      this.putFromBlock(number, group, dataBlock, block, inBlock);
      return;
    }
    const page = Math.floor(inBlock / header.pageEntries);
    if (!pageBit(bytes.subarray(prefixBytes, prefixBytes + bitmapBytes), block * pages + page)) return;
    const head = this.blocks.signed(dataBlock, prefixBytes + 4, "EADB", DATA_BLOCK);
    this.checkOffset(head, dataBlock, DATA_BLOCK, group, block);
    this.putFromPage(number, dataBlock, page, inBlock - page * header.pageEntries);
  }

  private putFromBlock(
    number: number,
    group: BlockGroup,
    address: number,
    block: number,
    inBlock: number,
  ): void {
    const { entry, prefixBytes } = this;
    const length = prefixBytes + group.blockEntries * entry.bytes + 4;
    const bytes = this.blocks.signed(address, length, "EADB", DATA_BLOCK);
    this.checkOffset(bytes, address, DATA_BLOCK, group, block);
    entry.put(number, bytes, prefixBytes + inBlock * entry.bytes);
  }

  private putFromPage(number: number, dataBlock: number, page: number, inPage: number): void {
    const { entry, header, prefixBytes } = this;
    const pageBytes = header.pageEntries * entry.bytes + 4;
    const bytes = this.blocks.page(dataBlock + prefixBytes + 4 + page * pageBytes, pageBytes, PAGE);
    entry.put(number, bytes, inPage * entry.bytes);
  }

  /**
   * A block says which slot it starts with, counted behind those of the index block. Of blocks that hang on the index
   * block, the HDF5 library counts those of smaller groups as well.
   */
  private checkOffset(
    bytes: Buffer,
    address: number,
    what: string,
    { firstSlot, firstBlock, blockEntries, superBlock }: BlockGroup,
    block: number,
  ): void {
    const { header, facts } = this;
    const stored = readUint(bytes, 6 + facts.offsetBytes, header.blockOffsetBytes);
    const expected = firstSlot - header.indexEntries + block * blockEntries;
    const asWritten = superBlock === null ? expected + firstBlock * blockEntries : expected;
    if (stored !== expected && stored !== asWritten) {
      this.file.refuse(what, address, `the block from slot ${expected} on`, `the one from ${stored} on`);
    }
  }

  private address(bytes: Buffer, at: number): number {
    return readAddress(bytes, at, this.facts.offsetBytes, this.facts.baseAddress);
  }
}
