// Owns: what `require("framelab")` gives.
// Must not know: anything else.
export * from "./errors";
export { load } from "./load";
export type { LoadOptions, OnDamage, OnMissing } from "./options";
export type * from "./types";
