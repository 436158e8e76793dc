// Owns: turning a refused chunk into the report's entries: which frames, which blocks, where in which file, why.
// Must not know: who refused the chunk, how its bytes were read, how the report is shown.
import { decodeChunk } from "../backends/reference/decode-chunk";
import type { ChunkDamage } from "../filters/framing";
import type { Program } from "../filters/program";
import type { DamagedBlock, Note, ScanPosition } from "../types";

/** Where a chunk lies, and which selected frames it holds, in the order of the acquisition. */
export interface ChunkPlace {
  readonly file: string;
  readonly dataset: string;
  readonly fileBytes: number;
  /** Absolute byte offset in the file and stored bytes, as the chunk index says. */
  readonly address: number;
  readonly bytes: number;
  readonly frames: readonly { readonly frame: number; readonly scan: ScanPosition | null }[];
}

/** What the reference says of a chunk. */
export interface Explanation {
  /**
   * Every damaged block, under the chunk's first frame. Further frames of the chunk, which are lost with it, have one
   * entry each, with the chunk's first damage: the list stays as long as frames and blocks are many, not their product.
   */
  readonly damaged: readonly DamagedBlock[];
  /** The decoded chunk, when the reference accepts it; null when it is damaged. */
  readonly decoded: Uint8Array | null;
  readonly notes: readonly Note[];
}

/**
 * Decodes a chunk with the reference and explains what it finds. `stored` is null when the file does not hold the chunk
 * whole.
 */
export function explainChunk(
  program: Program,
  stored: Uint8Array | null,
  filterMask: number,
  place: ChunkPlace,
): Explanation {
  const notes: Note[] = [];
  const decoded = new Uint8Array(stored ? program.chunkBytes : 0);
  const damage = stored ? decodeChunk(program, stored, filterMask, decoded, notes) : [pastFile(place)];
  if (damage.length === 0) return { damaged: [], decoded, notes };
  const damaged = place.frames.flatMap((frame, i) =>
    (i === 0 ? damage : damage.slice(0, 1)).map((fault) => entry(fault, frame, place)),
  );
  return { damaged, decoded: null, notes };
}

function pastFile({ address, bytes, fileBytes }: ChunkPlace): ChunkDamage {
  const detail = `the index says ${bytes} bytes at offset ${address}, the file had ${fileBytes} bytes when it was opened`;
  return { block: null, reason: "chunk-past-file", detail, at: 0 };
}

function entry(fault: ChunkDamage, frame: ChunkPlace["frames"][number], place: ChunkPlace): DamagedBlock {
  const { block, reason, detail } = fault;
  return {
    frame: frame.frame,
    scan: frame.scan,
    file: place.file,
    dataset: place.dataset,
    offset: place.address + fault.at,
    block,
    reason,
    detail,
  };
}
