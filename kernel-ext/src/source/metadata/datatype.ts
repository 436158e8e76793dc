// Owns: from an HDF5 datatype to a FrameLab dtype, or to its name where FrameLab has none for it.
// Must not know: files, threads, h5wasm's objects beyond the numbers of a datatype.
import type { Dtype } from "../../types";

/** HDF5 datatype classes by number (H5T_class_t). */
const CLASS_NAMES = [
  "integer",
  "float",
  "time",
  "string",
  "bitfield",
  "opaque",
  "compound",
  "reference",
  "enum",
  "variable-length",
  "array",
];

const INTEGER = 0;
const FLOAT = 1;

/** The dtype of a plain integer of 1, 2, 4 or 8 bytes or a float of 4 or 8 bytes; null for everything else. */
export function dtypeOf(typeClass: number, bytes: number, signed: boolean): Dtype | null {
  if (typeClass === INTEGER && [1, 2, 4, 8].includes(bytes)) {
    return `${signed ? "i" : "u"}${bytes * 8}` as Dtype;
  }
  if (typeClass === FLOAT && (bytes === 4 || bytes === 8)) return `f${bytes * 8}` as Dtype;
  return null;
}

/** Words for people, e.g. `u16`, `16-bit float`, `compound of 8 bytes`. */
export function typeNameOf(typeClass: number, bytes: number, signed: boolean): string {
  const dtype = dtypeOf(typeClass, bytes, signed);
  if (dtype !== null) return dtype;
  const name = CLASS_NAMES[typeClass] ?? `class ${typeClass}`;
  return typeClass === INTEGER || typeClass === FLOAT
    ? `${bytes * 8}-bit ${name}`
    : `${name} of ${bytes} bytes`;
}
