// Owns: what the 12 header bytes of an LZ4 chunk (filter 32004) mean.
// Must not know: how blocks are decoded.
import {
  type Framing,
  frameBlocks,
  LARGEST_BLOCK_BYTES,
  readHeader,
  refusedChunk,
  wholeChunk,
} from "../framing";

/** Cuts a chunk into blocks; a block stored in exactly its decoded size is raw. */
export function frameLz4(stored: Uint8Array, decodedBytes: number): Framing {
  const blockBytes = readHeader(stored, decodedBytes);
  if (typeof blockBytes !== "number") return refusedChunk(blockBytes);
  if (blockBytes === 0 || blockBytes > LARGEST_BLOCK_BYTES) {
    const allowed = `it must be 1 to ${LARGEST_BLOCK_BYTES}`;
    return refusedChunk(
      wholeChunk("block-size-invalid", `the header says blocks of ${blockBytes} bytes; ${allowed}`),
    );
  }
  return frameBlocks(stored, decodedBytes, { blockBytes, codedBytes: decodedBytes });
}
