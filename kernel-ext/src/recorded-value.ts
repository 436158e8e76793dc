// Owns: how a value of a notebook is written down to be compared later: JSON, arrays by shape, type and digest.
// Must not know: how it is shown, compared or stored.
import { createHash } from "node:crypto";
import { OptionError } from "./errors";
import { emptyPixels } from "./pixel-arrays";
import type { Dtype, PixelArray } from "./types";

/** Mime type under which a notebook keeps a checked value: a `CheckedValue`. */
export const CHECK_MIME = "application/vnd.framelab.check+json";

/** What `check` leaves in a notebook. */
export interface CheckedValue {
  readonly name: string;
  readonly value: RecordedValue;
  /** Largest absolute difference of numbers that still counts as equal; absent: none. */
  readonly tolerance?: number;
}

/**
 * A value as JSON. What JSON cannot say stands in an object with one key: `{ $number: "NaN" }`, `{ $bigint: "7" }`,
 * `{ $array: RecordedArray }`. A user's key that begins with `$` gets one more.
 */
export type RecordedValue =
  | null
  | boolean
  | number
  | string
  | readonly RecordedValue[]
  | { readonly [key: string]: RecordedValue };

/** An ndarray or typed array. */
export interface RecordedArray {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** SHA-256 of the elements in row-major order, little-endian; every NaN is one NaN, -0 is 0. */
  readonly sha256: string;
  /** The elements in row-major order, where there are few or a tolerance asks for them; odd ones as text. */
  readonly elements?: readonly (number | string)[];
}

/** Arrays up to this many elements keep them, so that a difference can be read. */
const SHORT = 64;
/** With a tolerance every element is kept: a notebook holds so many at most. */
const MOST_ELEMENTS = 100_000;
/** Values inside of one object, and how deep they stand: a circle ends here. */
const MOST_VALUES = 100_000;
const DEEPEST = 64;
/** Elements that are hashed at once. */
const BATCH = 65_536;

const DTYPES: Readonly<Record<string, Dtype>> = {
  Uint8Array: "u8",
  Uint8ClampedArray: "u8",
  Uint16Array: "u16",
  Uint32Array: "u32",
  BigUint64Array: "u64",
  Int8Array: "i8",
  Int16Array: "i16",
  Int32Array: "i32",
  BigInt64Array: "i64",
  Float32Array: "f32",
  Float64Array: "f64",
};

type Element = number | bigint;

/** An n-dimensional array as it lies in memory. */
interface Strided {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  readonly offset: number;
  readonly at: (index: number) => Element | undefined;
}

/** Writes a value down. @throws OptionError that names the part of the value that cannot be written down. */
export function recordValue(value: unknown, withElements: boolean): RecordedValue {
  let left = MOST_VALUES;
  const record = (part: unknown, place: string, depth: number): RecordedValue => {
    left -= 1;
    if (left < 0) refuse("value", `more than ${MOST_VALUES} values`);
    if (depth > DEEPEST) refuse("value", `values nested deeper than ${DEEPEST}, or a circle`);
    if (part === null || typeof part === "boolean" || typeof part === "string") return part;
    if (typeof part === "number") return Number.isFinite(part) ? part + 0 : { $number: String(part) };
    if (typeof part === "bigint") return { $bigint: String(part) };
    if (typeof part !== "object") refuse(place, typeof part);
    const object = part as Record<string, unknown>;
    const array = strided(object);
    if (array !== null)
      return { $array: recordArray(array, withElements, place) as unknown as RecordedValue };
    if (Array.isArray(part)) {
      return Array.from(part, (one, index) => record(one, `${place}[${index}]`, depth + 1));
    }
    const base = Object.getPrototypeOf(part);
    if (base !== null && Object.getPrototypeOf(base) !== null) {
      refuse(
        place,
        typeof object.then === "function" ? "a promise; await it first" : `a ${base.constructor?.name}`,
      );
    }
    const entries = Object.entries(part).map(([key, one]) => [
      key.startsWith("$") ? `$${key}` : key,
      record(one, `${place}.${key}`, depth + 1),
    ]);
    return Object.fromEntries(entries);
  };
  return record(value, "value", 0);
}

/** The array, as it lies in memory, that a typed array or an ndarray is; null for anything else. */
function strided(value: Record<string, unknown>): Strided | null {
  const own = typedArray(value);
  if (own !== null) return { ...own, shape: [own.length], stride: [1], offset: 0 };
  const { shape, stride, offset, data, get, pixelType } = value as {
    readonly shape?: readonly number[];
    readonly stride?: readonly number[];
    readonly offset?: number;
    readonly data?: Record<string, unknown> & { get?: (index: number) => Element };
    readonly get?: unknown;
    readonly pixelType?: Dtype;
  };
  if (!Array.isArray(shape) || !Array.isArray(stride) || typeof get !== "function" || !data) return null;
  const place = { shape, stride, offset: offset ?? 0 };
  const typed = typedArray(data);
  if (typed !== null) return { ...place, ...typed };
  // More than 2^32 elements: a store that is read element by element; or a plain list of numbers.
  const dtype = pixelType ?? "f64";
  const { get: read } = data;
  if (typeof read === "function") return { ...place, dtype, at: (index) => read.call(data, index) };
  return { ...place, dtype, at: (index) => (data as unknown as readonly Element[])[index] };
}

