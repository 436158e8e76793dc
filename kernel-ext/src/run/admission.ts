// Owns: how much memory a piece of work may take, and refusing it with both numbers before anything is allocated.
// Must not know: what the memory is for beyond its parts' names.
import { freemem, totalmem } from "node:os";
import { MemoryLimitError } from "../errors";

/** Bytes that this machine can give: what is available on Linux, 80 % of all memory elsewhere. */
export function availableMemory(): number {
  // Only Linux reports memory that can be reclaimed as free; elsewhere free pages say little.
  const free = process.platform === "linux" ? freemem() : totalmem() * 0.8;
  const limit = process.constrainedMemory() ?? 0;
  return limit > 0 && limit < free ? limit : free;
}

/** Throws when `parts` together need more than the limit (or than the machine has). @throws MemoryLimitError. */
export function admit(
  path: string,
  parts: Readonly<Record<string, number>>,
  limit: number | undefined,
): void {
  const needed = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
  const allowed = Math.min(limit ?? Number.POSITIVE_INFINITY, availableMemory());
  if (needed <= allowed) return;
  const list = Object.entries(parts)
    .filter(([, bytes]) => bytes > 0)
    .map(([name, bytes]) => `${name} ${gigabytes(bytes)}`)
    .join(", ");
  const whose = limit !== undefined && limit <= allowed ? "memoryLimit allows" : "this machine has available";
  throw new MemoryLimitError(
    `Loading ${path} needs ${gigabytes(needed)} of memory (${list}), but ${whose} ${gigabytes(allowed)}.`,
    {
      place: path,
      expected: `at most ${allowed} bytes`,
      got: `${needed} bytes`,
      todo: "Load a part with frames: { from, to } or scan: { rows, cols }.",
    },
  );
}

/** The error for an allocation that the system refused although it was admitted. */
export function allocationFailed(path: string, bytes: number, cause: unknown): MemoryLimitError {
  return new MemoryLimitError(`The system refused ${gigabytes(bytes)} of memory for ${path}.`, {
    place: path,
    got: `${bytes} bytes`,
    todo: "Load a part with frames: { from, to } or scan: { rows, cols }.",
    cause,
  });
}

function gigabytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(bytes >= 1e11 ? 0 : 2)} GB`;
  return `${(bytes / 1e6).toFixed(bytes >= 1e7 ? 0 : 2)} MB`;
}
