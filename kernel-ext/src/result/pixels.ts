// Owns: typed arrays for a dtype over a stretch of memory, with a get/set store above a typed array's limit.
// Must not know: frames, reports, where the memory came from.
import type { Dtype, PixelArray } from "../types";

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

/** Most elements of one typed array in Node 20 (its limit is 2^32; one less is allowed everywhere). */
export const TYPED_ARRAY_ELEMENTS: number = 2 ** 32 - 1;

/** Bytes of one element. */
export function elementBytes(dtype: Dtype): number {
  return MAKERS[dtype].BYTES_PER_ELEMENT;
}

/** Elements as one typed array. `start` is in bytes and a multiple of the element size. */
export function pixelArray(dtype: Dtype, buffer: ArrayBuffer, start: number, length: number): PixelArray {
  return new MAKERS[dtype](buffer, start, length);
}

/** What an ndarray needs of its data when they are no single typed array. */
export interface PixelStore {
  readonly length: number;
  get(index: number): number | bigint;
  set(index: number, value: number | bigint): void;
  /** Elements [from, to): a typed array where one can hold them. */
  subarray(from: number, to: number): PixelArray | PixelStore;
}

/** Elements as a typed array, or as a store over the same memory when there are too many for one. */
export function pixels(
  dtype: Dtype,
  buffer: ArrayBuffer,
  start: number,
  length: number,
): PixelArray | PixelStore {
  return length <= TYPED_ARRAY_ELEMENTS
    ? pixelArray(dtype, buffer, start, length)
    : new WideStore(dtype, buffer, start, length);
}

const PART_ELEMENTS = 2 ** 30;

/** More than 2^32 elements over one ArrayBuffer, as parts of 2^30. */
class WideStore implements PixelStore {
  readonly length: number;
  private readonly parts: PixelArray[] = [];

  constructor(
    private readonly dtype: Dtype,
    private readonly buffer: ArrayBuffer,
    private readonly start: number,
    length: number,
  ) {
    this.length = length;
    const bytes = elementBytes(dtype);
    for (let first = 0; first < length; first += PART_ELEMENTS) {
      const count = Math.min(PART_ELEMENTS, length - first);
      this.parts.push(pixelArray(dtype, buffer, start + first * bytes, count));
    }
  }

  get(index: number): number | bigint {
    const part = Math.floor(index / PART_ELEMENTS);
    return this.parts[part]?.[index - part * PART_ELEMENTS];
  }

  set(index: number, value: number | bigint): void {
    const part = Math.floor(index / PART_ELEMENTS);
    const array = this.parts[part] as { [i: number]: number | bigint } | undefined;
    if (array) array[index - part * PART_ELEMENTS] = value;
  }

  subarray(from: number, to: number): PixelArray | PixelStore {
    return pixels(this.dtype, this.buffer, this.start + from * elementBytes(this.dtype), to - from);
  }
}
