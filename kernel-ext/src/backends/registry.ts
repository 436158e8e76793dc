// Owns: the list of backends and which of them a load may use, in which order, and why not the others.
// Must not know: acquisitions, batches.
import { BackendUnavailableError } from "../errors";
import type { Program } from "../filters/program";
import type { BackendName } from "../types";
import type { Backend } from "./backend";
import { openCpuBackend } from "./cpu";
import { openMetalBackend } from "./metal";
import { referenceBackend } from "./reference";

/** A backend that runs here, or the reason why it does not. */
export type Opened = { readonly backend: Backend } | { readonly reason: string };

/** Backends from the fastest to the one that runs everywhere. */
export const BACKENDS: readonly { readonly name: BackendName; readonly open: () => Opened }[] = [
  { name: "metal", open: () => openMetalBackend() },
  { name: "cpu", open: () => openCpuBackend() },
  { name: "reference", open: () => ({ backend: referenceBackend() }) },
];

/** The backends that a load may use, best first, and what was passed over. */
export interface BackendChoice {
  readonly candidates: readonly Backend[];
  readonly why: string;
  readonly tried: readonly { readonly name: BackendName; readonly reason: string }[];
}

/**
 * Chooses backends for a program. By name: that one alone. `auto`: every one that runs here and takes the program.
 * @throws BackendUnavailableError when the named backend cannot run here or not this program.
 */
export function chooseBackends(asked: "auto" | BackendName, program: Program): BackendChoice {
  const tried: { name: BackendName; reason: string }[] = [];
  const candidates: Backend[] = [];
  for (const { name, open } of BACKENDS) {
    const opened = open();
    const reason = "reason" in opened ? opened.reason : opened.backend.refuses(program);
    if (reason !== null) tried.push({ name, reason });
    else if ("backend" in opened) candidates.push(opened.backend);
  }
  if (asked === "auto") {
    const why = tried.length === 0 ? "the fastest one" : "the fastest one that runs here";
    return { candidates, why, tried: tried.filter(({ name }) => name !== candidates[0].name) };
  }
  const named = candidates.find(({ name }) => name === asked);
  if (named) return { candidates: [named], why: "asked for by name", tried: [] };
  const reason = tried.find(({ name }) => name === asked)?.reason ?? "unknown";
  throw new BackendUnavailableError(
    asked,
    reason,
    candidates.map(({ name }) => name),
  );
}
