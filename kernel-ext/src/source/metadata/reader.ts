// Owns: answers to questions about one open HDF5 file, through h5wasm, without following external links.
// Must not know: threads, deadlines, acquisitions. Never reads elements of anything but small metadata.

import { dtypeOf, typeNameOf } from "./datatype";
import type { H5Metadata, H5Module } from "./h5";
import { type Member, members } from "./members";
import type { Attributes, DatasetMetadata, Grid, ListedDataset, ListedValue, Node, Query } from "./protocol";
import { readExactNumber, readNumbers, readTexts, readUnsigned } from "./values";

/** Soft links followed for one path, as many as the HDF5 library itself allows. */
const MAX_SOFT_LINKS = 16;
const VIRTUAL = {
  shape: null,
  maxShape: [],
  dtype: null,
  typeName: "virtual",
  littleEndian: true,
  filters: [],
  isVirtual: true,
} as const;
/** h5wasm's own exception where HDF5 found out, without an error, that an attribute does not exist. */
const NO_SUCH_ATTRIBUTE = "error - name not defined!";

/**
 * Extent of the dataset whose object header lies at an address, where it is virtual, else null. HDF5 opens the sources
 * of a virtual dataset by itself, and a damaged list of them keeps it busy for ever: so it is never asked about one.
 */
export type VirtualProbe = (headerAddress: number) => readonly number[] | null;

/** Answers questions about one open file; the throwing error handler must be active. */
export class FileReader {
  /** Attributes that were not there: each leaves about 150 bytes of WebAssembly stack behind (see worker.ts). */
  absentAttributes = 0;
  private readonly names = new Map<string, ReadonlySet<string>>();
  /** Paths that were found to be links to nothing but objects of this file. */
  private readonly hardLinks = new Set<string>();

  constructor(
    private readonly h5: H5Module,
    private readonly file: bigint,
    private readonly virtual: VirtualProbe,
  ) {}

  answer(query: Query): unknown {
    switch (query.ask) {
      case "object":
        return this.describe(query.path, query.attributes ?? []);
      case "names":
        return this.matching(query.path, query.pattern);
      case "scalar":
        return this.scalar(query.path);
      case "texts":
        return this.texts(query.path);
      case "grid":
        return this.grid(query.path, query.maxBytes);
      case "contents":
        return this.contents(query.limit);
      case "values":
        return this.values(query.limit);
    }
  }

  /** Walks a path link by link, so that h5wasm never has a chance to open another file. */
  private locate(path: string): { path: string; type: number } | Node {
    let names = parts(path);
    let here = "";
    let softLinks = 0;
    for (let next = 0; next < names.length; ) {
      const name = names[next++]!;
      const at = `${here}/${name}`;
      if (!this.isGroup(here || "/")) return missing(at, `${here} is not a group`);
      if (!this.namesIn(here || "/").has(name)) return missing(at, `${at} does not exist`);
      if (this.hardLinks.has(at)) {
        here = at;
        continue;
      }
      const external = this.h5.get_external_link(this.file, at);
      if (external.filename !== undefined) {
        const target = `/${[...parts(external.obj_path ?? "/"), ...names.slice(next)].join("/")}`;
        return { kind: "external", at, file: external.filename, target };
      }
      const soft = this.h5.get_symbolic_link(this.file, at);
      if (soft === null) {
        this.hardLinks.add(at);
        here = at;
        continue;
      }
      softLinks += 1;
      if (softLinks > MAX_SOFT_LINKS) return missing(at, `more than ${MAX_SOFT_LINKS} soft links in a row`);
      names = [...parts(soft), ...names.slice(next)];
      next = 0;
      if (soft.startsWith("/")) here = "";
    }
    return { path: here || "/", type: here === "" ? this.h5.H5G_GROUP : this.h5.get_type(this.file, here) };
  }