function typedArray(value: unknown): (Pick<Strided, "dtype" | "at"> & { readonly length: number }) | null {
  const dtype = ArrayBuffer.isView(value)
    ? DTYPES[Object.prototype.toString.call(value).slice(8, -1)]
    : undefined;
  if (dtype === undefined) return null;
  const elements = value as unknown as PixelArray;
  return { dtype, at: (index) => elements[index], length: elements.length };
}

function recordArray(array: Strided, withElements: boolean, place: string): RecordedArray {
  const { dtype, shape } = array;
  const kind = dtype === "u64" || dtype === "i64" ? "bigint" : "number";
  if (!isLayout(array)) refuse(place, "an array whose shape, strides or element type are none");
  const size = shape.reduce((product, length) => product * length, 1);
  if (withElements && size > MOST_ELEMENTS) {
    const todo = "Check it without a tolerance, by its digest, or check a part or a sum of it.";
    throw new OptionError(
      `check compares up to ${MOST_ELEMENTS} elements with a tolerance, but got ${size}.`,
      {
        ...{ place, expected: `at most ${MOST_ELEMENTS}`, got: String(size), todo },
      },
    );
  }
  const hash = createHash("sha256");
  const batch = emptyPixels(dtype, Math.min(BATCH, size));
  const bytes = new Uint8Array(batch.buffer);
  const elements: (number | string)[] | null = withElements || size <= SHORT ? [] : null;
  let filled = 0;
  const flush = (): void => {
    hash.update(bytes.subarray(0, filled * batch.BYTES_PER_ELEMENT));
    filled = 0;
  };
  for (const { start, length, step } of rows(array)) {
    for (let i = 0; i < length; i += 1) {
      const element = array.at(start + i * step);
      if (element === undefined)
        refuse(place, "an array whose memory was released, or is shorter than its shape");
      // A list of texts, say: it would be NaN, element by element, and equal to any other.
      if (typeof element !== kind) refuse(place, `an array of ${dtype} that holds a ${typeof element}`);
      const plain = typeof element === "bigint" ? element : Number.isNaN(element) ? Number.NaN : element + 0;
      (batch as { [index: number]: Element })[filled] = plain;
      filled += 1;
      elements?.push(typeof plain === "number" && Number.isFinite(plain) ? plain : String(plain));
      if (filled === batch.length) flush();
    }
  }
  flush();
  return { dtype, shape: [...shape], sha256: hash.digest("hex"), ...(elements === null ? {} : { elements }) };
}

/** An ndarray is any object of its form, and may hold anything in its fields. */
function isLayout({ dtype, shape, stride, offset }: Strided): boolean {
  const isLength = (length: unknown): boolean => Number.isSafeInteger(length) && (length as number) >= 0;
  return (
    Object.values(DTYPES).includes(dtype) &&
    shape.every(isLength) &&
    stride.length === shape.length &&
    [...stride, offset].every(Number.isSafeInteger)
  );
}

/** The rows along the last axis, in row-major order. */
function* rows({
  shape,
  stride,
  offset,
}: Strided): Generator<{ start: number; length: number; step: number }> {
  if (shape.includes(0)) return;
  const outer = shape.slice(0, -1);
  const last = { length: shape.at(-1) ?? 1, step: stride[shape.length - 1] ?? 1 };
  const index = outer.map(() => 0);
  for (;;) {
    yield { start: index.reduce((sum, i, axis) => sum + i * stride[axis]!, offset), ...last };
    let axis = outer.length - 1;
    while (axis >= 0 && index[axis]! === outer[axis]! - 1) {
      index[axis] = 0;
      axis -= 1;
    }
    if (axis < 0) return;
    index[axis]! += 1;
  }
}

/** A recorded value as one short line. */
export function recordedText(value: RecordedValue): string {
  const text = JSON.stringify(value, (_, part) => shorthand(part)).replace(/"«(.*?)»"/g, "$1");
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}

function shorthand(part: unknown): unknown {
  const { $array, $number, $bigint } = (part ?? {}) as { readonly [key: string]: unknown };
  if (typeof $number === "string") return `«${$number}»`;
  if (typeof $bigint === "string") return `«${$bigint}n»`;
  if (!isRecordedArray($array)) return part;
  return `«${$array.dtype} [${$array.shape.join(", ")}] sha256 ${$array.sha256.slice(0, 12)}»`;
}

/** An array as `recordValue` writes it down; a file may hold anything. */
export function isRecordedArray(value: unknown): value is RecordedArray {
  const { dtype, shape, sha256, elements = [] } = (value ?? {}) as Partial<RecordedArray>;
  const isElement = (one: unknown) => typeof one === "number" || typeof one === "string";
  return (
    typeof dtype === "string" &&
    typeof sha256 === "string" &&
    Array.isArray(shape) &&
    shape.every((length) => typeof length === "number") &&
    Array.isArray(elements) &&
    elements.every(isElement)
  );
}

function refuse(place: string, got: string): never {
  const expected =
    "numbers, strings, booleans, null, bigints, ndarrays, typed arrays, lists and plain objects of these";
  throw new OptionError(`check takes ${expected}, but ${place} is ${got}.`, { place, expected, got });
}
