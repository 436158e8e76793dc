// Owns: what a filter is: an id, a name, and how its client data lowers to decoding steps.
// Must not know: which filters exist.
import type { Step } from "./program";

/** What a filter may know of its dataset while it lowers. */
export interface LowerContext {
  /** Position in the pipeline, counted from 0 as written: the bit of the chunk's filter mask. */
  readonly filter: number;
  /** Client data (cd_values) as stored. */
  readonly values: readonly number[];
  /** Bytes of one element of the dataset. */
  readonly elementBytes: number;
  /** Bytes that the filter was given when a chunk was written; null behind a compressing filter: they vary. */
  readonly inputBytes: number | null;
  /** Throws UnsupportedFilterError for this filter: `why` completes "… cannot be decoded: ". */
  refuse(why: string): never;
}

/** A filter that FrameLab decodes. */
export interface Filter {
  /** Registered HDF5 filter id. */
  readonly id: number;
  readonly name: string;
  /** Bytes that the filter adds to its input (what compression takes away is not counted). */
  readonly addedBytes: number;
  /** Steps in decoding order. */
  lower(context: LowerContext): Step[];
}

/** For filters whose steps must know their output's size beforehand: refuses where a compressing filter came first. */
export function knownInputBytes(context: LowerContext): number {
  return context.inputBytes ?? context.refuse("it was applied to data that another filter had compressed");
}
