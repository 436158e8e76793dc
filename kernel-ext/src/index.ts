// Owns: what `require("framelab")` gives.
// Must not know: anything else.
export * from "./errors";
export type * from "./types";
