// Owns: version 1 B-trees of chunks (format specification 3.0, III.A.1, node type 1).
// Must not know: layouts, other indexes.
import { type ChunkedFacts, type ChunkSink, compareCoordinates } from "./chunk-sink";
import { readAddress, readUint } from "./cursor";
import type { MetadataFile } from "./metadata-file";

const WHAT = "chunk index (version 1 B-tree node)";
/** A node's usual size: 64 entries of three dimensions. Larger nodes take a second read. */
const FIRST_READ_BYTES = 4096;
/** Two entries a node would still reach 2^40 chunks; 1 level is usual to 3 at most. */
const MAX_LEVEL = 40;

/** Keys of a node that bound what a child may hold. */
interface Bounds {
  readonly keys: Float64Array;
  /** Index of the child's lowest key; the next key bounds it from above. */
  readonly child: number;
}

interface Node {
  readonly address: number;
  readonly level: number;
  readonly entries: number;
  readonly bytes: Buffer;
  /** `entries + 1` keys one after another: chunk coordinates, and behind them the offset inside an element. */
  readonly keys: Float64Array;
}

/** Puts every chunk of the sink's range that the tree holds. Only nodes that may hold one are read. */
export function readBtreeV1(file: MetadataFile, facts: ChunkedFacts, root: number, sink: ChunkSink): void {
  new Walk(file, facts, sink).visit(root, null, null);
}

class Walk {
  /**
   * Numbers of a key. The last one, an offset inside an element, is 0 for every chunk; only in the tree's upper
   * bound it may be more, and then it alone puts that bound above the last chunk.
   */
  private readonly columns: number;
  private readonly low: readonly number[];
  private readonly high: readonly number[];
  /** Stored bytes, filter mask, one offset of 8 bytes per dimension and one for the element size. */
  private readonly keyBytes: number;
  private readonly stride: number;
  private readonly prefixBytes: number;
  private readonly seen = new Set<number>();

  constructor(
    private readonly file: MetadataFile,
    private readonly facts: ChunkedFacts,
    private readonly sink: ChunkSink,
  ) {
    this.columns = facts.shape.length + 1;
    this.low = [...sink.low, 0];
    this.high = [...sink.high, 0];
    this.keyBytes = 8 + 8 * this.columns;
    this.stride = this.keyBytes + facts.offsetBytes;
    this.prefixBytes = 8 + 2 * facts.offsetBytes;
  }

  visit(address: number, level: number | null, bounds: Bounds | null): void {
    if (this.seen.has(address)) this.file.refuse(WHAT, address, "a tree", "a loop");
    this.seen.add(address);
    const node = this.read(address);
    if (level !== null && node.level !== level) {
      this.file.refuse(WHAT, address, `level ${level}`, `level ${node.level}`);
    }
    this.checkOrder(node, bounds);
    if (node.level === 0) this.leaf(node);
    else this.internal(node);
  }

  private internal(node: Node): void {
    const { columns } = this;
    for (let child = 0; child < node.entries; child++) {
      // Child keys lie in [key, next key).
      if (compareCoordinates(node.keys, (child + 1) * columns, this.low, 0, columns) <= 0) continue;
      if (compareCoordinates(node.keys, child * columns, this.high, 0, columns) > 0) break;
      const address = this.childAddress(node, child);
      this.visit(address, node.level - 1, { keys: node.keys, child });
    }
  }

  private leaf(node: Node): void {
    const { columns, sink } = this;
    for (let entry = 0; entry < node.entries; entry++) {
      const inElement = node.keys[entry * columns + columns - 1]!;
      if (inElement !== 0)
        this.file.refuse(WHAT, node.address, "chunks of whole elements", `offset ${inElement}`);
      const number = sink.number(node.keys, entry * columns);
      if (number < 0) continue; // outside the present extent of a dataset that was made smaller
      const at = this.prefixBytes + entry * this.stride;
      sink.put(
        number,
        this.childAddress(node, entry),
        node.bytes.readUInt32LE(at),
        node.bytes.readUInt32LE(at + 4),
      );
    }
  }

  private childAddress(node: Node, child: number): number {
    const at = this.prefixBytes + child * this.stride + this.keyBytes;
    return readAddress(node.bytes, at, this.facts.offsetBytes, this.facts.baseAddress);
  }

  private read(address: number): Node {
    const { file } = this;
    let bytes = file.readUpTo(address, FIRST_READ_BYTES, WHAT);
    if (bytes.length < this.prefixBytes)
      file.refuse(WHAT, address, `${this.prefixBytes} bytes`, `${bytes.length}`);
    file.checkSignature(bytes, "TREE", address, WHAT);
    const type = bytes[4]!;
    const level = bytes[5]!;
    const entries = bytes.readUInt16LE(6);
    if (type !== 1) file.refuse(WHAT, address, "node type 1 (chunks)", `type ${type}`);
    if (level > MAX_LEVEL) file.refuse(WHAT, address, `at most level ${MAX_LEVEL}`, `level ${level}`);
    const needed = this.prefixBytes + entries * this.stride + this.keyBytes;
    if (needed > bytes.length) bytes = file.read(address, needed, WHAT);
    return { address, level, entries, bytes, keys: this.keys(bytes, entries, address) };
  }

  /** Keys hold element offsets: multiples of the chunk extents. */
  private keys(bytes: Buffer, entries: number, address: number): Float64Array {
    const { columns } = this;
    const steps = [...this.facts.layout.chunkShape, 1];
    const keys = new Float64Array((entries + 1) * columns);
    for (let key = 0; key <= entries; key++) {
      const at = this.prefixBytes + key * this.stride + 8;
      for (let column = 0; column < columns; column++) {
        const offset = readUint(bytes, at + 8 * column, 8);
        const scaled = offset / steps[column]!;
        if (!Number.isInteger(scaled) || offset > Number.MAX_SAFE_INTEGER) {
          this.file.refuse(WHAT, address, `chunk offsets in steps of ${steps.join(", ")}`, `${offset}`);
        }
        keys[key * columns + column] = scaled;
      }
    }
    return keys;
  }

  /** Keys ascend, and a child's keys lie between its parent's: so no two nodes can claim the same chunk. */
  private checkOrder(node: Node, bounds: Bounds | null): void {
    const { columns } = this;
    for (let key = 0; key < node.entries; key++) {
      if (compareCoordinates(node.keys, key * columns, node.keys, (key + 1) * columns, columns) >= 0) {
        this.file.refuse(
          WHAT,
          node.address,
          "chunk offsets that ascend",
          `key ${key + 1} not above key ${key}`,
        );
      }
    }
    if (bounds === null) return;
    const below = compareCoordinates(node.keys, 0, bounds.keys, bounds.child * columns, columns) < 0;
    const last = node.entries * columns;
    const above = compareCoordinates(node.keys, last, bounds.keys, (bounds.child + 1) * columns, columns) > 0;
    if (below || above || node.entries === 0) {
      this.file.refuse(
        WHAT,
        node.address,
        "chunks between its parent's keys",
        node.entries === 0 ? "none" : "others",
      );
    }
  }
}
