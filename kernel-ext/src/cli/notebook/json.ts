// Owns: JSON that others wrote: from a regular file, and nested no deeper than this program's own walks through it bear.
// Must not know: what the JSON says.
import { readFileSync, statSync } from "node:fs";

/** Lists and objects inside of each other; a notebook with plotly figures has about 20. */
export const DEEPEST_JSON = 500;

/** Text of a regular file: a pipe would wait for a writer, a device never end. @throws Error with the reason alone. */
export function fileText(path: string): string {
  const stat = statSync(path);
  if (stat.isDirectory()) throw new Error("it is a folder");
  if (!stat.isFile()) throw new Error("it is not a regular file");
  return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
}

/** The value of a JSON text. @throws Error with the reason alone. */
export function jsonValue(text: string): unknown {
  if (text.trim() === "") throw new Error("it is empty");
  const value: unknown = JSON.parse(text);
  if (isTooDeep(value)) throw new Error(`it is nested deeper than ${DEEPEST_JSON}`);
  return value;
}

/** Without recursion: what it looks for is what a recursion does not survive. */
function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST_JSON) return true;
    const inner: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      for (const part of Object.values(one)) if (typeof part === "object") inner.push(part);
    }
    level = inner;
  }
  return false;
}
