// Owns: version 1 B-trees of chunks (format specification 3.0, III.A.1, node type 1).
// Must not know: layouts, other indexes.
import { addressAt, type EntryForm, firstUnordered, readKeys, takeEntries } from "./btree-v1-entries";
import { type ChunkedFacts, type ChunkSink, compareCoordinates } from "./chunk-sink";
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
  readonly view: DataView;
  /** `entries + 1` keys one after another: chunk coordinates, and behind them the offset inside an element. */
  readonly keys: Float64Array;
}

/** Puts every chunk of the sink's range that the tree holds. Only nodes that may hold one are read. */
export function readBtreeV1(file: MetadataFile, facts: ChunkedFacts, root: number, sink: ChunkSink): void {
  new Walk(file, facts, sink).visit(root, null, null);
}

class Walk {
  /**
   * The last number of a key, an offset inside an element, is 0 for every chunk; only in the tree's upper bound it may
   * be more, and then it alone puts that bound above the last chunk.
   */
  private readonly form: EntryForm;
  /** Elements from one coordinate to the next in each column. */
  private readonly steps: Float64Array;
  private readonly grid: Float64Array;
  private readonly low: Float64Array;
  private readonly high: Float64Array;
  /** Stored bytes, filter mask, one offset of 8 bytes per axis and one inside the element. */
  private readonly keyBytes: number;
  private readonly seen = new Set<number>();

  constructor(
    private readonly file: MetadataFile,
    private readonly facts: ChunkedFacts,
    private readonly sink: ChunkSink,
  ) {
    const { offsetBytes } = facts;
    const columns = facts.shape.length + 1;
    this.keyBytes = 8 + 8 * columns;
    const prefixBytes = 8 + 2 * offsetBytes;
    this.form = { prefixBytes, entryBytes: this.keyBytes + offsetBytes, offsetBytes, columns };
    this.steps = Float64Array.of(...facts.layout.chunkShape, 1);
    this.grid = Float64Array.from(sink.grid);
    this.low = Float64Array.of(...sink.low, 0);
    this.high = Float64Array.of(...sink.high, 0);
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
    const { columns, prefixBytes, entryBytes, offsetBytes } = this.form;
    for (let child = 0; child < node.entries; child++) {
      // Child keys lie in [key, next key).
      if (compareCoordinates(node.keys, (child + 1) * columns, this.low, 0, columns) <= 0) continue;
      if (compareCoordinates(node.keys, child * columns, this.high, 0, columns) > 0) break;
      const at = prefixBytes + child * entryBytes + this.keyBytes;
      const address = addressAt(node.view, at, offsetBytes, this.facts.baseAddress);
      this.visit(address, node.level - 1, { keys: node.keys, child });
    }
  }

  private leaf({ address, view, entries, keys }: Node): void {
    const { form, grid, sink } = this;
    const { baseAddress } = this.facts;
    const partial = takeEntries(view, form, entries, keys, grid, baseAddress, sink.table);
    if (partial < 0) return;
    const inElement = keys[(partial + 1) * form.columns - 1];
    this.file.refuse(WHAT, address, "chunks of whole elements", `offset ${inElement}`);
  }

  private read(address: number): Node {
    const { file } = this;
    const { prefixBytes, entryBytes } = this.form;
    let bytes = file.readUpTo(address, FIRST_READ_BYTES, WHAT);
    if (bytes.length < prefixBytes) file.refuse(WHAT, address, `${prefixBytes} bytes`, `${bytes.length}`);
    file.checkSignature(bytes, "TREE", address, WHAT);
    const type = bytes[4]!;
    const level = bytes[5]!;
    const entries = bytes.readUInt16LE(6);
    if (type !== 1) file.refuse(WHAT, address, "node type 1 (chunks)", `type ${type}`);
    if (level > MAX_LEVEL) file.refuse(WHAT, address, `at most level ${MAX_LEVEL}`, `level ${level}`);
    const needed = prefixBytes + entries * entryBytes + this.keyBytes;
    if (needed > bytes.length) bytes = file.read(address, needed, WHAT);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return { address, level, entries, view, keys: this.keys(view, entries, address) };
  }

  /** Keys hold element offsets: multiples of the chunk extents. */
  private keys(view: DataView, entries: number, address: number): Float64Array {
    const { form, steps } = this;
    const keys = new Float64Array((entries + 1) * form.columns);
    const bad = readKeys(view, form, entries + 1, steps, keys);
    if (bad >= 0) {
      const at = form.prefixBytes + Math.floor(bad / form.columns) * form.entryBytes + 8;
      const offset = view.getBigUint64(at + 8 * (bad % form.columns), true);
      this.file.refuse(WHAT, address, `chunk offsets in steps of ${steps.join(", ")}`, `${offset}`);
    }
    return keys;
  }

  /** Keys ascend, and a child's keys lie between its parent's: so no two nodes can claim the same chunk. */
  private checkOrder(node: Node, bounds: Bounds | null): void {
    const { columns } = this.form;
    const key = firstUnordered(node.keys, node.entries + 1, columns);
    if (key >= 0) {
      this.file.refuse(
        WHAT,
        node.address,
        "chunk offsets that ascend",
        `key ${key + 1} not above key ${key}`,
      );
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
