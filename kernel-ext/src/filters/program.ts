// Owns: the decode program, a short list of steps from a closed set, to which filters lower a dataset's pipeline.
// Must not know: files, batches, how a backend runs a step.

/** One step of decoding a chunk, in decoding order (the reverse of the pipeline). */
export type Step =
  /** Blocks of LZ4 behind 12 header bytes: filter 32008 (`bitshuffle`) or 32004 (`lz4`, where a block may be raw). */
  | { readonly op: "lz4-block"; readonly filter: number; readonly framing: "bitshuffle" | "lz4" }
  /** Bit planes back to elements, block by block; `blockElements` 0 = the format's default. */
  | {
      readonly op: "bit-unshuffle";
      readonly filter: number;
      readonly elementBytes: number;
      readonly blockElements: number;
    }
  | { readonly op: "byte-unshuffle"; readonly filter: number; readonly elementBytes: number }
  | { readonly op: "inflate"; readonly filter: number }
  /** Fletcher-32 behind the other bytes: checked and removed. */
  | { readonly op: "checksum"; readonly filter: number }
  /** Elements to native (little-endian) byte order. */
  | { readonly op: "byteswap"; readonly elementBytes: number };

/**
 * How every chunk of a dataset becomes elements. A step with a `filter` index is skipped for a chunk whose filter
 * mask has that bit set. No steps: the stored bytes are the elements.
 */
export interface Program {
  readonly steps: readonly Step[];
  readonly elementBytes: number;
  /** Bytes of one decoded chunk: known from the dataset, never from a chunk's own header. */
  readonly chunkBytes: number;
}
