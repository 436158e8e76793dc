// Owns: moving small numeric values out of the WebAssembly heap, after their size was checked.
// Must not know: files, paths, links.
import { dtypeOf } from "./datatype";
import type { H5Metadata, H5Module } from "./h5";

/** Attributes and scalars are a few numbers; anything longer is not what was asked for. */
const MAX_NUMBERS = 16;

/** Lets HDF5 write `bytes` bytes in native order into the heap and copies them out. */
function readBytes(h5: H5Module, bytes: number, read: (pointer: bigint) => number): DataView {
  // At least 8 bytes: `malloc(0)` may be null, and null is how a refused allocation looks.
  const pointer = h5._malloc(Math.max(8, bytes));
  if (pointer === 0) throw new Error(`no memory for ${bytes} bytes`);
  try {
    if (read(BigInt(pointer)) < 0) throw new Error("the HDF5 library could not read the values");
    const copy = h5.HEAPU8.slice(pointer, pointer + bytes);
    return new DataView(copy.buffer);
  } finally {
    h5._free(pointer);
  }
}

function numberAt(view: DataView, dtype: string, offset: number): number {
  switch (dtype) {
    case "u8":
      return view.getUint8(offset);
    case "i8":
      return view.getInt8(offset);
    case "u16":
      return view.getUint16(offset, true);
    case "i16":
      return view.getInt16(offset, true);
    case "u32":
      return view.getUint32(offset, true);
    case "i32":
      return view.getInt32(offset, true);
    case "u64":
      return Number(view.getBigUint64(offset, true));
    case "i64":
      return Number(view.getBigInt64(offset, true));
    case "f32":
      return view.getFloat32(offset, true);
    default:
      return view.getFloat64(offset, true);
  }
}

/** A few numbers (at most 16); null where the values are no plain numbers or too many. */
export function readNumbers(
  h5: H5Module,
  raw: H5Metadata,
  read: (pointer: bigint) => number,
): number[] | null {
  const dtype = dtypeOf(raw.type, raw.size, raw.signed);
  const count = raw.total_size;
  if (dtype === null || raw.shape === null || !(count >= 1 && count <= MAX_NUMBERS)) return null;
  const view = readBytes(h5, count * raw.size, read);
  return Array.from({ length: count }, (_, i) => numberAt(view, dtype, i * raw.size));
}

/** One number; as a text where a JSON number cannot hold it. null where the value is no number. */
export function readExactNumber(
  h5: H5Module,
  raw: H5Metadata,
  read: (pointer: bigint) => number,
): number | string | null {
  const dtype = dtypeOf(raw.type, raw.size, raw.signed);
  if (dtype === null || raw.shape === null || raw.total_size !== 1) return null;
  const view = readBytes(h5, raw.size, read);
  const number = numberAt(view, dtype, 0);
  if (Number.isSafeInteger(number) || (dtype.startsWith("f") && Number.isFinite(number))) return number;
  if (dtype === "u64") return view.getBigUint64(0, true).toString();
  return dtype === "i64" ? view.getBigInt64(0, true).toString() : String(number);
}

/** HDF5's class of strings (H5T_class_t). */
const STRING = 3;
/** A text that is shown to people is a name or a date; the rest of a longer one is cut off. */
const MAX_TEXT_BYTES = 1024;

/** A few texts (at most 16); null where the values are no strings or too many. `reclaim` frees what `read` allocated. */
export function readTexts(
  h5: H5Module,
  raw: H5Metadata,
  read: (pointer: bigint) => number,
  reclaim: (pointer: bigint) => number,
): string[] | null {
  const count = raw.total_size;
  if (raw.type !== STRING || raw.shape === null || !(count >= 1 && count <= MAX_NUMBERS)) return null;
  if (!raw.vlen) {
    if (count * raw.size > MAX_NUMBERS * MAX_TEXT_BYTES) return null;
    const { buffer } = readBytes(h5, count * raw.size, read);
    return Array.from({ length: count }, (_, i) => textOf(new Uint8Array(buffer, i * raw.size, raw.size)));
  }
  const texts: string[] = [];
  readBytes(h5, count * raw.size, (pointer) => {
    const status = read(pointer);
    if (status < 0) return status;
    for (let i = 0; i < count; i++) {
      const at = new DataView(h5.HEAPU8.buffer).getUint32(Number(pointer) + i * raw.size, true);
      texts.push(at === 0 ? "" : textOf(h5.HEAPU8.subarray(at, at + MAX_TEXT_BYTES)));
    }
    reclaim(pointer);
    return status;
  });
  return texts;
}

/** A text up to its first zero byte. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end))
    .toString("utf8")
    .trimEnd();
}

/**
 * Integers of any width as unsigned 32-bit flags: the low 32 bits, and 1 for a value whose low bits are all 0,
 * so that what is flagged stays flagged. The caller has checked `count`.
 */
export function readUnsigned(
  h5: H5Module,
  raw: H5Metadata,
  count: number,
  read: (pointer: bigint) => number,
): Uint32Array {
  const view = readBytes(h5, count * raw.size, read);
  // As WebAssembly stores them, which emscripten runs on little-endian machines alone.
  if (raw.size === 4) return new Uint32Array(view.buffer, view.byteOffset, count);
  const values = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    if (raw.size === 2) values[i] = view.getUint16(i * 2, true);
    else if (raw.size === 1) values[i] = view.getUint8(i);
    else {
      const wide = view.getBigUint64(i * 8, true);
      values[i] = Number(wide & 0xffffffffn) || (wide === 0n ? 0 : 1);
    }
  }
  return values;
}
