// Owns: the chunk table of a dataset: the one place that knows which reader belongs to which index.
// Must not know: what a chunk's bytes mean, selections, frames.
import type { ChunkTable, DatasetFacts } from "../acquisition";
import { readBtreeV1 } from "./btree-v1";
import { type ChunkedFacts, ChunkSink } from "./chunk-sink";
import { MetadataFile } from "./metadata-file";

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
  switch (kind) {
    case "btree-v1":
      readBtreeV1(file, facts, address, sink);
      break;
    default:
      file.refuse("chunk index", null, "a known kind of index", kind);
  }
  return sink.table;
}

function isChunked(facts: DatasetFacts): facts is ChunkedFacts {
  return facts.layout.kind === "chunked";
}
