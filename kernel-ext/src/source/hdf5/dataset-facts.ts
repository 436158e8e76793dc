// Owns: the facts of one dataset, from the bytes of its object header, checked against what h5wasm said.
// Must not know: chunk indexes below their root address, decoders, selections.
import { chunkCount, chunkGrid } from "../../plan/chunk-grid";
import type { Dtype } from "../../types";
import type { DatasetFacts, FilterFact } from "../acquisition";
import { parseLayout } from "./layout-message";
import { type Dataspace, parseDataspace, parseDatatype, parseFillValue, parseFilters } from "./messages";
import { MetadataFile } from "./metadata-file";
import { MESSAGE, readObjectHeader } from "./object-header";
import { readSuperblock } from "./superblock";

/** What h5wasm says about a dataset. */
export type DatasetDescription = Pick<
  DatasetFacts,
  "file" | "dataset" | "shape" | "maxShape" | "dtype" | "littleEndian" | "filters"
>;

/**
 * Reads superblock and object header of a dataset. `headerAddress` is an object reference's address: it counts
 * from the superblock. The header's own dataspace, datatype and filters must agree with `h5`.
 *
 * Errors: `NotHdf5Error` (no superblock), `UnsupportedLayoutError` (damaged, contradictory, virtual, external raw
 * data), `BackendError` (the system could not read).
 */
export function readDatasetFacts(
  fd: number,
  fileBytes: number,
  headerAddress: number,
  h5: DatasetDescription,
): DatasetFacts {
  const file: MetadataFile = new MetadataFile(fd, fileBytes, `${h5.file}: ${h5.dataset}`);
  const superblock = readSuperblock(file);
  const messages = readObjectHeader(file, superblock, headerAddress + superblock.baseAddress);
  const need = (type: number, what: string) =>
    messages.get(type) ??
    file.refuse("object header", headerAddress + superblock.baseAddress, `a ${what} message`, "none");

  if (messages.has(MESSAGE.externalFiles)) {
    file.refuse(
      "data layout",
      null,
      "raw data in the file itself",
      "a list of external raw data files",
      "h5repack writes such a dataset into one file.",
    );
  }
  // A datatype or dataspace may be shared (a committed datatype): then h5wasm, which follows it, is believed.
  const space = need(MESSAGE.dataspace, "dataspace");
  const { lengthBytes } = superblock;
  const dataspace = space.shared
    ? h5
    : checkSpace(file, parseDataspace(file, space, lengthBytes), h5, lengthBytes);
  const type = need(MESSAGE.datatype, "datatype");
  if (!type.shared) checkType(file, parseDatatype(file, type), h5);
  const pipeline = messages.get(MESSAGE.filterPipeline);
  const stored = pipeline?.shared ? h5.filters : pipeline ? parseFilters(file, pipeline) : [];
  const filters = checkFilters(file, stored, h5.filters);

  const elementBytes = Number(h5.dtype.slice(1)) / 8;
  const layout = parseLayout(file, superblock, need(MESSAGE.layout, "data layout"), {
    shape: dataspace.shape,
    elementBytes,
  });
  if (layout.kind === "chunked") chunkCount(chunkGrid(dataspace.shape, layout.chunkShape), file.place);
  else if (filters.length > 0)
    file.refuse("data layout", null, "chunks, because there are filters", layout.kind);
  return {
    file: h5.file,
    dataset: h5.dataset,
    fileBytes,
    shape: dataspace.shape,
    maxShape: dataspace.maxShape,
    dtype: h5.dtype,
    littleEndian: h5.littleEndian,
    filters,
    layout,
    fillValue: parseFillValue(
      file,
      messages.get(MESSAGE.fillValue),
      messages.get(MESSAGE.oldFillValue),
      elementBytes,
    ),
    offsetBytes: superblock.offsetBytes,
    lengthBytes: superblock.lengthBytes,
    baseAddress: superblock.baseAddress,
  };
}

/** HDF5 itself reads "unlimited" in lengths narrower than 8 bytes as the largest number that they hold. */
function checkSpace(
  file: MetadataFile,
  own: Dataspace,
  h5: DatasetDescription,
  lengthBytes: number,
): Dataspace {
  agree(file, "shape", describe(own.shape), describe(h5.shape));
  const unlimited = 2 ** (8 * lengthBytes) - 1;
  const h5Max = h5.maxShape.map((extent) => (extent === unlimited ? null : extent));
  agree(file, "maximum shape", describe(own.maxShape), describe(h5Max));
  return own;
}

function checkType(
  file: MetadataFile,
  own: { dtype: Dtype; littleEndian: boolean },
  h5: DatasetDescription,
): void {
  agree(file, "datatype", own.dtype, h5.dtype);
  if (own.dtype.endsWith("8") && own.dtype.length === 2) return; // one byte has no order
  agree(file, "byte order", order(own.littleEndian), order(h5.littleEndian));
}

/** The header's filters, with h5wasm's names where the header has none. */
function checkFilters(
  file: MetadataFile,
  own: readonly FilterFact[],
  h5: readonly FilterFact[],
): FilterFact[] {
  agree(file, "filters", describe(own.map((f) => f.id)), describe(h5.map((f) => f.id)));
  return own.map((filter, i) => {
    agree(file, `client data of filter ${filter.id}`, describe(filter.values), describe(h5[i]!.values));
    return { ...filter, name: filter.name || h5[i]!.name };
  });
}

function agree(file: MetadataFile, what: string, own: string, h5: string): void {
  if (own !== h5) file.refuse(what, null, `${h5} as HDF5 reports it`, `${own} in the object header`);
}

function describe(values: readonly (number | null)[]): string {
  return `[${values.map((value) => value ?? "unlimited").join(", ")}]`;
}

function order(littleEndian: boolean): string {
  return littleEndian ? "little-endian" : "big-endian";
}
