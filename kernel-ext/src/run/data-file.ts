// Owns: opening one data file for positional reads, for as long as a piece of work needs it.
// Must not know: HDF5, chunks.
import { closeSync, fstatSync, openSync } from "node:fs";
import { MissingFileError } from "../errors";

/** An open data file; offsets and sizes are bytes. */
export interface DataFile {
  readonly path: string;
  readonly fd: number;
  readonly bytes: number;
}

/** Opens a file read-only (no lock), calls `work`, and closes it whatever happens. @throws MissingFileError. */
export async function withDataFile<T>(path: string, work: (file: DataFile) => T | Promise<T>): Promise<T> {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (cause) {
    throw new MissingFileError(`The data file ${path} cannot be opened any more.`, {
      place: path,
      got: (cause as NodeJS.ErrnoException).code,
      todo: "Check that it was not moved while it was read, and that it is readable.",
      cause,
    });
  }
  try {
    return await work({ path, fd, bytes: fstatSync(fd).size });
  } finally {
    closeSync(fd);
  }
}