  private describe(path: string, attributes: readonly string[]): Node {
    const found = this.locate(path);
    if ("kind" in found) return found;
    if (found.type === this.h5.H5G_GROUP) {
      return { kind: "group", path: found.path, attributes: this.attributes(found.path, attributes) };
    }
    if (found.type !== this.h5.H5G_DATASET) return missing(found.path, `${found.path} is not a dataset`);
    const metadata = this.metadata(found.path);
    return {
      kind: "dataset",
      path: found.path,
      metadata,
      attributes: this.attributes(found.path, attributes),
    };
  }

  private matching(path: string, pattern: RegExp): string[] {
    const group = this.locate(path);
    if ("kind" in group || group.type !== this.h5.H5G_GROUP) return [];
    return [...this.namesIn(group.path)].filter((name) => pattern.test(name));
  }

  private scalar(path: string): number | null {
    const found = this.locate(path);
    if ("kind" in found || found.type !== this.h5.H5G_DATASET) return null;
    const raw = this.ownMetadata(found.path);
    if (raw?.total_size !== 1) return null;
    return readNumbers(this.h5, raw, this.elementsOf(found.path))?.[0] ?? null;
  }

  private texts(path: string): string[] | null {
    const found = this.locate(path);
    if ("kind" in found || found.type !== this.h5.H5G_DATASET) return null;
    const raw = this.ownMetadata(found.path);
    if (raw === null) return null;
    return readTexts(this.h5, raw, this.elementsOf(found.path), (pointer) =>
      this.h5.reclaim_vlen_memory(this.file, found.path, "", pointer),
    );
  }

  private grid(path: string, maxBytes: number): Grid {
    const found = this.locate(path);
    if ("kind" in found) {
      return found.kind === "missing"
        ? { kind: "absent" }
        : { kind: "refused", shape: null, why: `${path} is a link to another file` };
    }
    if (found.type !== this.h5.H5G_DATASET) {
      return { kind: "refused", shape: null, why: `${path} is not a dataset` };
    }
    const raw = this.ownMetadata(found.path);
    if (raw === null) return { kind: "refused", shape: null, why: `${path} is a virtual dataset` };
    const { shape } = raw;
    const refuse = (why: string): Grid => ({ kind: "refused", shape, why });
    if (shape?.length !== 2) return refuse(`${path} has ${shape?.length ?? 0} axes, not 2`);
    const [rows, cols] = shape as [number, number];
    const dtype = dtypeOf(raw.type, raw.size, raw.signed);
    if (dtype === null || dtype.startsWith("f")) {
      return refuse(`${path} holds ${typeNameOf(raw.type, raw.size, raw.signed)}, not integers`);
    }
    const bytes = rows * cols * raw.size;
    if (bytes > maxBytes) return refuse(`${path} is ${bytes} bytes, more than ${maxBytes}`);
    const values = readUnsigned(this.h5, raw, rows * cols, this.elementsOf(found.path));
    return { kind: "grid", shape: [rows, cols], values };
  }

  private contents(limit: number): ListedDataset[] {
    const listed: ListedDataset[] = [];
    for (const { path, type } of this.members()) {
      if (listed.length >= limit) break;
      if (type === "external") {
        const { filename = "" } = this.h5.get_external_link(this.file, path);
        listed.push({ path, shape: null, holds: filename });
      } else if (type === this.h5.H5G_DATASET) {
        const raw = this.ownMetadata(path);
        const shape = raw === null ? this.virtual(this.address(path)) : raw.shape;
        if (shape === null || shape.length < 2) continue;
        const holds = raw === null ? "virtual" : typeNameOf(raw.type, raw.size, raw.signed);
        listed.push({ path, shape, holds });
      }
    }
    return listed;
  }

  private values(limit: number): ListedValue[] {
    const listed: ListedValue[] = [];
    for (const { path, type } of this.members()) {
      if (listed.length >= limit) break;
      if (type !== this.h5.H5G_DATASET) continue;
      const raw = this.ownMetadata(path);
      if (raw?.total_size !== 1) continue;
      const value = readExactNumber(this.h5, raw, this.elementsOf(path)) ?? this.texts(path)?.[0];
      if (value !== undefined) listed.push({ path, value, units: this.units(path) });
    }
    return listed;
  }

