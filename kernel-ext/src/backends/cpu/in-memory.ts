// Owns: batches whose stored bytes are in memory, chunk by chunk through native code, on the main thread, in slices.
// Must not know: acquisitions, frames, why a chunk is damaged.
import type { Addon, ChunkFormat } from "../addon";
import {
  type Batch,
  type BatchStatus,
  CONTROL_CANCEL,
  CONTROL_CHUNKS_DONE,
  CONTROL_CHUNKS_REFUSED,
  type Control,
  type OutputMemory,
} from "../backend";
import { readChunk } from "../read-chunk";

/** Longest time without a turn of the event loop: progress displays and interrupts stay alive. */
const SLICE_MS = 15;

/** How chunks are stored, and the instruction set that decodes them. */
type NativeFormat = ChunkFormat & { readonly isa: string };

/** Decodes a batch that has `memory`. Bytes behind a chunk's data are not counted here (`trailing` is 0). */
export async function decodeInMemory(
  addon: Addon,
  format: NativeFormat,
  { batch, output, control }: { batch: Batch; output: OutputMemory; control: Control },
): Promise<BatchStatus> {
  const refused = new Uint8Array(Math.ceil(batch.count / 8));
  let anyRefused = false;
  const status = (state: BatchStatus["state"]): BatchStatus => ({
    state,
    refused: anyRefused ? refused : null,
    trailing: 0,
  });
  let sliceEnd = performance.now() + SLICE_MS;
  for (let i = 0; i < batch.count; i++) {
    if (performance.now() >= sliceEnd) {
      await new Promise<void>((resume) => setImmediate(resume));
      sliceEnd = performance.now() + SLICE_MS;
    }
    if (Atomics.load(control.words, CONTROL_CANCEL) !== 0) return status("cancelled");
    if (!decodeOne(addon, format, batch, output, i)) {
      refused[i >> 3]! |= 1 << (i & 7);
      anyRefused = true;
      Atomics.add(control.words, CONTROL_CHUNKS_REFUSED, 1);
    }
    Atomics.add(control.words, CONTROL_CHUNKS_DONE, 1);
  }
  return status("done");
}

/** False: the chunk is refused. @throws RangeError when its target lies outside the output. */
function decodeOne(
  addon: Addon,
  format: NativeFormat,
  batch: Batch,
  output: OutputMemory,
  i: number,
): boolean {
  const { fd, file, fileBytes, memory } = batch;
  const [address, bytes, target] = [batch.address[i]!, batch.storedBytes[i]!, batch.target[i]!];
  if (!(target >= 0 && format.chunkBytes <= output.bytes - target)) {
    throw new RangeError(`target of chunk ${i} lies outside the output`);
  }
  const stored = readChunk({ fd, file, fileBytes, memory, address, bytes });
  if (stored === null) return false;
  const out = new Uint8Array(output.buffer, output.start + target, format.chunkBytes);
  return addon.decodeChunk({ ...format, filterMask: batch.filterMask[i]!, stored, out }) === 0;
}
