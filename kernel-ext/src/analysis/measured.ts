// Owns: which stored values are measurements, by element type: sentinels and non-finite numbers are not.
// Must not know: pixel masks, frames.
import type { Dtype } from "../types";

/** Values strictly between the two are measurements. */
export interface Measured {
  readonly above: number;
  readonly below: number;
}

/** The lower of the two values that detectors write for "no measurement". 8-bit types have none to spare. */
const SENTINELS: Readonly<Partial<Record<Dtype, number>>> = { u16: 2 ** 16 - 2, u32: 2 ** 32 - 2 };

/** The measurements of a dtype. Of floats: all that are finite. */
export function measuredValues(dtype: Dtype): Measured {
  return { above: Number.NEGATIVE_INFINITY, below: SENTINELS[dtype] ?? Number.POSITIVE_INFINITY };
}
