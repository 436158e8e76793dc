// Owns: a Python venv that holds what a requirements file names, made anew only when that file has changed.
// Must not know: which packages, and for what.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, step } from "./run-step.mjs";

const windows = process.platform === "win32";

/** Makes the venv in `folder` for `requirements` (both relative to the repository); gives the path of its Python. */
export function ensureVenv(folder, requirements) {
  const venv = join(root, folder);
  const python = join(venv, ...(windows ? ["Scripts", "python.exe"] : ["bin", "python"]));
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, requirements)))
    .digest("hex");
  const stamp = join(venv, ".requirements");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return python;
  step(`Making ${folder}`, windows ? "python" : "python3", ["-m", "venv", "--clear", folder]);
  step("", python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]);
  writeFileSync(stamp, wanted);
  return python;
}
