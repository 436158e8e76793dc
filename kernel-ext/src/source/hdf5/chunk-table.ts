// Owns: the chunk table of a dataset: the one place that knows which reader belongs to which index.
// Must not know: what a chunk's bytes mean, selections, frames.
import type { ChunkIndexKind, ChunkTable, DatasetFacts } from "../acquisition";
import { readBtreeV1 } from "./btree-v1";
import { readBtreeV2 } from "./btree-v2";
import { type ChunkedFacts, ChunkSink } from "./chunk-sink";
import { readImplicitIndex, readSingleChunk } from "./direct-index";
import { readExtensibleArray } from "./extensible-array";
import { readFixedArray } from "./fixed-array";
import { MetadataFile } from "./metadata-file";

type IndexReader = (file: MetadataFile, facts: ChunkedFacts, address: number, sink: ChunkSink) => void;

const READERS: Readonly<Record<ChunkIndexKind, IndexReader>> = {
  "btree-v1": readBtreeV1,
  "single-chunk": readSingleChunk,
  implicit: readImplicitIndex,
  "fixed-array": readFixedArray,
  "extensible-array": readExtensibleArray,
  "btree-v2": readBtreeV2,
};

/**
 * Where the chunks `first … first + count - 1` (row-major order of chunk coordinates) lie in the file. Reads only
 * the index nodes that the range needs. A chunk that was never written has address NaN; an entry that points past
 * the end of the file is given as it is stored.
 *
 * Errors: `UnsupportedLayoutError` (a damaged index, with file, dataset and offset), `BackendError`.
 */
export function readChunkTable(fd: number, facts: DatasetFacts, first: number, count: number): ChunkTable {
  const file: MetadataFile = new MetadataFile(fd, facts.fileBytes, `${facts.file}: ${facts.dataset}`);
  if (!isChunked(facts))
    file.refuse("chunk index", null, "a chunked dataset", `${facts.layout.kind} storage`);
  const sink = new ChunkSink(file, facts, first, count);
  const { kind, address } = facts.layout.index;
  if (address === null || count === 0) return sink.table; // nothing was ever written, or nothing asked
  READERS[kind](file, facts, address, sink);
  return sink.table;
}

function isChunked(facts: DatasetFacts): facts is ChunkedFacts {
  return facts.layout.kind === "chunked";
}
