// Owns: a bounded cursor over one block of metadata: little-endian numbers of the widths that HDF5 uses.
// Must not know: which structure it walks.
import type { MetadataFile } from "./metadata-file";

/** Reads numbers one after another; every read is checked against the block's end first. */
export class Cursor {
  constructor(
    private readonly file: MetadataFile,
    readonly bytes: Buffer,
    /** Absolute file offset of the block's first byte. */
    readonly address: number,
    readonly what: string,
    public at: number = 0,
    readonly end: number = bytes.length,
  ) {}

  get left(): number {
    return this.end - this.at;
  }

  /** Absolute file offset of the next byte. */
  get position(): number {
    return this.address + this.at;
  }

  u8(): number {
    return this.bytes[this.take(1)]!;
  }

  u16(): number {
    return this.bytes.readUInt16LE(this.take(2));
  }

  u32(): number {
    return this.bytes.readUInt32LE(this.take(4));
  }

  /** Unsigned number of `width` bytes; refused above 2^53 - 1, where it would not be exact. */
  uint(width: number): number {
    const at = this.take(width);
    const value = readUint(this.bytes, at, width);
    if (value > Number.MAX_SAFE_INTEGER) this.refuse("a number below 2^53", `about ${value}`);
    return value;
  }

  /** Unsigned number of `width` bytes, or null where all bits are set ("undefined", "unlimited"). */
  optionalUint(width: number): number | null {
    if (this.left >= width && allOnes(this.bytes, this.at, width)) {
      this.at += width;
      return null;
    }
    return this.uint(width);
  }

  skip(count: number): void {
    this.take(count);
  }

  slice(count: number): Buffer {
    const at = this.take(count);
    return this.bytes.subarray(at, at + count);
  }

  refuse(expected: string, got: string, todo?: string): never {
    this.file.refuse(this.what, this.address, expected, got, todo);
  }

  private take(count: number): number {
    if (!(count >= 0 && count <= this.left))
      this.refuse(`${count} more bytes at its byte ${this.at}`, `${this.left} left`);
    const at = this.at;
    this.at += count;
    return at;
  }
}

/** Unsigned little-endian number of 1 to 8 bytes; above 2^53 the nearest double. The caller has checked the bounds. */
export function readUint(bytes: Buffer, at: number, width: number): number {
  if (width === 8) return bytes.readUInt32LE(at + 4) * 0x100000000 + bytes.readUInt32LE(at);
  if (width <= 6) return bytes.readUIntLE(at, width);
  return bytes.readUIntLE(at + 4, width - 4) * 0x100000000 + bytes.readUInt32LE(at);
}

/** Address of `width` bytes at `at`, made absolute: NaN where it is undefined (all bits set). */
export function readAddress(bytes: Buffer, at: number, width: number, baseAddress: number): number {
  return allOnes(bytes, at, width) ? Number.NaN : readUint(bytes, at, width) + baseAddress;
}

function allOnes(bytes: Buffer, at: number, width: number): boolean {
  // From the high end: it is zero in most addresses.
  for (let i = width - 1; i >= 0; i--) if (bytes[at + i] !== 0xff) return false;
  return true;
}
