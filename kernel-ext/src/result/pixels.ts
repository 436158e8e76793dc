// Owns: pixels over a stretch of memory: a typed array, or a get/set store above a typed array's limit.
// Must not know: frames, reports, where the memory came from.
import { dtypeBytes, pixelArray } from "../pixel-arrays";
import type { Dtype, PixelArray } from "../types";

/** Most elements of one typed array in Node 20 (its limit is 2^32; one less is allowed everywhere). */
export const TYPED_ARRAY_ELEMENTS: number = 2 ** 32 - 1;

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
    const bytes = dtypeBytes(dtype);
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
    return pixels(this.dtype, this.buffer, this.start + from * dtypeBytes(this.dtype), to - from);
  }
}
