// Owns: the geometry of a chunk grid: how many chunks an axis has, and chunk number <-> chunk coordinates.
// Must not know: files, chunk indexes, what a chunk holds.
import { UnsupportedLayoutError } from "../errors";

/** Chunks along each axis: the shape divided by the chunk shape, rounded up (0 for an empty axis). */
export function chunkGrid(shape: readonly number[], chunkShape: readonly number[]): number[] {
  return shape.map((extent, axis) => Math.ceil(extent / chunkShape[axis]!));
}

/**
 * Product of non-negative integers, or null where it cannot be held exactly: an extent from a file may be near
 * 2^64, and 2^53 is the largest count that a JavaScript number steps through one by one.
 */
export function safeProduct(factors: readonly number[]): number | null {
  if (factors.includes(0)) return 0;
  let product = 1;
  for (const factor of factors) {
    if (!Number.isSafeInteger(factor) || factor < 0) return null;
    // Both factors are exact, so the test is: does the product stay below 2^53?
    if (factor > Number.MAX_SAFE_INTEGER / product) return null;
    product *= factor;
  }
  return product;
}

/** Chunks of the whole grid. `UnsupportedLayoutError` where there are more than can be numbered (2^53). */
export function chunkCount(grid: readonly number[], place = "chunk grid"): number {
  const count = safeProduct(grid);
  if (count === null) {
    throw new UnsupportedLayoutError(`${place}: the dataset has too many chunks to be numbered.`, {
      place,
      expected: `at most ${Number.MAX_SAFE_INTEGER} chunks`,
      got: `a grid of ${grid.join(" x ")} chunks`,
    });
  }
  return count;
}

/** Coordinates of chunk `number` in row-major order (the last axis runs fastest). */
export function chunkCoordinates(grid: readonly number[], number: number): number[] {
  const coordinates = new Array<number>(grid.length);
  let rest = number;
  for (let axis = grid.length - 1; axis >= 0; axis--) {
    const extent = grid[axis]!;
    const high = Math.floor(rest / extent);
    coordinates[axis] = rest - high * extent;
    rest = high;
  }
  return coordinates;
}

/** Row-major number of the chunk whose coordinates start at `coordinates[from]`; -1 where they lie outside the grid. */
export function chunkNumber(grid: readonly number[], coordinates: ArrayLike<number>, from = 0): number {
  let number = 0;
  for (let axis = 0; axis < grid.length; axis++) {
    const coordinate = coordinates[from + axis]!;
    if (!(coordinate >= 0 && coordinate < grid[axis]!)) return -1;
    number = number * grid[axis]! + coordinate;
  }
  return number;
}

/** Moves `coordinates` to the next chunk in row-major order (to the first after the last). */
export function stepChunk(grid: readonly number[], coordinates: number[]): void {
  for (let axis = grid.length - 1; axis >= 0; axis--) {
    coordinates[axis]! += 1;
    if (coordinates[axis]! < grid[axis]!) return;
    coordinates[axis] = 0;
  }
}
