// Owns: the dataspace, datatype, filter pipeline and fill value messages (format specification 3.0, IV.A.2).
// Must not know: layouts, chunk indexes, what h5wasm said about the same dataset.
import type { Dtype } from "../../types";
import type { FilterFact } from "../acquisition";
import { Cursor } from "./cursor";
import type { MetadataFile } from "./metadata-file";
import type { HeaderMessage } from "./object-header";

/** HDF5's own limit of dimensions. */
const MAX_RANK = 32;
/** HDF5's own limit of filters in a pipeline. */
const MAX_FILTERS = 32;

export interface Dataspace {
  readonly shape: readonly number[];
  /** null = unlimited. */
  readonly maxShape: readonly (number | null)[];
}

export interface Datatype {
  readonly dtype: Dtype;
  readonly littleEndian: boolean;
}

/** IV.A.2.b, versions 1 and 2. */
export function parseDataspace(file: MetadataFile, message: HeaderMessage, lengthBytes: number): Dataspace {
  const cursor: Cursor = open(file, message, "dataspace message");
  const version = cursor.u8();
  const rank = cursor.u8();
  const flags = cursor.u8();
  if (version === 1) cursor.skip(5);
  else if (version === 2) {
    const type = cursor.u8();
    if (type > 1) cursor.refuse("a scalar or simple dataspace", `type ${type} (null)`);
  } else cursor.refuse("version 1 or 2", `version ${version}`);
  if (rank > MAX_RANK) cursor.refuse(`at most ${MAX_RANK} dimensions`, `${rank}`);
  const shape = Array.from({ length: rank }, () => cursor.uint(lengthBytes));
  const bounded = (flags & 1) !== 0;
  const maxShape = bounded ? shape.map(() => cursor.optionalUint(lengthBytes)) : [...shape];
  for (const [axis, extent] of shape.entries()) {
    const max = maxShape[axis]!;
    if (max !== null && max < extent)
      cursor.refuse(`a maximum of at least ${extent} on axis ${axis}`, `${max}`);
  }
  return { shape, maxShape };
}

/** IV.A.2.d: class 0 (fixed-point) and class 1 (IEEE floating-point), in the widths that a Dtype names. */
export function parseDatatype(file: MetadataFile, message: HeaderMessage): Datatype {
  const cursor: Cursor = open(file, message, "datatype message");
  const versionAndClass = cursor.u8();
  const kind = versionAndClass & 0x0f;
  const flags = cursor.u8();
  cursor.skip(2);
  const bytes = cursor.u32();
  if (kind > 1) cursor.refuse("integers (class 0) or floats (class 1)", `class ${kind}`);
  const bits = bytes * 8;
  const bitOffset = cursor.u16();
  const precision = cursor.u16();
  if (bitOffset !== 0 || precision !== bits) {
    cursor.refuse(`${bits} bits that fill the element`, `${precision} bits from bit ${bitOffset} on`);
  }
  const littleEndian = (flags & 1) === 0;
  if (kind === 0) {
    if (![1, 2, 4, 8].includes(bytes)) cursor.refuse("integers of 1, 2, 4 or 8 bytes", `${bytes} bytes`);
    return { dtype: `${flags & 0x08 ? "i" : "u"}${bits}` as Dtype, littleEndian };
  }
  const exponentAt = cursor.u8();
  const exponentBits = cursor.u8();
  cursor.skip(1);
  const mantissaBits = cursor.u8();
  const ieee = bytes === 4 ? [23, 8, 23] : bytes === 8 ? [52, 11, 52] : null;
  const got = [exponentAt, exponentBits, mantissaBits];
  if (ieee === null || (flags & 0x40) !== 0 || ieee.some((value, i) => value !== got[i])) {
    cursor.refuse("IEEE floats of 4 or 8 bytes", `${bytes} bytes, exponent and mantissa ${got.join(", ")}`);
  }
  return { dtype: bytes === 4 ? "f32" : "f64", littleEndian };
}

/** IV.A.2.l, versions 1 (names and odd client data padded) and 2 (no padding, no name below id 256). */
export function parseFilters(file: MetadataFile, message: HeaderMessage): FilterFact[] {
  const cursor: Cursor = open(file, message, "filter pipeline message");
  const version = cursor.u8();
  if (version !== 1 && version !== 2) cursor.refuse("version 1 or 2", `version ${version}`);
  const count = cursor.u8();
  if (count > MAX_FILTERS) cursor.refuse(`at most ${MAX_FILTERS} filters`, `${count}`);
  if (version === 1) cursor.skip(6);
  return Array.from({ length: count }, () => {
    const id = cursor.u16();
    const nameBytes = version === 1 || id >= 256 ? cursor.u16() : 0;
    cursor.skip(2); // flags: optional or not
    const valueCount = cursor.u16();
    const name = cursor.slice(version === 1 ? Math.ceil(nameBytes / 8) * 8 : nameBytes);
    const values = Array.from({ length: Math.min(valueCount, cursor.left) }, () => cursor.u32());
    if (version === 1 && valueCount % 2 === 1) cursor.skip(4);
    return { id, name: name.toString("utf8").split("\0", 1)[0]!, values };
  });
}

/**
 * Fill value as stored, zeros where none is defined: IV.A.2.g (versions 1 to 3), else the old message IV.A.2.f.
 * A value of another size than the element's is refused.
 */
export function parseFillValue(
  file: MetadataFile,
  message: HeaderMessage | undefined,
  oldMessage: HeaderMessage | undefined,
  elementBytes: number,
): Uint8Array {
  const stored = message ? newFillValue(file, message) : oldMessage ? oldFillValue(file, oldMessage) : null;
  if (stored === null) return new Uint8Array(elementBytes);
  if (stored.length !== elementBytes) {
    const at = (message ?? oldMessage)!.address;
    file.refuse("fill value", at, `${elementBytes} bytes`, `${stored.length} bytes`);
  }
  return Uint8Array.from(stored);
}

function newFillValue(file: MetadataFile, message: HeaderMessage): Buffer | null {
  const cursor: Cursor = open(file, message, "fill value message");
  const version = cursor.u8();
  let defined: boolean;
  if (version === 1 || version === 2) {
    cursor.skip(2); // when space is allocated, when the value is written
    defined = cursor.u8() !== 0;
  } else if (version === 3) {
    defined = (cursor.u8() & 0x20) !== 0;
  } else cursor.refuse("version 1 to 3", `version ${version}`);
  return defined ? sized(cursor) : null;
}

function oldFillValue(file: MetadataFile, message: HeaderMessage): Buffer | null {
  return sized(open(file, message, "old fill value message"));
}

/** A size of 0 means the default, zeros. */
function sized(cursor: Cursor): Buffer | null {
  const bytes = cursor.u32();
  return bytes === 0 ? null : cursor.slice(bytes);
}

function open(file: MetadataFile, message: HeaderMessage, what: string): Cursor {
  if (message.shared) {
    file.refuse(what, message.address, "a message in the dataset's own header", "a shared message");
  }
  return new Cursor(file, message.data, message.address, what);
}
