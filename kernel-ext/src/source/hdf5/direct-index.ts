// Owns: the two indexes without any node: a single chunk, and implicit (all chunks one after another).
// Must not know: layouts, other indexes.
import type { ChunkedFacts, ChunkSink } from "./chunk-sink";
import { forEachSlot, slotGrid } from "./chunk-slots";
import type { MetadataFile } from "./metadata-file";

/** The dataset is one chunk. Filtered: its size and mask stand in the layout message. */
export function readSingleChunk(
  file: MetadataFile,
  facts: ChunkedFacts,
  address: number,
  sink: ChunkSink,
): void {
  if (sink.grid.some((extent) => extent !== 1)) {
    file.refuse("chunk index (single chunk)", null, "a grid of one chunk", sink.grid.join(" x "));
  }
  const { single } = facts.layout.index;
  if ((single !== null) !== facts.filters.length > 0) {
    file.refuse(
      "chunk index (single chunk)",
      null,
      "a stored size where there are filters",
      "a contradiction",
    );
  }
  sink.put(0, address, single?.bytes ?? sink.chunkBytes, single?.filterMask ?? 0);
}

/** Chunks lie one after another, unfiltered, in row-major order over the maximum extent. */
export function readImplicitIndex(
  file: MetadataFile,
  facts: ChunkedFacts,
  address: number,
  sink: ChunkSink,
): void {
  if (facts.filters.length > 0 || facts.maxShape.includes(null)) {
    file.refuse("chunk index (implicit)", null, "neither filters nor an unlimited axis", "a contradiction");
  }
  const { chunkBytes } = sink;
  forEachSlot(file, slotGrid(file, facts), sink, (number, slot) =>
    sink.put(number, address + slot * chunkBytes, chunkBytes, 0),
  );
}
