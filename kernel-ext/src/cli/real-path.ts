// Owns: what a path names, whatever links lead to it: one file has one real path.
// Must not know: what the file is for.
import { realpathSync } from "node:fs";
import { resolve } from "node:path";

/** Behind links where it is there, else as it is written, absolute. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
