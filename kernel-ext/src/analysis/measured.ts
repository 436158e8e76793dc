// Owns: which stored values are measurements, by element type: sentinels and non-finite numbers are not.
// Must not know: pixel masks, frames.
import { firstSentinel } from "../transform/element";
import type { Dtype } from "../types";

/** Values strictly between the two are measurements. */
export interface Measured {
  readonly above: number;
  readonly below: number;
}

/** The measurements of a dtype. Of floats: all that are finite. */
export function measuredValues(dtype: Dtype): Measured {
  return { above: Number.NEGATIVE_INFINITY, below: firstSentinel(dtype) };
}
