// Owns: opening one data file for positional reads, for as long as a piece of work needs it.
// Must not know: HDF5, what chunks hold.
import { closeSync } from "node:fs";
import type { OutputMemory } from "../backends/backend";
import { readChunk } from "../backends/read-chunk";
import type { ChunkJobs } from "../plan/jobs";
import { openAgain } from "../source/open-file";

/** An open data file; offsets and sizes are bytes. */
export interface DataFile {
  readonly path: string;
  /** -1 where all that is needed of the file is held. */
  readonly fd: number;
  readonly bytes: number;
  /** Its chunks in memory, instead of on disk. */
  readonly held?: HeldChunks;
}

/** Stored chunks of one dataset, in memory. */
export interface HeldChunks {
  readonly memory: OutputMemory;
  /** Entry c is the place in `memory` of chunk `first` + c; NaN = not held. */
  readonly first: number;
  readonly address: Float64Array;
}

/** Opens a file read-only (no lock), calls `work`, and closes it whatever happens. @throws MissingFileError. */
export async function withDataFile<T>(path: string, work: (file: DataFile) => T | Promise<T>): Promise<T> {
  const { fd, bytes } = openAgain(path);
  try {
    return await work({ path, fd, bytes });
  } finally {
    closeSync(fd);
  }
}

/** The stored bytes of job `j`, from memory where they are held; null when they are not there whole. @throws BackendError. */
export function storedChunk(file: DataFile, jobs: ChunkJobs, j: number): Uint8Array | null {
  const { fd, path, held } = file;
  const at = { fd, file: path, address: jobs.address[j]!, bytes: jobs.storedBytes[j]! };
  if (!held) return readChunk({ ...at, fileBytes: file.bytes });
  const address = held.address[jobs.chunk[j]! - held.first]!;
  return readChunk({ ...at, address, fileBytes: held.memory.bytes, memory: held.memory });
}
