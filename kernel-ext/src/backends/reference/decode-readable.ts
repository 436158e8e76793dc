// Owns: what can still be read of a damaged chunk: the elements of its whole blocks, and which elements those are.
// Must not know: files, frames, why a block is damaged, how the result is shown.
import { frameBitshuffle } from "../../filters/bitshuffle/framing";
import { frameLz4 } from "../../filters/lz4/framing";
import type { Program } from "../../filters/program";
import { activeSteps, decodeBlocks } from "./decode-chunk";
import { bitUnshuffle, byteswap } from "./unshuffle";

/** Elements of a chunk, and for each of their bytes 1 = it was read whole, 0 = nothing is known of it. */
export interface Readable {
  readonly bytes: Uint8Array;
  readonly known: Uint8Array;
}

/**
 * Decodes the whole blocks of a chunk of bitshuffle + LZ4, or of LZ4 alone. Blocks depend on no other, so that a damaged
 * one takes nothing from its neighbours. Null where nothing can be read: other filters, or a header that is refused.
 */
export function decodeReadable(program: Program, stored: Uint8Array, filterMask: number): Readable | null {
  const [first, ...rest] = activeSteps(program, filterMask);
  if (first?.op !== "lz4-block") return null;
  if (rest.some(({ op }) => op !== "bit-unshuffle" && op !== "byteswap")) return null;
  const size = program.chunkBytes;
  const framing =
    first.framing === "bitshuffle"
      ? frameBitshuffle(stored, size, first.elementBytes)
      : frameLz4(stored, size);
  if (framing.blocks.length === 0) return null;
  let bytes: Uint8Array = new Uint8Array(size);
  const known = new Uint8Array(size);
  const damaged = new Set(
    decodeBlocks(framing, stored, bytes, first.framing === "lz4").map(({ block }) => block),
  );
  for (const [block, span] of framing.blocks.entries()) {
    if (!damaged.has(block)) known.fill(1, span.target, span.target + span.bytes);
  }
  if (framing.tail) known.fill(1, framing.tail.target);
  for (const step of rest) {
    if (step.op === "bit-unshuffle") {
      // Only the filter's own blocks: a shuffle over blocks of another size would mix damaged with whole ones.
      if (first.framing !== "bitshuffle") return null;
      bytes = bitUnshuffle(bytes, step.elementBytes, framing.blockBytes / step.elementBytes);
    } else if (step.op === "byteswap") bytes = byteswap(bytes, step.elementBytes);
  }
  return { bytes, known };
}
