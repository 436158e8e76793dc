// Owns: what `require("framelab")` gives.
// Must not know: anything else.
import { keepMessages } from "./display/sinks/kernel-care";

export type { ShowOptions } from "./display/show/options";
export * from "./errors";
export { load } from "./load";
export type { LoadOptions, OnDamage, OnMissing } from "./options";
export { type Showable, show } from "./show";
export type * from "./types";

keepMessages();
