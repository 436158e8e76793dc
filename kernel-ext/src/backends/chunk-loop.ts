// Owns: a batch chunk by chunk on the main thread: cancel, counters, refused bits, turns of the event loop.
// Must not know: how a chunk is decoded.
import {
  type Batch,
  type BatchStatus,
  CONTROL_CANCEL,
  CONTROL_CHUNKS_DONE,
  CONTROL_CHUNKS_REFUSED,
  type Control,
} from "./backend";
import { readChunk } from "./read-chunk";
import { Turns } from "./turns";

/** What became of a chunk; `trailing`: accepted, with stored bytes that nothing needs. */
export type ChunkVerdict = "accepted" | "trailing" | "refused";

/** The stored bytes of chunk `i`, from memory or from the file; null where they are not there whole. */
export function storedChunk(batch: Batch, i: number): Uint8Array | null {
  const { fd, file, fileBytes, memory } = batch;
  return readChunk({ fd, file, fileBytes, memory, address: batch.address[i]!, bytes: batch.storedBytes[i]! });
}

/** Decodes the chunks of a batch by `decodeOne`, one after the other. */
export async function decodeEach(
  { count }: Batch,
  { words }: Control,
  decodeOne: (i: number) => ChunkVerdict,
): Promise<BatchStatus> {
  const refused = new Uint8Array(Math.ceil(count / 8));
  let anyRefused = false;
  let trailing = 0;
  const status = (state: BatchStatus["state"]): BatchStatus => {
    return { state, refused: anyRefused ? refused : null, trailing };
  };
  const turns = new Turns();
  for (let i = 0; i < count; i++) {
    if (turns.due) await turns.take();
    if (Atomics.load(words, CONTROL_CANCEL) !== 0) return status("cancelled");
    const verdict = decodeOne(i);
    if (verdict === "trailing") trailing += 1;
    if (verdict === "refused") {
      refused[i >> 3]! |= 1 << (i & 7);
      anyRefused = true;
      Atomics.add(words, CONTROL_CHUNKS_REFUSED, 1);
    }
    Atomics.add(words, CONTROL_CHUNKS_DONE, 1);
  }
  return status("done");
}
