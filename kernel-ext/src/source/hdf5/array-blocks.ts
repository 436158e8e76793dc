// Owns: the checked blocks of entries (data blocks, pages) of an array index, kept while a range is read.
// Must not know: which slots a block holds, what an entry is.
import { Cursor } from "./cursor";
import type { MetadataFile } from "./metadata-file";

/** Blocks are kept up to so many bytes: ranges of a grid whose fast axis is the unlimited one revisit them. */
const KEPT_BYTES = 64 * 2 ** 20;

/** The array that blocks belong to: they name its header and its client. */
export interface BlockOwner {
  /** Absolute address of the array's header. */
  readonly header: number;
  /** 1 where chunks are filtered, else 0. */
  readonly client: number;
  readonly offsetBytes: number;
  readonly baseAddress: number;
}

/** Reads each block once, verifies it, and forgets the oldest ones when they add up. */
export class ArrayBlocks {
  /** By address, length and kind: a damaged index may lead to one address as blocks of several. */
  private readonly kept = new Map<string, Buffer>();
  private bytes = 0;
  private lastAddress = -1;
  private lastWhat = "";
  private last: Buffer = Buffer.alloc(0);

  constructor(
    private readonly file: MetadataFile,
    private readonly owner: BlockOwner,
  ) {}

  /** A block of the array: signature, version, client, address of the array's header, contents, checksum. */
  signed(address: number, length: number, signature: string, what: string): Buffer {
    return this.get(address, length, what, () => {
      const block = this.file.readChecked(address, length, signature, what);
      this.checkOwner(block, address, what);
      return block;
    });
  }

  private checkOwner(block: Buffer, address: number, what: string): void {
    const { header, client, offsetBytes, baseAddress } = this.owner;
    const cursor: Cursor = new Cursor(this.file, block, address, what, 4);
    const version = cursor.u8();
    const itsClient = cursor.u8();
    const itsHeader = cursor.uint(offsetBytes) + baseAddress;
    if (version !== 0 || itsClient !== client || itsHeader !== header) {
      cursor.refuse(
        `version 0 for client ${client} of the array at byte ${header}`,
        `version ${version} for client ${itsClient} of one at byte ${itsHeader}`,
      );
    }
  }

  /** A page: entries and a checksum, without a signature. */
  page(address: number, length: number, what: string): Buffer {
    return this.get(address, length, what, () => {
      const page = this.file.read(address, length, what);
      this.file.checkSum(page, address, what);
      return page;
    });
  }

  private get(address: number, length: number, what: string, read: () => Buffer): Buffer {
    const isLast = address === this.lastAddress && length === this.last.length && what === this.lastWhat;
    if (isLast) return this.last;
    const key = `${address} ${length} ${what}`;
    let block = this.kept.get(key);
    if (block === undefined) {
      block = read();
      this.kept.set(key, block);
      this.bytes += block.length;
      for (const [oldest, { length: freed }] of this.kept) {
        if (this.bytes <= KEPT_BYTES || oldest === key) break;
        this.kept.delete(oldest);
        this.bytes -= freed;
      }
    }
    this.lastAddress = address;
    this.lastWhat = what;
    this.last = block;
    return block;
  }
}

/** Bit `index` of a page bitmap: the most significant bit of a byte comes first. */
export function pageBit(bitmap: Buffer, index: number): boolean {
  return (bitmap[index >> 3]! & (0x80 >> (index & 7))) !== 0;
}
