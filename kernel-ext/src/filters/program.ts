// Owns: the decode program, a short list of steps from a closed set, to which filters lower a dataset's pipeline.
// Must not know: files, batches, how a backend runs a step.

/** One step of decoding a chunk, in decoding order (the reverse of the pipeline). */
export type Step =
  /**
   * Blocks of LZ4 behind 12 header bytes of filter 32008. `elementBytes` is the filter's own element size: blocks are
   * multiples of 8 such elements, and the last 0 to 7 elements of the chunk are raw.
   */
  | {
      readonly op: "lz4-block";
      readonly filter: number;
      readonly framing: "bitshuffle";
      readonly elementBytes: number;
    }
  /** Blocks of LZ4 behind 12 header bytes of filter 32004, where a block may be stored raw. */
  | { readonly op: "lz4-block"; readonly filter: number; readonly framing: "lz4" }
  /**
   * Bit planes back to elements, block by block; `blockElements` 0 = the format's default. Right behind the `lz4-block`
   * step of the same filter, the block size in that chunk's header holds instead.
   */
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
