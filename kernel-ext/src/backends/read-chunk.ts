// Owns: reading one stored chunk from an open file, whole or not at all.
// Must not know: what the bytes mean, acquisitions, frames.
import { readSync } from "node:fs";
import { BackendError } from "../errors";
import type { OutputMemory } from "./backend";

/**
 * Where a chunk lies: absolute byte offset and stored bytes, in a file of `fileBytes` bytes open as `fd`; or, where
 * `memory` is given, in that instead (`fileBytes` bytes long).
 */
export interface StoredChunk {
  readonly fd: number;
  readonly file: string;
  readonly fileBytes: number;
  readonly memory?: OutputMemory;
  readonly address: number;
  readonly bytes: number;
}

/** Node refuses single reads of 2 GiB and more. */
const LARGEST_READ = 2 ** 30;

/**
 * The stored bytes of a chunk, from a file in memory of their own, or null when the file does not hold them whole (it may
 * have been cut since it was opened). Nothing is allocated for a chunk that reaches past the end of the file.
 * @throws BackendError the system cannot read the file.
 */
export function readChunk(chunk: StoredChunk): Uint8Array | null {
  const { fd, file, fileBytes, memory, address, bytes } = chunk;
  const inside = address >= 0 && bytes >= 0 && bytes <= fileBytes - address;
  if (!inside || !Number.isSafeInteger(address) || !Number.isSafeInteger(bytes)) return null;
  if (memory) return new Uint8Array(memory.buffer, memory.start + address, bytes);
  try {
    const stored = new Uint8Array(bytes);
    for (let filled = 0; filled < bytes; ) {
      const got = readSync(fd, stored, filled, Math.min(bytes - filled, LARGEST_READ), address + filled);
      if (got === 0) return null;
      filled += got;
    }
    return stored;
  } catch (cause) {
    throw unreadable(file, { address, bytes }, cause);
  }
}

/** The error for stored bytes that the system does not read. */
export function unreadable(
  file: string,
  { address, bytes }: { readonly address: number; readonly bytes: number },
  cause: unknown,
): BackendError {
  return new BackendError(`${file} cannot be read: ${(cause as Error).message}.`, {
    place: file,
    expected: `${bytes} bytes at offset ${address}`,
    todo: "Check the disk or network share and load again.",
    cause,
  });
}
