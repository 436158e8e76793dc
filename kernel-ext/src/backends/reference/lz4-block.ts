// Owns: the judge's decoder of one LZ4 block, with its nine bounds.
// Must not know: chunks, headers, bit planes, frames.
import type { DamageReason } from "../../types";

/** What became of one block. `reason` null: exact, and the block is full. */
export interface LzOutcome {
  readonly reason: DamageReason | null;
  /** Position in the stream of the first refused sequence (the stream's end for `wrong-size`). */
  readonly at: number;
  /** Bytes of the block that were written before. */
  readonly written: number;
  /** What was found and what was possible, with the numbers; empty where nothing was refused. */
  readonly detail: string;
}

/**
 * Decodes `stream` into exactly `block.length` bytes. Reads nothing outside `stream`, writes nothing outside `block`.
 *
 * A sequence is: token (literal length in the high nibble, match length - 4 in the low), more literal length, literals,
 * match offset (u16, little-endian), more match length. The last one ends after its literals; an end right behind a
 * match is as good when the block is full. The checks of a sequence stand in the order of the bounds' numbers, so the
 * first that fails is the lowest that the sequence breaks.
 *
 * Length sums cannot wrap: 255 a stream byte stays far below 2^53.
 */
export function decodeLz4Block(stream: Uint8Array, block: Uint8Array): LzOutcome {
  const end = stream.length;
  const size = block.length;
  let from = 0;
  let to = 0;
  while (from < end) {
    const at = from;
    const refuse = (reason: DamageReason, detail: string): LzOutcome => refused(reason, at, to, detail);

    const token = stream[from++]!;
    let literals = token >> 4;
    if (literals === 15) {
      let more = 255;
      while (more === 255) {
        if (from === end) return refuse("literal-length-overrun", "a literal length has no end");
        more = stream[from++]!;
        literals += more;
      }
    }
    if (literals > end - from) {
      return refuse("literals-past-stream", `${literals} literals, ${end - from} stored bytes left`);
    }
    if (literals > size - to) {
      return refuse("literals-past-block", `${literals} literals, room for ${size - to}`);
    }
    for (const stop = to + literals; to < stop; ) block[to++] = stream[from++]!;
    if (from === end) break;

    if (end - from < 2) return refuse("offset-truncated", "1 byte is left of a match offset");
    const offset = stream[from]! | (stream[from + 1]! << 8);
    from += 2;
    if (offset === 0) return refuse("offset-zero", "a match offset of 0");
    if (offset > to) {
      return refuse("offset-before-block", `a match ${offset} bytes back, ${to} bytes are written`);
    }
    let match = (token & 15) + 4;
    if (match === 19) {
      let more = 255;
      while (more === 255) {
        if (from === end) return refuse("match-length-overrun", "a match length has no end");
        more = stream[from++]!;
        match += more;
      }
    }
    if (match > size - to)
      return refuse("match-past-block", `a match of ${match} bytes, room for ${size - to}`);
    // Byte by byte: a match may overlap the bytes that it writes.
    for (const stop = to + match; to < stop; to++) block[to] = block[to - offset]!;
  }
  if (to !== size) return refused("wrong-size", end, to, `${to} bytes decoded, the block has ${size}`);
  return { reason: null, at: end, written: to, detail: "" };
}

function refused(reason: DamageReason, at: number, written: number, detail: string): LzOutcome {
  return { reason, at, written, detail };
}
