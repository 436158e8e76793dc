// Owns: what `require("framelab")` gives.
// Must not know: anything else.
import { keepMessages } from "./display/sinks/kernel-care";

export type { ShowOptions } from "./display/show/options";
export * from "./errors";
export { load } from "./load";
export type { LoadOptions, OnDamage, OnMissing, StreamOptions, VerifyOptions } from "./options";
export { type Showable, show } from "./show";
export { type FrameBatch, forEachBatch, stream } from "./stream";
export type * from "./types";
export { verify } from "./verify";

keepMessages();
