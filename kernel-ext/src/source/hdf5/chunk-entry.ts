// Owns: one chunk's entry as fixed arrays, extensible arrays and version 2 B-trees store it.
// Must not know: where entries lie.
import type { ChunkedFacts, ChunkSink } from "./chunk-sink";
import { readAddress, readUint } from "./cursor";
import type { MetadataFile } from "./metadata-file";

/**
 * Reads entries of a dataset: an address and, where the dataset has filters, the stored bytes and the filter mask.
 * The width of "stored bytes" follows from the entry's: layout version 4 computes it from the chunk's size, version
 * 5 always takes the width of lengths.
 */
export class ChunkEntry {
  private readonly sizeBytes: number;

  constructor(
    file: MetadataFile,
    what: string,
    address: number,
    /** Bytes of one entry, without the coordinates that version 2 B-trees add. */
    readonly bytes: number,
    private readonly facts: ChunkedFacts,
    private readonly sink: ChunkSink,
  ) {
    const filtered = facts.filters.length > 0;
    this.sizeBytes = filtered ? bytes - facts.offsetBytes - 4 : 0;
    const fits = filtered ? this.sizeBytes >= 1 && this.sizeBytes <= 8 : bytes === facts.offsetBytes;
    if (!fits) {
      const wanted = filtered
        ? `${facts.offsetBytes + 5} to ${facts.offsetBytes + 12}`
        : `${facts.offsetBytes}`;
      file.refuse(what, address, `entries of ${wanted} bytes`, `${bytes} bytes`);
    }
  }

  /** Puts the entry at `bytes[at]` into the table as chunk `number`; the caller has checked the bounds. */
  put(number: number, bytes: Buffer, at: number): void {
    const { offsetBytes, baseAddress } = this.facts;
    const address = readAddress(bytes, at, offsetBytes, baseAddress);
    if (this.sizeBytes === 0) {
      this.sink.put(number, address, this.sink.chunkBytes, 0);
      return;
    }
    const size = readUint(bytes, at + offsetBytes, this.sizeBytes);
    this.sink.put(number, address, size, bytes.readUInt32LE(at + offsetBytes + this.sizeBytes));
  }
}
