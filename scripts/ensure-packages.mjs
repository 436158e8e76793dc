// Owns: node_modules as package-lock.json says, installed only when it is not so already.
// Must not know: what is built from it.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, step } from "./run-step.mjs";

const stamp = join(root, "node_modules", ".framelab-lock");

/** Runs `npm ci` when node_modules is absent or was installed from another lock file or by another Node ABI. */
export function ensurePackages() {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const wanted = `${lock} ${process.platform}-${process.arch} ${process.versions.modules}\n`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  // On Windows npm is a batch file, which only a shell starts.
  step("Installing packages", "npm", ["ci", "--no-audit", "--no-fund"], {
    shell: process.platform === "win32",
  });
  writeFileSync(stamp, wanted);
}
