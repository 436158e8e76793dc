// Owns: the data layout message, versions 1 to 5 (format specification 3.0, IV.A.2.i).
// Must not know: how a chunk index is walked.
import { safeProduct } from "../../plan/chunk-grid";
import type { ChunkIndexFact, ChunkIndexKind, Layout } from "../acquisition";
import { Cursor } from "./cursor";
import type { MetadataFile } from "./metadata-file";
import type { HeaderMessage } from "./object-header";
import type { Superblock } from "./superblock";

const COMPACT = 0;
const CONTIGUOUS = 1;
const CHUNKED = 2;
/** Layout class of virtual datasets. */
export const VIRTUAL = 3;

/** Index types 1 to 5 of a version 4 or 5 layout, and the bytes of their creation parameters. */
const INDEX_TYPES: readonly (readonly [ChunkIndexKind, number])[] = [
  ["single-chunk", 0],
  ["implicit", 0],
  ["fixed-array", 1],
  ["extensible-array", 5],
  ["btree-v2", 6],
];

/** The dataset that the layout must fit. */
export interface Elements {
  readonly shape: readonly number[];
  readonly elementBytes: number;
}

/** Reads the layout of a dataset; every size in it is checked against shape and element size. */
export function parseLayout(
  file: MetadataFile,
  superblock: Superblock,
  message: HeaderMessage,
  elements: Elements,
): Layout {
  const parser = new LayoutParser(file, superblock, message, elements);
  return parser.parse();
}

class LayoutParser {
  private readonly cursor: Cursor;

  constructor(
    file: MetadataFile,
    private readonly superblock: Superblock,
    message: HeaderMessage,
    private readonly elements: Elements,
  ) {
    this.cursor = new Cursor(file, message.data, message.address, "data layout message");
    if (message.shared) this.cursor.refuse("a message in the dataset's own header", "a shared message");
  }

  parse(): Layout {
    const version = this.cursor.u8();
    if (version === 1 || version === 2) return this.old();
    if (version < 3 || version > 5) this.cursor.refuse("version 1 to 5", `version ${version}`);
    const kind = this.cursor.u8();
    if (kind === COMPACT) return this.compact(this.cursor.u16());
    if (kind === CONTIGUOUS) {
      const address = this.address();
      return this.contiguous(address, this.cursor.uint(this.superblock.lengthBytes));
    }
    if (kind === CHUNKED) return version === 3 ? this.chunkedV3() : this.chunkedV4();
    return this.refuseKind(kind);
  }

  /** Versions 1 and 2: dimensions of 4 bytes for every class; a chunk's include the element size. */
  private old(): Layout {
    const dimensions = this.cursor.u8();
    const kind = this.cursor.u8();
    this.cursor.skip(5);
    if (kind === CHUNKED) {
      const address = this.address();
      return this.chunked(this.dimensions(dimensions, 4), btreeV1(address));
    }
    if (kind === CONTIGUOUS) {
      const address = this.address();
      this.dimensions(dimensions, 4);
      return this.contiguous(address, this.bytesNeeded());
    }
    if (kind !== COMPACT) this.refuseKind(kind);
    this.dimensions(dimensions, 4);
    return this.compact(this.cursor.u32());
  }

  private compact(bytes: number): Layout {
    this.checkBytes(bytes);
    const address = this.cursor.position;
    this.cursor.skip(bytes);
    return { kind: "compact", address, bytes: this.bytesNeeded() };
  }

  private contiguous(address: number | null, bytes: number): Layout {
    if (address !== null) this.checkBytes(bytes);
    return { kind: "contiguous", address, bytes: this.bytesNeeded() };
  }

  private chunkedV3(): Layout {
    const dimensions = this.cursor.u8();
    const address = this.address();
    return this.chunked(this.dimensions(dimensions, 4), btreeV1(address));
  }

  /** Versions 4 and 5 write the same fields; they differ in the width of sizes inside the index. */
  private chunkedV4(): Layout {
    const flags = this.cursor.u8();
    const dimensions = this.cursor.u8();
    const width = this.cursor.u8();
    if (width < 1 || width > 8) this.cursor.refuse("dimensions of 1 to 8 bytes", `${width} bytes`);
    const shape = this.dimensions(dimensions, width);
    const type = this.cursor.u8();
    const known = INDEX_TYPES[type - 1];
    if (known === undefined) return this.cursor.refuse("chunk index type 1 to 5", `type ${type}`);
    const [kind, parameterBytes] = known;
    let single: ChunkIndexFact["single"] = null;
    if (kind === "single-chunk" && (flags & 2) !== 0) {
      const bytes = this.cursor.uint(this.superblock.lengthBytes);
      single = { bytes, filterMask: this.cursor.u32() };
    }
    // The index's own header repeats the parameters, and only that is used.
    this.cursor.skip(parameterBytes);
    return this.chunked(shape, { kind, address: this.address(), rawEdgeChunks: (flags & 1) !== 0, single });
  }

  private chunked(dimensions: readonly number[], index: ChunkIndexFact): Layout {
    const { shape, elementBytes } = this.elements;
    const chunkShape = dimensions.slice(0, -1);
    if (chunkShape.length !== shape.length || shape.length === 0) {
      this.cursor.refuse(`chunks of ${shape.length} dimensions`, `${chunkShape.length}`);
    }
    if (dimensions.at(-1) !== elementBytes) {
      this.cursor.refuse(`chunks of elements of ${elementBytes} bytes`, `${dimensions.at(-1)} bytes`);
    }
    if (chunkShape.includes(0) || safeProduct(dimensions) === null) {
      this.cursor.refuse("chunk extents from 1 on, fewer than 2^53 bytes in all", chunkShape.join(" x "));
    }
    return { kind: "chunked", chunkShape, index };
  }

  private dimensions(count: number, width: number): number[] {
    return Array.from({ length: count }, () => this.cursor.uint(width));
  }

  private address(): number | null {
    const address = this.cursor.optionalUint(this.superblock.offsetBytes);
    return address === null ? null : address + this.superblock.baseAddress;
  }

  private bytesNeeded(): number {
    const { shape, elementBytes } = this.elements;
    const bytes = safeProduct([...shape, elementBytes]);
    if (bytes === null) return this.cursor.refuse("fewer than 2^53 bytes", `shape ${shape.join(" x ")}`);
    return bytes;
  }

  private checkBytes(bytes: number): void {
    const needed = this.bytesNeeded();
    if (bytes < needed) {
      this.cursor.refuse(`${needed} bytes for shape ${this.elements.shape.join(" x ")}`, `${bytes} bytes`);
    }
  }

  private refuseKind(kind: number): never {
    if (kind !== VIRTUAL) return this.cursor.refuse("layout class 0 to 3", `class ${kind}`);
    return this.cursor.refuse(
      "compact, contiguous or chunked storage",
      "a virtual dataset",
      "Open the files that it draws on.",
    );
  }
}

function btreeV1(address: number | null): ChunkIndexFact {
  return { kind: "btree-v1", address, rawEdgeChunks: false, single: null };
}
