// Owns: the reference backend: batches through the judge, on the main thread, in slices.
// Must not know: acquisitions, frames, why a chunk is damaged.
import { BackendError } from "../../errors";
import type { Program } from "../../filters/program";
import type { Note } from "../../types";
import {
  type Backend,
  type Batch,
  type BatchStatus,
  CONTROL_CANCEL,
  CONTROL_CHUNKS_DONE,
  CONTROL_CHUNKS_REFUSED,
  type Control,
  type OutputMemory,
} from "../backend";
import { readChunk } from "../read-chunk";
import { decodeChunk } from "./decode-chunk";

/** Longest time without a turn of the event loop: progress displays and interrupts stay alive. */
const SLICE_MS = 15;

/** TypeScript, needs no binary, runs every program, and is the judge of the other backends. */
export function referenceBackend(): Backend {
  return { name: "reference", device: "TypeScript", refuses: () => null, decode };
}

async function decode(batch: Batch, output: OutputMemory, control: Control): Promise<BatchStatus> {
  const refused = new Uint8Array(Math.ceil(batch.count / 8));
  let anyRefused = false;
  let trailing = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  for (let i = 0; i < batch.count; i++) {
    if (performance.now() >= sliceEnd) {
      await new Promise<void>((resume) => setImmediate(resume));
      sliceEnd = performance.now() + SLICE_MS;
    }
    if (Atomics.load(control.words, CONTROL_CANCEL) !== 0) {
      return { state: "cancelled", refused: anyRefused ? refused : null, trailing };
    }
    const notes: Note[] = [];
    const accepted = decodeOne(batch, i, targetBytes(batch.program, batch.target[i]!, output), notes);
    if (accepted && notes.length > 0) trailing += 1;
    if (!accepted) {
      refused[i >> 3]! |= 1 << (i & 7);
      anyRefused = true;
      Atomics.add(control.words, CONTROL_CHUNKS_REFUSED, 1);
    }
    Atomics.add(control.words, CONTROL_CHUNKS_DONE, 1);
  }
  return { state: "done", refused: anyRefused ? refused : null, trailing };
}

/** False: the chunk is refused. */
function decodeOne(batch: Batch, i: number, target: Uint8Array, notes: Note[]): boolean {
  const { fd, file, fileBytes, memory } = batch;
  const [address, bytes] = [batch.address[i]!, batch.storedBytes[i]!];
  const stored = readChunk({ fd, file, fileBytes, memory, address, bytes });
  if (!stored) return false;
  return decodeChunk(batch.program, stored, batch.filterMask[i]!, target, notes).length === 0;
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
