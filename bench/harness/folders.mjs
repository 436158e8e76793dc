// Owns: where the bench keeps what it makes: under build/bench, never in the repository.
// Must not know: what is kept.
import { join } from "node:path";
import { root } from "../../scripts/run-step.mjs";

/** Absolute path below build/bench. */
export function buildFolder(...parts) {
  return join(root, "build", "bench", ...parts);
}