  /** Copies all elements of a dataset to a place in WebAssembly memory. */
  private elementsOf(path: string) {
    return (pointer: bigint) => this.h5.get_dataset_data(this.file, path, null, null, null, pointer);
  }

  private units(path: string): string | null {
    if (!this.h5.get_attribute_names(this.file, path).includes("units")) return null;
    const texts = readTexts(
      this.h5,
      this.h5.get_attribute_metadata(this.file, path, "units"),
      (pointer) => this.h5.get_attribute_data(this.file, path, "units", pointer),
      (pointer) => this.h5.reclaim_vlen_memory(this.file, path, "units", pointer),
    );
    return texts?.[0] ?? null;
  }

  private members(): Generator<Member> {
    const { h5, file } = this;
    return members({
      h5,
      file,
      namesIn: (group) => this.namesIn(group),
      address: (path) => this.address(path),
    });
  }

  private metadata(path: string): DatasetMetadata {
    const headerAddress = this.address(path);
    const raw = this.ownMetadata(path, headerAddress);
    if (raw === null) return { ...VIRTUAL, headerAddress };
    return {
      shape: raw.shape,
      maxShape: (raw.maxshape ?? []).map((extent) => (extent > Number.MAX_SAFE_INTEGER ? null : extent)),
      dtype: dtypeOf(raw.type, raw.size, raw.signed),
      typeName: typeNameOf(raw.type, raw.size, raw.signed),
      littleEndian: raw.littleEndian,
      filters: this.h5
        .get_dataset_filters(this.file, path)
        .map(({ id, name, cd_values }) => ({ id, name, values: cd_values.map((value) => value >>> 0) })),
      isVirtual: false,
      headerAddress,
    };
  }

  /** What HDF5 says of a dataset that holds its own elements; null for a virtual one. */
  private ownMetadata(path: string, headerAddress = this.address(path)): H5Metadata | null {
    return this.virtual(headerAddress) === null ? this.h5.get_dataset_metadata(this.file, path) : null;
  }

  /**
   * h5wasm's list of attribute names is empty, without an error, where attribute storage is damaged. Asked for one by
   * name, it says whether there is none or HDF5 cannot tell.
   */
  private attributes(path: string, wanted: readonly string[]): Attributes {
    const values: Record<string, readonly number[]> = {};
    for (const name of wanted) {
      const raw = this.attributeMetadata(path, name);
      if (raw === null) continue;
      const numbers = readNumbers(this.h5, raw, (pointer) =>
        this.h5.get_attribute_data(this.file, path, name, pointer),
      );
      if (numbers !== null) values[name] = numbers;
    }
    return values;
  }

  private attributeMetadata(path: string, name: string): H5Metadata | null {
    try {
      return this.h5.get_attribute_metadata(this.file, path, name);
    } catch (error) {
      if ((error as Error).message !== NO_SUCH_ATTRIBUTE) throw error;
      this.absentAttributes += 1;
      return null;
    }
  }

  /** An object reference is the object header's address, little endian. */
  private address(path: string): number {
    const reference = Uint8Array.from(this.h5.create_object_reference(this.file, path));
    return Number(new DataView(reference.buffer).getBigUint64(0, true));
  }

  private namesIn(group: string): ReadonlySet<string> {
    let names = this.names.get(group);
    if (names === undefined) {
      names = new Set(this.h5.get_names(this.file, group, false));
      this.names.set(group, names);
    }
    return names;
  }

  private isGroup(path: string): boolean {
    return path === "/" || this.names.has(path) || this.h5.get_type(this.file, path) === this.h5.H5G_GROUP;
  }
}

function parts(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function missing(at: string, why: string): Node {
  return { kind: "missing", at, why };
}
