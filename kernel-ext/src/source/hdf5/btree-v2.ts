// Owns: version 2 B-trees of chunks (format specification 3.0, III.A.2, record types 10 and 11).
// Must not know: layouts, other indexes.
import { type BTreeHeader, type NodeSizes, readBTreeHeader } from "./btree-v2-header";
import { ChunkEntry } from "./chunk-entry";
import { type ChunkedFacts, type ChunkSink, compareCoordinates } from "./chunk-sink";
import { readAddress, readUint } from "./cursor";
import type { MetadataFile } from "./metadata-file";

const NODE = "chunk index (version 2 B-tree node)";
/** Signature, version, type. */
const PREFIX_BYTES = 6;

/** Coordinates that a node's records must lie between, both exclusive; null = unbounded. */
type Bound = Float64Array | null;

interface Child {
  readonly address: number;
  readonly records: number;
  /** 0 = leaf. */
  readonly depth: number;
}

/** Puts every chunk of the sink's range that the tree holds. Only nodes that may hold one are read. */
export function readBtreeV2(file: MetadataFile, facts: ChunkedFacts, address: number, sink: ChunkSink): void {
  const header = readBTreeHeader(file, facts, address);
  if (header.root === null || header.rootRecords === 0) return; // no chunk was ever written
  const coordinateBytes = 8 * facts.shape.length;
  const entry = new ChunkEntry(file, NODE, address, header.recordBytes - coordinateBytes, facts, sink);
  const root = { address: header.root, records: header.rootRecords, depth: header.depth };
  new Walk(file, facts, sink, header, entry).visit(root, null, null);
}

class Walk {
  private readonly rank: number;
  private readonly seen = new Set<number>();

  constructor(
    private readonly file: MetadataFile,
    private readonly facts: ChunkedFacts,
    private readonly sink: ChunkSink,
    private readonly header: BTreeHeader,
    private readonly entry: ChunkEntry,
  ) {
    this.rank = facts.shape.length;
  }

  visit(child: Child, below: Bound, above: Bound): void {
    const { address, records, depth } = child;
    if (this.seen.has(address)) this.file.refuse(NODE, address, "a tree", "a loop");
    this.seen.add(address);
    const sizes = this.header.sizes[depth]!;
    if (records < 1 || records > sizes.maxRecords) {
      this.file.refuse(NODE, address, `1 to ${sizes.maxRecords} records`, `${records}`);
    }
    const pointers = depth === 0 ? 0 : (records + 1) * sizes.pointerBytes;
    const length = PREFIX_BYTES + records * this.header.recordBytes + pointers + 4;
    const bytes = this.file.readChecked(address, length, depth === 0 ? "BTLF" : "BTIN", NODE);
    if (bytes[4] !== 0 || bytes[5] !== this.header.type) {
      this.file.refuse(
        NODE,
        address,
        `version 0 of type ${this.header.type}`,
        `version ${bytes[4]} of type ${bytes[5]}`,
      );
    }
    const keys = this.coordinates(bytes, records, address);
    this.checkOrder(keys, records, below, above, address);
    this.putRecords(bytes, records, keys);
    if (depth > 0) this.children(bytes, child, sizes, keys, below, above);
  }

  private putRecords(bytes: Buffer, records: number, keys: Float64Array): void {
    const { rank, sink, header } = this;
    for (let record = 0; record < records; record++) {
      const number = sink.number(keys, record * rank);
      if (number >= 0) this.entry.put(number, bytes, PREFIX_BYTES + record * header.recordBytes);
    }
  }

  /** Child i lies between record i - 1 and record i. */
  private children(
    bytes: Buffer,
    { address, records, depth }: Child,
    sizes: NodeSizes,
    keys: Float64Array,
    below: Bound,
    above: Bound,
  ): void {
    const { rank, sink, facts } = this;
    const first = PREFIX_BYTES + records * this.header.recordBytes;
    for (let i = 0; i <= records; i++) {
      const from = i === 0 ? below : keys.subarray((i - 1) * rank, i * rank);
      const to = i === records ? above : keys.subarray(i * rank, (i + 1) * rank);
      if (to !== null && compareCoordinates(to, 0, sink.low, 0, rank) <= 0) continue;
      if (from !== null && compareCoordinates(from, 0, sink.high, 0, rank) >= 0) break;
      const at = first + i * sizes.pointerBytes;
      const target = readAddress(bytes, at, facts.offsetBytes, facts.baseAddress);
      if (Number.isNaN(target)) this.file.refuse(NODE, address, "addresses of children", "an undefined one");
      const held = readUint(bytes, at + facts.offsetBytes, this.header.recordCountBytes);
      this.visit({ address: target, records: held, depth: depth - 1 }, from, to);
    }
  }

  /** Chunk coordinates stand behind the entry, 8 bytes an axis, already divided by the chunk shape. */
  private coordinates(bytes: Buffer, records: number, address: number): Float64Array {
    const { rank } = this;
    const { recordBytes } = this.header;
    const keys = new Float64Array(records * rank);
    for (let record = 0; record < records; record++) {
      const at = PREFIX_BYTES + record * recordBytes + this.entry.bytes;
      for (let axis = 0; axis < rank; axis++) {
        const value = readUint(bytes, at + 8 * axis, 8);
        if (value > Number.MAX_SAFE_INTEGER)
          this.file.refuse(NODE, address, "coordinates below 2^53", `${value}`);
        keys[record * rank + axis] = value;
      }
    }
    return keys;
  }

  private checkOrder(keys: Float64Array, records: number, below: Bound, above: Bound, address: number): void {
    const { rank } = this;
    let sorted = below === null || compareCoordinates(below, 0, keys, 0, rank) < 0;
    for (let record = 1; sorted && record < records; record++) {
      sorted = compareCoordinates(keys, (record - 1) * rank, keys, record * rank, rank) < 0;
    }
    if (sorted && above !== null) sorted = compareCoordinates(keys, (records - 1) * rank, above, 0, rank) < 0;
    if (!sorted)
      this.file.refuse(NODE, address, "chunk coordinates that ascend between its parent's", "others");
  }
}
