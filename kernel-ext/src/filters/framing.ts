// Owns: how a chunk of length-prefixed blocks is cut into blocks, and what is refused before any decoder runs.
// Must not know: which filter wrote the header, how a block is decoded, files, frames.
import type { DamageReason } from "../types";

/** One damaged block of a chunk, or the chunk as a whole where `block` is null. */
export interface ChunkDamage {
  readonly block: number | null;
  readonly reason: DamageReason;
  /** What was found and what was expected, with the numbers. */
  readonly detail: string;
  /**
   * Byte offset within the stored chunk: of the block's 4-byte length, of the raw tail, or 0 for the whole chunk (and
   * where another filter lies in between, so that the block has no place of its own in the file).
   */
  readonly at: number;
}

/** Where one block lies: stored bytes [from, to) become decoded bytes [target, target + bytes). */
export interface BlockSpan {
  readonly from: number;
  readonly to: number;
  readonly target: number;
  readonly bytes: number;
}

/** What a filter's header says: bytes of a full block, and how many decoded bytes blocks hold (a raw tail follows). */
export interface BlockLayout {
  readonly blockBytes: number;
  readonly codedBytes: number;
}

/** A chunk cut into blocks. After a framing fault, `blocks` holds the blocks before it. */
export interface Framing {
  readonly blockBytes: number;
  readonly blocks: readonly BlockSpan[];
  /** The raw bytes behind the last block; null when they are cut or cannot be located. */
  readonly tail: BlockSpan | null;
  readonly damage: readonly ChunkDamage[];
  /** Stored bytes behind everything that the chunk needs. */
  readonly trailingBytes: number;
}

/** u64 BE decoded bytes of the chunk, u32 BE decoded bytes of a block. */
export const HEADER_BYTES = 12;
const LENGTH_BYTES = 4;

/** LZ4 cannot encode a larger input, so no encoder can have written a larger block. */
export const LARGEST_BLOCK_BYTES = 0x7e000000;

/** Most bytes that an LZ4 encoder makes of `bytes` bytes. */
export function worstEncodedBytes(bytes: number): number {
  return bytes + Math.floor(bytes / 255) + 16;
}

export function readU32BE(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 0x1000000 + (bytes[at + 1]! << 16) + (bytes[at + 2]! << 8) + bytes[at + 3]!;
}

/** Damage of the chunk as a whole: nothing in it can be located. */
export function wholeChunk(reason: DamageReason, detail: string): ChunkDamage {
  return { block: null, reason, detail, at: 0 };
}

/** Checks the header's decoded size against the dataset's and returns the header's block bytes, or the damage. */
export function readHeader(stored: Uint8Array, decodedBytes: number): number | ChunkDamage {
  if (stored.length < HEADER_BYTES) {
    return wholeChunk(
      "chunk-too-short",
      `the chunk has ${stored.length} stored bytes, its header alone needs ${HEADER_BYTES}`,
    );
  }
  const high = readU32BE(stored, 0);
  const low = readU32BE(stored, 4);
  if (high * 2 ** 32 + low !== decodedBytes) {
    const said = (BigInt(high) << 32n) | BigInt(low);
    return wholeChunk(
      "decoded-size-mismatch",
      `the header says ${said} decoded bytes, the dataset's chunk has ${decodedBytes}`,
    );
  }
  return readU32BE(stored, 8);
}

export function refusedChunk(damage: ChunkDamage): Framing {
  return { blockBytes: 0, blocks: [], tail: null, damage: [damage], trailingBytes: 0 };
}

/** Walks the blocks behind the header. Every length is compared with what is left before the position moves. */
export function frameBlocks(stored: Uint8Array, decodedBytes: number, layout: BlockLayout): Framing {
  const { blockBytes, codedBytes } = layout;
  const blockCount = Math.ceil(codedBytes / blockBytes);
  const blocks: BlockSpan[] = [];
  let at = HEADER_BYTES;
  for (let target = 0; target < codedBytes; target += blockBytes) {
    const bytes = Math.min(blockBytes, codedBytes - target);
    const fault = blockFault(stored, at, bytes);
    if (fault) {
      const block = blocks.length;
      const detail = `${fault.detail}${laterBlocks(blockCount - block - 1)}`;
      return {
        blockBytes,
        blocks,
        tail: null,
        damage: [{ block, reason: fault.reason, detail, at }],
        trailingBytes: 0,
      };
    }
    const from = at + LENGTH_BYTES;
    const to = from + readU32BE(stored, at);
    blocks.push({ from, to, target, bytes });
    at = to;
  }
  return frameTail(stored, at, decodedBytes, { blockBytes, codedBytes }, blocks);
}

function blockFault(stored: Uint8Array, at: number, bytes: number): Omit<ChunkDamage, "block" | "at"> | null {
  const left = stored.length - at;
  if (left < LENGTH_BYTES) {
    return {
      reason: "block-length-past-chunk",
      detail: `the block's length needs ${LENGTH_BYTES} bytes, ${left} are left in the chunk`,
    };
  }
  const length = readU32BE(stored, at);
  if (length > left - LENGTH_BYTES) {
    return {
      reason: "block-length-past-chunk",
      detail: `the block declares ${length} stored bytes, ${left - LENGTH_BYTES} are left in the chunk`,
    };
  }
  const most = worstEncodedBytes(bytes);
  if (length > most) {
    return {
      reason: "block-length-impossible",
      detail: `the block declares ${length} stored bytes, ${bytes} decoded bytes take at most ${most}`,
    };
  }
  return null;
}

function laterBlocks(count: number): string {
  if (count === 0) return "";
  return count === 1 ? "; 1 later block cannot be located" : `; ${count} later blocks cannot be located`;
}

function frameTail(
  stored: Uint8Array,
  at: number,
  decodedBytes: number,
  layout: BlockLayout,
  blocks: readonly BlockSpan[],
): Framing {
  const { blockBytes, codedBytes } = layout;
  const bytes = decodedBytes - codedBytes;
  const left = stored.length - at;
  if (left < bytes) {
    const detail = `${bytes} raw bytes end the chunk, ${left} are stored`;
    const damage: ChunkDamage[] = [{ block: null, reason: "tail-truncated", detail, at }];
    return { blockBytes, blocks, tail: null, damage, trailingBytes: 0 };
  }
  const tail = { from: at, to: at + bytes, target: codedBytes, bytes };
  return { blockBytes, blocks, tail, damage: [], trailingBytes: left - bytes };
}
