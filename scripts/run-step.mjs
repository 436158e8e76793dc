// Owns: running one command of a script in the repository root, loudly when it fails; and what "up to date" means.
// Must not know: which steps there are.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute path of the repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * Runs a program with its output passed through and ends this process with its exit status when it fails.
 * `note` is printed before it, so that a long step says what it is.
 */
export function step(note, program, args, options = {}) {
  if (note) console.log(note);
  const { status, signal, error } = spawnSync(program, args, { cwd: root, stdio: "inherit", ...options });
  if (error) throw error;
  if (status === 0) return;
  console.error(`${[program, ...args].join(" ")} ended with ${signal ?? `status ${status}`}.`);
  process.exit(status || 1);
}

/** The same for a Node program. */
export function nodeStep(note, args, options) {
  step(note, process.execPath, args, options);
}

/** True when every output exists and none is older than any input. */
export function isNewer(outputs, inputs) {
  if (!outputs.every((file) => existsSync(file))) return false;
  const oldest = Math.min(...outputs.map((file) => statSync(file).mtimeMs));
  return inputs.every((file) => statSync(file).mtimeMs <= oldest);
}
