// Owns: whether two recorded values are equal, exactly or within a tolerance, and the words for where they are not.
// Must not know: notebooks, where the values come from.
import { isRecordedArray, type RecordedArray, type RecordedValue, recordedText } from "../../recorded-value";
import type { NamedValue } from "./observed";

/** Differences of one value that are listed. */
const LISTED = 5;

/** One line for each place where the values differ: `.sum: expected 12, got 13`; empty when they are equal. */
export function valueDifferences(expected: NamedValue, got: NamedValue): string[] {
  const found: string[] = [];
  compare(expected.value, got.value, got.tolerance ?? 0, "", found);
  if (found.length <= LISTED) return found;
  return [...found.slice(0, LISTED), `… and ${found.length - LISTED} more places`];
}

function compare(
  a: RecordedValue,
  b: RecordedValue,
  tolerance: number,
  place: string,
  found: string[],
): void {
  const differ = (what = ""): void => {
    const at = place === "" ? "" : `${place}: `;
    found.push(`${at}expected ${recordedText(a)}, got ${recordedText(b)}${what}`);
  };
  const arrays = [arrayOf(a), arrayOf(b)] as const;
  if (arrays[0] !== null && arrays[1] !== null) {
    const why = arrayDifference(arrays[0], arrays[1], tolerance);
    if (why !== null) found.push(`${place === "" ? "" : `${place}: `}${why}`);
    return;
  }
  const numbers = [scalar(a), scalar(b)] as const;
  if (numbers[0] !== null && numbers[1] !== null) {
    if (typeof a !== typeof b || !close(numbers[0], numbers[1], tolerance)) differ();
    return;
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    if (a !== b) differ();
    return;
  }
  if (Array.isArray(a) !== Array.isArray(b)) {
    differ();
    return;
  }
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const [one, other] = [left.get(key), right.get(key)];
    const inner = Array.isArray(a) ? `${place}[${key}]` : `${place}.${key.replace(/^\$/, "")}`;
    if (one === undefined) found.push(`${inner}: not expected, got ${recordedText(other!)}`);
    else if (other === undefined) found.push(`${inner}: expected ${recordedText(one)}, got nothing`);
    else compare(one, other, tolerance, inner, found);
  }
}

/** A number or bigint as written down, or null for anything else. */
function scalar(value: RecordedValue): number | bigint | null {
  if (typeof value === "number") return value;
  const { $number, $bigint } = (value ?? {}) as { readonly [key: string]: RecordedValue };
  if (typeof $bigint === "string" && /^-?\d+$/.test($bigint)) return BigInt($bigint);
  return typeof $number === "string" ? Number($number) : null;
}

function arrayOf(value: RecordedValue): RecordedArray | null {
  const { $array } = (value ?? {}) as { readonly [key: string]: unknown };
  return isRecordedArray($array) ? $array : null;
}

function close(a: number | bigint, b: number | bigint, tolerance: number): boolean {
  if (typeof a === "bigint" || typeof b === "bigint") {
    if (typeof a !== typeof b) return false;
    const [x, y] = [BigInt(a), BigInt(b)];
    return Number(x > y ? x - y : y - x) <= tolerance;
  }
  if (Object.is(a, b) || a === b) return true;
  return Math.abs(a - b) <= tolerance;
}

function arrayDifference(a: RecordedArray, b: RecordedArray, tolerance: number): string | null {
  const form = (array: RecordedArray): string => `${array.dtype} [${array.shape.join(", ")}]`;
  if (form(a) !== form(b)) return `expected ${form(a)}, got ${form(b)}`;
  if (a.sha256 === b.sha256) return null;
  if (a.elements === undefined || b.elements === undefined) {
    if (tolerance > 0) return `${form(a)}: recorded without a tolerance; --update records its elements`;
    return `${form(a)}: other elements (sha256 ${a.sha256.slice(0, 12)} expected, got ${b.sha256.slice(0, 12)})`;
  }
  const apart = b.elements.flatMap((element, i) => {
    const was = a.elements![i];
    return was !== undefined && close(elementOf(was, a), elementOf(element, b), tolerance) ? [] : [i];
  });
  if (apart.length === 0) return null;
  const first = apart[0]!;
  const at = indexOf(first, a.shape).join(", ");
  const limit = tolerance > 0 ? ` by more than ${tolerance}` : "";
  const count = `${apart.length} of ${b.elements.length} elements differ${limit}`;
  return `${form(a)}: ${count}, the first at [${at}]: expected ${a.elements[first]}, got ${b.elements[first]}`;
}

function elementOf(text: number | string, { dtype }: RecordedArray): number | bigint {
  const whole = (dtype === "u64" || dtype === "i64") && /^-?\d+$/.test(String(text));
  return whole ? BigInt(text) : Number(text);
}

/** Index along each axis of the i-th element in row-major order. */
function indexOf(i: number, shape: readonly number[]): number[] {
  let rest = i;
  const index: number[] = [];
  for (const length of [...shape].reverse()) {
    index.unshift(rest % length);
    rest = Math.floor(rest / length);
  }
  return index;
}
