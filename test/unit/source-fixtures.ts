// Owns: small acquisitions on disk for the tests of source/: data files, masters, folders that are removed again.
// Must not know: any code under test. Frames hold constant pixels: these tests look at facts, not at counts.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import type { Dtype } from "#framelab/types";
import {
  type Attributes,
  type ByteOrder,
  chunked,
  dataset,
  dtypeBytes,
  type Elements,
  externalLink,
  type FileOptions,
  group,
  type Node,
  numbers,
  scalar,
  writeHdf5,
} from "../fixtures/hdf5-writer";

/** A new folder, removed after the tests of the calling file. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "framelab source ü 測定 ")));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface StackSpec {
  readonly frames: number;
  readonly rows?: number;
  readonly cols?: number;
  readonly dtype?: Dtype;
  readonly order?: ByteOrder;
  readonly attributes?: Attributes;
}

/** Uncompressed chunks of one frame each, all of the same bytes. */
export function stack(spec: StackSpec): Node {
  const { frames, rows = 4, cols = 6, dtype = "u16", order = "little", attributes = {} } = spec;
  const bytes = new Uint8Array(rows * cols * dtypeBytes(dtype)).fill(7);
  return chunked({
    dtype,
    order,
    shape: [frames, rows, cols],
    chunkShape: [1, rows, cols],
    chunks: () => ({ bytes }),
    attributes,
  });
}

/** `image_nr_low` as DECTRIS writes it. */
export function firstImage(low: number): Attributes {
  return { image_nr_low: scalar("u32", low) };
}

/** /entry/data/data, as in the data files of DECTRIS writers. */
export function writeDataFile(file: string, spec: StackSpec, options: FileOptions = {}): void {
  writeHdf5(file, group({ entry: group({ data: group({ data: stack(spec) }) }) }), options);
}

export interface MasterSpec {
  /** Members of /entry/data; a string is an external link to /entry/data/data of that file. */
  readonly data: Readonly<Record<string, string | Node>>;
  readonly nimages?: number;
  readonly ntrigger?: number;
  readonly mask?: Elements;
  readonly dataAttributes?: Attributes;
  readonly rootAttributes?: Attributes;
  readonly detectorAttributes?: Attributes;
}

export function writeMaster(file: string, spec: MasterSpec, options: FileOptions = {}): void {
  const members: Record<string, Node> = {};
  for (const [name, value] of Object.entries(spec.data)) {
    members[name] = typeof value === "string" ? externalLink(value, "/entry/data/data") : value;
  }
  const specific: Record<string, Node> = {};
  if (spec.nimages !== undefined) specific.nimages = dataset(scalar("u64", spec.nimages));
  if (spec.ntrigger !== undefined) specific.ntrigger = dataset(scalar("u64", spec.ntrigger));
  if (spec.mask !== undefined) specific.pixel_mask = dataset(spec.mask);
  const detector = group({ detectorSpecific: group(specific) }, spec.detectorAttributes);
  const entry = group({ data: group(members, spec.dataAttributes), instrument: group({ detector }) });
  writeHdf5(file, group({ entry }, spec.rootAttributes), options);
}

/** A master with one data file for each number of frames, in one folder; its path. */
export function writeAcquisition(
  folder: string,
  frames: readonly number[],
  facts: Omit<MasterSpec, "data"> = {},
  stackSpec: Omit<StackSpec, "frames"> = {},
): string {
  const data: Record<string, string> = {};
  frames.forEach((count, i) => {
    const name = `scan_data_${String(i + 1).padStart(6, "0")}.h5`;
    writeDataFile(path.join(folder, name), { frames: count, ...stackSpec });
    data[`data_${String(i + 1).padStart(6, "0")}`] = name;
  });
  const master = path.join(folder, "scan_master.h5");
  writeMaster(master, { data, ...facts });
  return master;
}

/** A mask of zeros with these pixels flagged. */
export function mask(
  rows: number,
  cols: number,
  flagged: readonly number[] = [],
  dtype: Dtype = "u32",
): Elements {
  const values = new Array<number>(rows * cols).fill(0);
  for (const pixel of flagged) values[pixel] = 1;
  return numbers(dtype, [rows, cols], values);
}
