// Owns: batches whose stored bytes are in memory, chunk by chunk through native code, on the main thread, in slices.
// Must not know: acquisitions, frames, why a chunk is damaged.
import type { Addon, ChunkFormat } from "../addon";
import type { Batch, BatchStatus, Control, OutputMemory } from "../backend";
import { type ChunkVerdict, decodeEach, storedChunk } from "../chunk-loop";

/** How chunks are stored, and the instruction set that decodes them. */
type NativeFormat = ChunkFormat & { readonly isa: string };

/** Decodes a batch that has `memory`. Bytes behind a chunk's data are not counted here (`trailing` is 0). */
export function decodeInMemory(
  addon: Addon,
  format: NativeFormat,
  { batch, output, control }: { batch: Batch; output: OutputMemory; control: Control },
): Promise<BatchStatus> {
  return decodeEach(batch, control, (i) => decodeOne(addon, format, batch, output, i));
}

/** @throws RangeError when the target of the chunk lies outside the output. */
function decodeOne(
  addon: Addon,
  format: NativeFormat,
  batch: Batch,
  output: OutputMemory,
  i: number,
): ChunkVerdict {
  const target = batch.target[i]!;
  if (!(target >= 0 && format.chunkBytes <= output.bytes - target)) {
    throw new RangeError(`target of chunk ${i} lies outside the output`);
  }
  const stored = storedChunk(batch, i);
  if (stored === null) return "refused";
  const out = new Uint8Array(output.buffer, output.start + target, format.chunkBytes);
  const reason = addon.decodeChunk({ ...format, filterMask: batch.filterMask[i]!, stored, out });
  return reason === 0 ? "accepted" : "refused";
}
