// Owns: which dtypes hold every value of another one, and moving one stored value between dtypes without loss.
// Must not know: files, datasets. Pure functions.
import type { Dtype } from "../types";

/** Bits of whole numbers that a type holds exactly, the sign apart. */
function wholeBits(dtype: Dtype): number {
  if (dtype === "f32") return 24;
  if (dtype === "f64") return 53;
  return Number(dtype.slice(1)) - (dtype.startsWith("i") ? 1 : 0);
}

/** True where every value of `from` is a value of `to`. */
export function exactIn(from: Dtype, to: Dtype): boolean {
  if (from === to) return true;
  if (from.startsWith("f")) return from === "f32" && to === "f64";
  if (from.startsWith("i") && to.startsWith("u")) return false;
  return wholeBits(from) <= wholeBits(to);
}

/** A stored value of type `from` as bytes of type `to`, little-endian; null where `to` has no such value. */
export function storedIn(
  to: Dtype,
  from: Dtype,
  bytes: Uint8Array,
  littleEndian: boolean,
): { readonly fillValue: Uint8Array; readonly littleEndian: boolean } | null {
  if (to === from) return { fillValue: bytes, littleEndian };
  const value = read(from, bytes, littleEndian);
  const fillValue = new Uint8Array(Number(to.slice(1)) / 8);
  write(to, fillValue, value);
  return read(to, fillValue, true) === value ? { fillValue, littleEndian: true } : null;
}

/** Whole numbers as bigint, so that those of different types compare exactly; others as number. */
function read(dtype: Dtype, bytes: Uint8Array, littleEndian: boolean): bigint | number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (dtype.startsWith("f")) {
    const value = dtype === "f32" ? view.getFloat32(0, littleEndian) : view.getFloat64(0, littleEndian);
    return Number.isInteger(value) ? BigInt(value) : value;
  }
  let unsigned = 0n;
  for (let i = 0; i < bytes.length; i++) {
    unsigned = (unsigned << 8n) | BigInt(bytes[littleEndian ? bytes.length - 1 - i : i]!);
  }
  return dtype.startsWith("i") ? BigInt.asIntN(8 * bytes.length, unsigned) : unsigned;
}

function write(dtype: Dtype, bytes: Uint8Array, value: bigint | number): void {
  const view = new DataView(bytes.buffer);
  if (dtype === "f32") view.setFloat32(0, Number(value), true);
  else if (dtype === "f64") view.setFloat64(0, Number(value), true);
  else if (typeof value === "bigint") {
    for (let i = 0, rest = value; i < bytes.length; i++, rest >>= 8n) bytes[i] = Number(rest & 0xffn);
  }
}
