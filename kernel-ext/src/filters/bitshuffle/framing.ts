// Owns: what the 12 header bytes of a bitshuffle+LZ4 chunk mean.
// Must not know: how blocks are decoded, the client data in the dataset's header (the chunk's own header wins).
import {
  type Framing,
  frameBlocks,
  LARGEST_BLOCK_BYTES,
  readHeader,
  refusedChunk,
  wholeChunk,
} from "../framing";
import { defaultBlockElements, GROUP_ELEMENTS, rawTailBytes } from "./blocks";

/** Cuts a chunk of `decodedBytes` decoded bytes (a multiple of `elementBytes`) into blocks. */
export function frameBitshuffle(stored: Uint8Array, decodedBytes: number, elementBytes: number): Framing {
  const said = readHeader(stored, decodedBytes);
  if (typeof said !== "number") return refusedChunk(said);
  const blockBytes = said === 0 ? defaultBlockElements(elementBytes) * elementBytes : said;
  const groupBytes = GROUP_ELEMENTS * elementBytes;
  if (blockBytes % groupBytes !== 0 || blockBytes > LARGEST_BLOCK_BYTES) {
    const allowed = `it must be a multiple of ${groupBytes}, at most ${LARGEST_BLOCK_BYTES}`;
    return refusedChunk(
      wholeChunk("block-size-invalid", `the header says blocks of ${blockBytes} bytes; ${allowed}`),
    );
  }
  const codedBytes = decodedBytes - rawTailBytes(decodedBytes, elementBytes);
  return frameBlocks(stored, decodedBytes, { blockBytes, codedBytes });
}
