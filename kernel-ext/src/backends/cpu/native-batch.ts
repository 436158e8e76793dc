// Owns: what every batch needs before and after native code: its format, and the error that it ends with.
// Must not know: what is done with decoded chunks.
import { BackendError } from "../../errors";
import type { BackendName } from "../../types";
import type { ChunkFormat } from "../addon";
import type { Batch } from "../backend";
import { chunkFormat } from "./format";

/** @throws BackendError of `backend` for a program that native code does not run. */
export function formatOf(
  { program, file }: Pick<Batch, "program" | "file">,
  backend: BackendName,
): ChunkFormat {
  const lowered = chunkFormat(program);
  if ("format" in lowered) return lowered.format;
  throw new BackendError(`The ${backend} backend cannot decode ${file}: ${lowered.reason}.`, {
    place: backend,
  });
}

/** A number is the system's: the file cannot be read, or memory is lacking. Anything else is a wrong argument. */
export function failure({ file }: Pick<Batch, "file">, cause: unknown): BackendError {
  const { message, errno } = cause as { message: string; errno?: number };
  if (errno === undefined) {
    return new BackendError(`The cpu backend refuses a batch of ${file}: ${message}.`, {
      place: "cpu",
      cause,
    });
  }
  return new BackendError(`${file} cannot be read: ${message}.`, {
    place: file,
    todo: "Check the disk or network share, and the free memory, and load again.",
    cause,
  });
}
