// Owns: the checked blocks of entries (data blocks, pages) of an array index, kept while a range is read.
// Must not know: which array they belong to, what an entry is.
import type { MetadataFile } from "./metadata-file";

/** Blocks are kept up to so many bytes: ranges of a grid whose fast axis is the unlimited one revisit them. */
const KEPT_BYTES = 64 * 2 ** 20;

/** Reads each block once, verifies it, and forgets the oldest ones when they add up. */
export class ArrayBlocks {
  private readonly kept = new Map<number, Buffer>();
  private bytes = 0;
  private lastAddress = -1;
  private last: Buffer = Buffer.alloc(0);

  constructor(private readonly file: MetadataFile) {}

  /** A data block: signature, contents, checksum. */
  signed(address: number, length: number, signature: string, what: string): Buffer {
    return this.get(address, () => this.file.readChecked(address, length, signature, what));
  }

  /** A page: entries and a checksum, without a signature. */
  page(address: number, length: number, what: string): Buffer {
    return this.get(address, () => {
      const page = this.file.read(address, length, what);
      this.file.checkSum(page, address, what);
      return page;
    });
  }

  private get(address: number, read: () => Buffer): Buffer {
    if (address === this.lastAddress) return this.last;
    let block = this.kept.get(address);
    if (block === undefined) {
      block = read();
      this.kept.set(address, block);
      this.bytes += block.length;
      for (const [oldest, { length }] of this.kept) {
        if (this.bytes <= KEPT_BYTES || oldest === address) break;
        this.kept.delete(oldest);
        this.bytes -= length;
      }
    }
    this.lastAddress = address;
    this.last = block;
    return block;
  }
}

/** Bit `index` of a page bitmap: the most significant bit of a byte comes first. */
export function pageBit(bitmap: Buffer, index: number): boolean {
  return (bitmap[index >> 3]! & (0x80 >> (index & 7))) !== 0;
}
