// Owns: the slot of a chunk in an index that is an array: slots are numbered over the maximum extent.
// Must not know: how the array is stored.
import { chunkCoordinates, chunkGrid, safeProduct, stepChunk } from "../../plan/chunk-grid";
import type { ChunkedFacts, ChunkSink } from "./chunk-sink";
import type { MetadataFile } from "./metadata-file";

/** Chunks along each axis at the maximum extent; null on the unlimited axis, of which there is one at most. */
export function slotGrid(file: MetadataFile, facts: ChunkedFacts): (number | null)[] {
  const unlimited = facts.maxShape.filter((extent) => extent === null).length;
  if (unlimited > 1)
    file.refuse("chunk index", null, "an array with one unlimited axis at most", `${unlimited}`);
  const grid = chunkGrid(
    facts.maxShape.map((extent) => extent ?? 0),
    facts.layout.chunkShape,
  );
  return grid.map((extent, axis) => (facts.maxShape[axis] === null ? null : extent));
}

/**
 * Calls `use(chunk number, slot)` for every chunk of the sink's range. Slots count in row-major order over `grid`,
 * with the unlimited axis moved to the front, so that growing it never renumbers a chunk.
 */
export function forEachSlot(
  file: MetadataFile,
  grid: readonly (number | null)[],
  sink: ChunkSink,
  use: (number: number, slot: number) => void,
): void {
  const strides = slotStrides(file, grid);
  const { first, count } = sink.table;
  const coordinates = chunkCoordinates(sink.grid, first);
  for (let i = 0; i < count; i++) {
    let slot = 0;
    for (let axis = 0; axis < strides.length; axis++) slot += coordinates[axis]! * strides[axis]!;
    if (slot > Number.MAX_SAFE_INTEGER) file.refuse("chunk index", null, "slots below 2^53", `about ${slot}`);
    use(first + i, slot);
    stepChunk(sink.grid, coordinates);
  }
}

function slotStrides(file: MetadataFile, grid: readonly (number | null)[]): number[] {
  const unlimited = grid.indexOf(null);
  const strides = new Array<number>(grid.length);
  let stride = 1;
  const place = (axis: number): void => {
    strides[axis] = stride;
    const next = safeProduct([stride, grid[axis] ?? 1]);
    if (next === null)
      file.refuse("chunk index", null, "fewer than 2^53 slots", `a grid of ${grid.join(" x ")}`);
    else stride = next;
  };
  for (let axis = grid.length - 1; axis >= 0; axis--) if (axis !== unlimited) place(axis);
  if (unlimited >= 0) place(unlimited);
  return strides;
}
