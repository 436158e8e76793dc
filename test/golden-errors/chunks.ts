// Owns: what the golden damage tests share: programs, tiny chunks made of given streams, one call of the judge.
// Must not know: what is expected of any case.

import type { Dtype, Note } from "framelab";
import { decodeChunk } from "#framelab/backends/reference/decode-chunk";
import type { ChunkDamage } from "#framelab/filters/framing";
import { lowerFilters } from "#framelab/filters/lower";
import type { Program } from "#framelab/filters/program";
import { BITSHUFFLE_FILTER, bitshuffleValues, encodeChunk, LZ4_FILTER } from "../fixtures/bitshuffle-encoder";

export function bitshuffleProgram(dtype: Dtype, chunkElements: number, blockElements = 0): Program {
  const values = bitshuffleValues(Number(dtype.slice(1)) / 8, blockElements);
  const filters = [{ id: BITSHUFFLE_FILTER, name: "bitshuffle", values }];
  return lowerFilters({ filters, dtype, littleEndian: true, chunkElements, place: "test" });
}

export function lz4Program(dtype: Dtype, chunkElements: number): Program {
  const filters = [{ id: LZ4_FILTER, name: "lz4", values: [] }];
  return lowerFilters({ filters, dtype, littleEndian: true, chunkElements, place: "test" });
}

/** Elements of a block of the tiny chunks: 64 u8, so a block has 64 bytes. */
export const TINY_BLOCK = 64;

/** A u8 chunk of three blocks of 64 bytes and 3 raw bytes; `streams` replaces the stored bytes of some blocks. */
export function tinyChunk(streams: Readonly<Record<number, Uint8Array>> = {}): Uint8Array {
  const elements = Uint8Array.from({ length: 3 * TINY_BLOCK + 3 }, (_, i) => (i * 7) % 5);
  const encoded = encodeChunk(elements, 1, TINY_BLOCK);
  if (Object.keys(streams).length === 0) return encoded;
  const intact = chunkStreams(encoded);
  return encodeChunk(elements, 1, TINY_BLOCK, {
    encodeBlock: (_, block) => streams[block] ?? intact[block]!,
  });
}

function chunkStreams(chunk: Uint8Array): Uint8Array[] {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const streams: Uint8Array[] = [];
  for (let at = 12; streams.length < 3; ) {
    const length = view.getUint32(at);
    streams.push(chunk.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return streams;
}

export const TINY_PROGRAM: Program = bitshuffleProgram("u8", 3 * TINY_BLOCK + 3, TINY_BLOCK);

export interface Verdict {
  readonly damage: ChunkDamage[];
  readonly notes: Note[];
  readonly out: Uint8Array;
}

export function judge(program: Program, stored: Uint8Array, filterMask = 0): Verdict {
  const notes: Note[] = [];
  const out = new Uint8Array(program.chunkBytes);
  return { damage: decodeChunk(program, stored, filterMask, out, notes), notes, out };
}

/** Damage without its words. */
export function verdictOf(damage: readonly ChunkDamage[]): [number | null, string, number][] {
  return damage.map(({ block, reason, at }) => [block, reason, at]);
}
