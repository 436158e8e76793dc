// Owns: the typed array of each element type, and its size.
// Must not know: frames, files, where memory comes from.
import type { Dtype, PixelArray } from "./types";

interface PixelArrayMaker {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, start: number, length: number): PixelArray;
}

const MAKERS: Readonly<Record<Dtype, PixelArrayMaker>> = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
  f32: Float32Array,
  f64: Float64Array,
};

/** Bytes of one element. */
export function dtypeBytes(dtype: Dtype): number {
  return MAKERS[dtype].BYTES_PER_ELEMENT;
}

/** Elements as one typed array. `start` is in bytes and a multiple of the element size. */
export function pixelArray(dtype: Dtype, buffer: ArrayBuffer, start: number, length: number): PixelArray {
  return new MAKERS[dtype](buffer, start, length);
}

/** `length` zeros of a dtype. */
export function emptyPixels(dtype: Dtype, length: number): PixelArray {
  return pixelArray(dtype, new ArrayBuffer(length * dtypeBytes(dtype)), 0, length);
}
