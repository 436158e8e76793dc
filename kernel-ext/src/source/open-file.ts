// Owns: opening a file that was looked at before: it may be gone, or something else stands in its place.
// Must not know: what is read from it.
import fs from "node:fs";
import { MissingFileError } from "../errors";

/** Without waiting: the open of a pipe waits for a writer, on the main thread, for ever. Windows has neither. */
export const READ_AT_ONCE: number = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

/** Opens a regular file for reading, without a lock; the caller closes it. `bytes` is its size. @throws MissingFileError. */
export function openAgain(file: string): { readonly fd: number; readonly bytes: number } {
  let fd: number | null = null;
  try {
    fd = fs.openSync(file, READ_AT_ONCE);
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return { fd, bytes: stat.size };
  } catch (cause) {
    if (fd !== null) fs.closeSync(fd);
    throw gone(file, (cause as NodeJS.ErrnoException).code ?? "unknown", cause);
  }
  fs.closeSync(fd);
  throw gone(file, "no regular file any more");
}

/** The error for a file that was there a moment ago. */
export function gone(file: string, got: string, cause?: unknown): MissingFileError {
  return new MissingFileError(`The file ${file} cannot be opened any more (${got}).`, {
    place: file,
    got,
    todo: "It was there a moment ago. Check that it is not moved or replaced while it is read, and the disk or network share.",
    cause,
  });
}
