// Owns: notebooks/node_modules/framelab, the link by which notebooks of this repository find the package.
// Must not know: the notebooks.
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-step.mjs";

/** Makes the link, or mends one that leads elsewhere. On Windows a junction, which needs no rights. */
export function linkNotebooks() {
  const folder = join(root, "notebooks", "node_modules");
  const link = join(folder, "framelab");
  if (existsSync(link) && realpathSync(link) === realpathSync(root)) return;
  mkdirSync(folder, { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link, { recursive: true });
  symlinkSync(root, link, process.platform === "win32" ? "junction" : "dir");
}
