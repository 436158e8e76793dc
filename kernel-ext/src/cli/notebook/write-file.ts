// Owns: writing a text file whole or not at all, and saying beforehand whether that will work.
// Must not know: what the text says.
import { randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** Writes a text file whole or not at all: another name first, then a rename. Follows links, keeps the mode. */
export function writeAtOnce(path: string, text: string): void {
  const { target, mode } = place(path);
  const draft = draftOf(target);
  try {
    writeFileSync(draft, text, { mode, flush: true, flag: "wx" } as Parameters<typeof writeFileSync>[2]);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Makes the folder of a file, and sees whether the file can be written there. @throws Error with the reason. */
export function prepareToWrite(path: string): void {
  makeFolder(dirname(path));
  const draft = draftOf(place(path).target);
  try {
    writeFileSync(draft, "", { flag: "wx" });
  } finally {
    rmSync(draft, { force: true });
  }
}

const draftOf = (target: string): string => `${target}.${randomBytes(4).toString("hex")}.tmp`;

/** The file behind links, and its mode. @throws Error for what is there and no file that may be written. */
function place(path: string): { readonly target: string; readonly mode: number } {
  if (path === "") throw new Error("it has no name");
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { target: path, mode: 0o666 };
  if (stat.isDirectory()) throw new Error("it is a folder");
  if (!stat.isFile()) throw new Error("it is not a regular file");
  // A rename would replace a file that is read-only.
  accessSync(path, constants.W_OK);
  return { target: realpathSync(path), mode: stat.mode & 0o777 };
}

/** Folder by folder: where a file system takes no folders (/proc), Node's own recursion never ends. */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process was faster.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
