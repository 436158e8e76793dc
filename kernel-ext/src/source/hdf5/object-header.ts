// Owns: object headers, versions 1 and 2 (format specification 3.0, IV.A.1): the messages of one object.
// Must not know: what a message means.
import { Cursor } from "./cursor";
import type { MetadataFile } from "./metadata-file";
import type { Superblock } from "./superblock";

/** Message types that FrameLab reads (IV.A.2). */
export const MESSAGE = {
  dataspace: 0x01,
  datatype: 0x03,
  oldFillValue: 0x04,
  fillValue: 0x05,
  externalFiles: 0x07,
  layout: 0x08,
  filterPipeline: 0x0b,
  continuation: 0x10,
} as const;

/** One message of an object header. */
export interface HeaderMessage {
  readonly data: Buffer;
  /** Absolute file offset of `data`. */
  readonly address: number;
  /** Stored elsewhere (a committed datatype, a shared message table): `data` is only a reference. */
  readonly shared: boolean;
}

const WANTED: ReadonlySet<number> = new Set<number>(Object.values(MESSAGE));
/** Headers are a few kilobytes; attributes stored in them may add up to 64 KiB each. */
const MAX_HEADER_BYTES = 16 * 2 ** 20;

interface Block {
  readonly address: number;
  readonly bytes: number;
}

/**
 * Messages of the object header at absolute `address`, by type: the first of each, as HDF5 takes it. Follows
 * continuation blocks; a loop, an overlong header or a wrong checksum (version 2) is an error.
 */
export function readObjectHeader(
  file: MetadataFile,
  superblock: Superblock,
  address: number,
): ReadonlyMap<number, HeaderMessage> {
  const walk = new HeaderWalk(file, superblock);
  const start = file.readUpTo(address, 64, "object header");
  if (start.toString("latin1", 0, 4) === "OHDR") walk.version2(address, start);
  else walk.version1(address, start);
  return walk.messages;
}

class HeaderWalk {
  readonly messages: Map<number, HeaderMessage> = new Map();
  private readonly pending: Block[] = [];
  private readonly seen = new Set<number>();
  private total = 0;

  constructor(
    private readonly file: MetadataFile,
    private readonly superblock: Superblock,
  ) {}

  /** IV.A.1.a: 16 bytes of prefix, then messages; continuation blocks hold messages only. */
  version1(address: number, start: Buffer): void {
    const prefix: Cursor = new Cursor(this.file, start, address, "object header");
    const version = prefix.u8();
    if (version !== 1) prefix.refuse('version 1, or 2 with signature "OHDR"', `version ${version}`);
    prefix.skip(7);
    this.push({ address: address + 16, bytes: prefix.u32() });
    for (let block = this.pending.shift(); block; block = this.pending.shift()) {
      const bytes = this.file.read(block.address, block.bytes, "object header block");
      const cursor: Cursor = new Cursor(this.file, bytes, block.address, "object header block");
      // A rest shorter than a message's 8 bytes of prefix is padding.
      while (cursor.left >= 8) {
        const type = cursor.u16();
        const size = cursor.u16();
        const flags = cursor.u8();
        cursor.skip(3);
        this.take(cursor, type, size, flags);
      }
    }
  }

  /** IV.A.1.b: signature, flags that say which fields follow, messages, checksum. */
  version2(address: number, start: Buffer): void {
    const prefix: Cursor = new Cursor(this.file, start, address, "object header", 4);
    const version = prefix.u8();
    if (version !== 2) prefix.refuse("version 2", `version ${version}`);
    const flags = prefix.u8();
    if (flags & 0x20) prefix.skip(16); // times
    if (flags & 0x10) prefix.skip(4); // attribute storage phase change
    const bytes = prefix.uint(1 << (flags & 3));
    const creationOrder = (flags & 0x04) !== 0;
    this.push({ address, bytes: prefix.at + bytes + 4 });
    const first = this.pending.shift()!;
    this.blockV2(first, "OHDR", prefix.at, creationOrder);
    for (let block = this.pending.shift(); block; block = this.pending.shift()) {
      this.blockV2(block, "OCHK", 4, creationOrder);
    }
  }

  private blockV2(block: Block, signature: string, from: number, creationOrder: boolean): void {
    const what = "object header block";
    if (block.bytes < from + 4)
      this.file.refuse(what, block.address, "a signature and a checksum", `${block.bytes} bytes`);
    const bytes = this.file.readChecked(block.address, block.bytes, signature, what);
    const cursor: Cursor = new Cursor(this.file, bytes, block.address, what, from, bytes.length - 4);
    const messagePrefix = creationOrder ? 6 : 4;
    // A rest shorter than a message's prefix is a gap.
    while (cursor.left >= messagePrefix) {
      const type = cursor.u8();
      const size = cursor.u16();
      const flags = cursor.u8();
      if (creationOrder) cursor.skip(2);
      this.take(cursor, type, size, flags);
    }
  }

  private take(cursor: Cursor, type: number, size: number, flags: number): void {
    const address = cursor.position;
    const data = cursor.slice(size);
    if (type === MESSAGE.continuation) {
      const link = new Cursor(this.file, data, address, "object header continuation");
      const target = link.uint(this.superblock.offsetBytes) + this.superblock.baseAddress;
      this.push({ address: target, bytes: link.uint(this.superblock.lengthBytes) });
    } else if (WANTED.has(type) && !this.messages.has(type)) {
      this.messages.set(type, { data, address, shared: (flags & 0x02) !== 0 });
    }
  }

  private push(block: Block): void {
    this.total += block.bytes;
    if (this.seen.has(block.address)) {
      this.file.refuse("object header block", block.address, "a chain of blocks", "a loop");
    }
    if (this.total > MAX_HEADER_BYTES) {
      this.file.refuse(
        "object header",
        block.address,
        `at most ${MAX_HEADER_BYTES} bytes`,
        `${this.total} bytes`,
      );
    }
    this.seen.add(block.address);
    this.pending.push(block);
  }
}
