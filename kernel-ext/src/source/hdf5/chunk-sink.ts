// Owns: the chunk table while an index is read: which chunks are asked for, and the slots that entries go into.
// Must not know: how any index is stored.
import { chunkCoordinates, chunkCount, chunkGrid, chunkNumber, safeProduct } from "../../plan/chunk-grid";
import type { ChunkIndexFact, ChunkTable, DatasetFacts } from "../acquisition";
import type { MetadataFile } from "./metadata-file";

/** One table holds at most so many chunks (20 bytes each: 84 MB), 16 standard acquisitions. */
export const MAX_TABLE_CHUNKS: number = 2 ** 22;

export type ChunkedFacts = DatasetFacts & {
  readonly layout: {
    readonly kind: "chunked";
    readonly chunkShape: readonly number[];
    readonly index: ChunkIndexFact;
  };
};

/** Collects index entries of the chunks `first … first + count - 1`; what is never put stays "never written". */
export class ChunkSink {
  readonly table: ChunkTable;
  readonly grid: readonly number[];
  /** Bytes of one whole chunk, decoded. */
  readonly chunkBytes: number;
  /** Coordinates of the first and the last chunk asked for: row-major order is their lexicographic order. */
  readonly low: readonly number[];
  readonly high: readonly number[];

  constructor(file: MetadataFile, facts: ChunkedFacts, first: number, count: number) {
    const { chunkShape } = facts.layout;
    this.grid = chunkGrid(facts.shape, chunkShape);
    const chunks = chunkCount(this.grid, file.place);
    if (
      !Number.isSafeInteger(first) ||
      !Number.isSafeInteger(count) ||
      first < 0 ||
      count < 0 ||
      count > chunks - first
    ) {
      file.refuse("chunk index", null, `a range of the ${chunks} chunks`, `${count} from chunk ${first} on`);
    }
    if (count > MAX_TABLE_CHUNKS) {
      file.refuse(
        "chunk index",
        null,
        `at most ${MAX_TABLE_CHUNKS} chunks at once`,
        `${count}`,
        "Select fewer frames.",
      );
    }
    this.chunkBytes = safeProduct([...chunkShape, Number(facts.dtype.slice(1)) / 8]) ?? Number.NaN;
    this.low = count === 0 ? [] : chunkCoordinates(this.grid, first);
    this.high = count === 0 ? [] : chunkCoordinates(this.grid, first + count - 1);
    this.table = {
      first,
      count,
      address: new Float64Array(count).fill(Number.NaN),
      bytes: new Float64Array(count),
      filterMask: new Uint32Array(count),
    };
  }

  /** Stores the entry of chunk `number` as the file has it; chunks outside the range are left out. */
  put(number: number, address: number, bytes: number, filterMask: number): void {
    const slot = number - this.table.first;
    if (slot < 0 || slot >= this.table.count || Number.isNaN(address)) return;
    this.table.address[slot] = address;
    this.table.bytes[slot] = bytes;
    this.table.filterMask[slot] = filterMask;
  }

  /** Number of the chunk whose coordinates start at `keys[from]`, -1 outside the dataset's present extent. */
  number(keys: ArrayLike<number>, from: number): number {
    return chunkNumber(this.grid, keys, from);
  }
}

/** Lexicographic order of the `rank` coordinates at `a[aFrom]` and `b[bFrom]`: negative, 0 or positive. */
export function compareCoordinates(
  a: ArrayLike<number>,
  aFrom: number,
  b: ArrayLike<number>,
  bFrom: number,
  rank: number,
): number {
  for (let axis = 0; axis < rank; axis++) {
    const difference = a[aFrom + axis]! - b[bFrom + axis]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
