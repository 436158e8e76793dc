// Owns: seeded mutations of a file's metadata: flips, runs, extreme numbers, addresses that lead elsewhere, cuts.
// Must not know: what the file holds; chunk bytes are left alone.
import { lookup3 } from "../fixtures/hdf5-writer";
import type { Random } from "../fixtures/random";

/** A byte range of the file. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Numbers that break sums and comparisons: near 2^64, 2^63, 2^53, 2^32, and "undefined". */
const EXTREMES = [
  0xffff_ffff_ffff_ffffn,
  0xffff_ffff_ffff_fffen,
  0xffff_ffff_ffff_fff8n,
  0x8000_0000_0000_0000n,
  0x7fff_ffff_ffff_ffffn,
  0x20_0000_0000_0001n,
  0x1_0000_0000n,
  0xffff_ffffn,
  0n,
  1n,
];

/** Signatures of structures that end with a checksum. */
const SIGNED = [
  "OHDR",
  "OCHK",
  "FAHD",
  "FADB",
  "EAHD",
  "EAIB",
  "EASB",
  "EADB",
  "BTHD",
  "BTIN",
  "BTLF",
  "\x89HDF",
];
/** A heap collection's first object starts so many bytes behind its signature. */
const HEAP_OBJECT_AT = 32;
const LONGEST_BLOCK = 4200;

/** A file that is mutated again and again. */
export class Victim {
  readonly original: Buffer;
  private readonly open: readonly ByteRange[];
  private readonly openBytes: number;
  /** Structures with a checksum: [from, to) is what it covers, and it stands at `to`. */
  private readonly checked: readonly ByteRange[];
  /** Offsets of 8-byte fields that hold an address inside the file. */
  private readonly addresses: readonly number[];

  constructor(original: Buffer, chunks: readonly { offset: number; bytes: number }[]) {
    this.original = original;
    this.open = gaps(original.length, chunks);
    this.openBytes = this.open.reduce((sum, { from, to }) => sum + to - from, 0);
    this.checked = checkedBlocks(original);
    this.addresses = addressFields(original, this.open);
  }

  /** One mutated copy. */
  mutate(random: Random): Buffer {
    const bytes = Buffer.from(this.original);
    if (random.below(40) === 0) return bytes.subarray(0, random.below(bytes.length));
    for (let changes = 1 + random.below(3); changes > 0; changes--) this.change(bytes, random);
    if (random.below(8) !== 0) {
      for (const { from, to } of this.checked) bytes.writeUInt32LE(lookup3(bytes.subarray(from, to)), to);
    }
    return bytes;
  }

  private change(bytes: Buffer, random: Random): void {
    const at = this.place(random);
    const run = Math.min(1 + random.below(9), bytes.length - at);
    switch (random.below(8)) {
      case 0:
      case 1:
        bytes[at]! ^= 1 << random.below(8);
        break;
      case 2:
        bytes.fill(random.below(2) === 0 ? 0xff : 0, at, at + run);
        break;
      case 3:
        bytes[at] = random.below(256);
        break;
      case 4:
        bytes[at] = (bytes[at]! + (random.below(2) === 0 ? 1 : 255)) & 255;
        break;
      case 5:
        this.writeNumber(bytes, at, EXTREMES[random.below(EXTREMES.length)]!);
        break;
      case 6:
        this.writeNumber(bytes, at, BigInt(bytes.length - 4 + random.below(9)));
        break;
      default:
        this.redirect(bytes, random);
    }
  }

  /** An address field gets the address of another structure: loops, wrong kinds, wrong levels. */
  private redirect(bytes: Buffer, random: Random): void {
    if (this.addresses.length === 0) return;
    const to = this.addresses[random.below(this.addresses.length)]!;
    const from = this.addresses[random.below(this.addresses.length)]!;
    this.original.copy(bytes, to, from, from + 8);
  }

  private writeNumber(bytes: Buffer, at: number, value: bigint): void {
    if (at + 8 <= bytes.length) bytes.writeBigUInt64LE(value, at);
  }

  private place(random: Random): number {
    let rest = random.below(this.openBytes);
    for (const { from, to } of this.open) {
      if (rest < to - from) return from + rest;
      rest -= to - from;
    }
    return 0;
  }
}

function gaps(length: number, chunks: readonly { offset: number; bytes: number }[]): ByteRange[] {
  const ranges: ByteRange[] = [];
  let from = 0;
  for (const { offset, bytes } of [...chunks].sort((a, b) => a.offset - b.offset)) {
    if (offset > from) ranges.push({ from, to: offset });
    from = Math.max(from, offset + bytes);
  }
  if (from < length) ranges.push({ from, to: length });
  return ranges;
}

/** Every structure that starts with a signature, or follows another one, and ends with its checksum. */
function checkedBlocks(bytes: Buffer): ByteRange[] {
  const blocks: ByteRange[] = [];
  for (let at = 0; at + 8 < bytes.length; at++) {
    const follows = blocks.some(({ to }) => to + 4 === at);
    const heap = at >= HEAP_OBJECT_AT && bytes.toString("latin1", at - HEAP_OBJECT_AT, at - 28) === "GCOL";
    const signed = SIGNED.includes(bytes.toString("latin1", at, at + 4));
    if (!follows && !heap && !signed) continue;
    for (let to = at + 8; to + 4 <= bytes.length && to < at + LONGEST_BLOCK; to++) {
      if (lookup3(bytes.subarray(at, to)) !== bytes.readUInt32LE(to)) continue;
      blocks.push({ from: at, to });
      break;
    }
  }
  return blocks;
}

function addressFields(bytes: Buffer, open: readonly ByteRange[]): number[] {
  const fields: number[] = [];
  for (const { from, to } of open) {
    for (let at = from; at + 8 <= to; at++) {
      const value = bytes.readBigUInt64LE(at);
      if (value >= 48n && value < BigInt(bytes.length) && bytes[at]! % 8 === 0) fields.push(at);
    }
  }
  return fields;
}
