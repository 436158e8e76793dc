// Owns: what the transforms need to know of an element type: its limits, its values for "no measurement".
// Must not know: frames, detectors, options.
import type { Dtype } from "../types";

/**
 * Sentinels: the largest and the second largest value of these types say "no measurement". 8-bit files use all their
 * values for counts.
 */
const LARGEST_SENTINEL: Readonly<Partial<Record<Dtype, number>>> = { u16: 2 ** 16 - 1, u32: 2 ** 32 - 1 };

/** The smaller sentinel of a dtype: it and everything above are flagged. Infinity where there is none. */
export function firstSentinel(dtype: Dtype): number {
  return (LARGEST_SENTINEL[dtype] ?? Number.POSITIVE_INFINITY) - 1;
}

/** Bounds of the values that a measurement can have in an integer type: bigints for 64 bits, numbers otherwise. */
export interface Limits {
  readonly lowest: number | bigint;
  readonly highest: number | bigint;
}

/** Limits of a type without its sentinels; null for floats. */
export function measurable(dtype: Dtype): Limits | null {
  if (dtype.startsWith("f")) return null;
  const bits = BigInt(dtype.slice(1));
  const signed = dtype.startsWith("i");
  const top = 2n ** (signed ? bits - 1n : bits);
  const sentinels = dtype in LARGEST_SENTINEL ? 2n : 0n;
  const lowest = signed ? -top : 0n;
  const highest = top - 1n - sentinels;
  return bits === 64n ? { lowest, highest } : { lowest: Number(lowest), highest: Number(highest) };
}
