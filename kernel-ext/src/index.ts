// Owns: what `require("framelab")` gives.
// Must not know: anything else.
import { keepMessages } from "./display/sinks/kernel-care";

export { annulus, type DetectorMask, disk, fromImage, type MaskImage } from "./analysis/masks";
export type { Reduced, Reduction, ReductionKind } from "./analysis/reduction";
export { type CheckOptions, check } from "./check";
export type { ShowOptions } from "./display/show/options";
export * from "./errors";
export { inspect } from "./inspect";
export type { InspectedFile, InspectedValue, Inspection } from "./inspection";
export { load } from "./load";
export type {
  EncodedOptions,
  InspectOptions,
  LoadedReduceOptions,
  LoadOptions,
  OnDamage,
  OnMissing,
  ReduceOptions,
  StreamOptions,
  VerifyOptions,
} from "./options";
export { type ReducedAs, reduce } from "./reduce";
export { centerOfMass, type Loaded, maxPattern, meanPattern, sumPattern, virtualImage } from "./reductions";
export { keepReleasedMemory } from "./run/output-memory";
export { type Showable, show } from "./show";
export { type FrameBatch, forEachBatch, stream } from "./stream";
export type * from "./types";
export { verify } from "./verify";

keepMessages();
