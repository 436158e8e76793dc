// Owns: the reference backend: batches through the judge, on the main thread, in slices.
// Must not know: acquisitions, frames, why a chunk is damaged.
import { BackendError } from "../../errors";
import type { Program } from "../../filters/program";
import type { Note } from "../../types";
import type { Backend, Batch, BatchStatus, Control, OutputMemory } from "../backend";
import { type ChunkVerdict, decodeEach, storedChunk } from "../chunk-loop";
import { decodeChunk } from "./decode-chunk";

/** TypeScript, needs no binary, runs every program, and is the judge of the other backends. */
export function referenceBackend(): Backend {
  return { name: "reference", device: "TypeScript", refuses: () => null, decode };
}

function decode(batch: Batch, output: OutputMemory, control: Control): Promise<BatchStatus> {
  return decodeEach(batch, control, (i) =>
    decodeOne(batch, i, targetBytes(batch.program, batch.target[i]!, output)),
  );
}

function decodeOne(batch: Batch, i: number, target: Uint8Array): ChunkVerdict {
  const stored = storedChunk(batch, i);
  if (!stored) return "refused";
  const notes: Note[] = [];
  const damage = decodeChunk(batch.program, stored, batch.filterMask[i]!, target, notes);
  if (damage.length > 0) return "refused";
  return notes.length > 0 ? "trailing" : "accepted";
}

/** The bytes that one chunk may write. */
function targetBytes({ chunkBytes }: Program, target: number, output: OutputMemory): Uint8Array {
  if (!(target >= 0 && chunkBytes <= output.bytes - target)) {
    throw new BackendError(`A chunk of ${chunkBytes} bytes at ${target} does not fit its output.`, {
      place: "reference",
      expected: `at most ${output.bytes} bytes`,
      got: `${target + chunkBytes}`,
    });
  }
  return new Uint8Array(output.buffer, output.start + target, chunkBytes);
}
