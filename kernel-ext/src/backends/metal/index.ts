// Owns: the metal backend: batches on Apple's GPU through native code, and which programs it takes.
// Must not know: acquisitions, frames, kernels, why a chunk is damaged.
import { BackendError } from "../../errors";
import type { Program } from "../../filters/program";
import { type Addon, loadAddon } from "../addon";
import {
  type Backend,
  type Batch,
  type BatchStatus,
  type Control,
  OutputLostError,
  type OutputMemory,
} from "../backend";
import { chunkFormat } from "../cpu/format";
import { failure, formatOf } from "../cpu/native-batch";

/** Parts of the GPU's memory: a chunk takes one at most. Two pieces of each of two batches may be on it at once. */
const PART_OF_MEMORY = 4;

/**
 * The GPU of this machine, or one sentence (no full stop) that says why it is not used. The first call opens and tests
 * it, which takes about a second.
 *
 *     const metal = openMetalBackend();
 *     console.log("backend" in metal ? metal.backend.device : metal.reason);
 */
export function openMetalBackend(): { backend: Backend } | { reason: string } {
  const loaded = loadAddon();
  const here = `${process.platform}-${process.arch}`;
  if ("reason" in loaded) return { reason: `built without Metal (${here}): ${loaded.reason}` };
  const { addon } = loaded;
  const device = addon.metalDevice();
  if ("reason" in device) {
    return { reason: device.reason === "built without Metal" ? `${device.reason} (${here})` : device.reason };
  }
  const most = Math.floor(Math.min(device.maxBufferBytes, device.workingSetBytes) / PART_OF_MEMORY);
  return {
    backend: {
      name: "metal",
      device: `${device.name}, ${device.design}`,
      takesAhead: true,
      refuses: (program) => refusal(program, most),
      decode: (batch, output, control) => decode(addon, { batch, output, control }),
    },
  };
}

function refusal(program: Program, mostChunkBytes: number): string | null {
  const lowered = chunkFormat(program);
  if ("reason" in lowered) return lowered.reason;
  const { layout, filterElementBytes, swapBytes, chunkBytes } = lowered.format;
  if (layout !== "bitshuffle-lz4") return "the GPU decodes chunks of bitshuffle with LZ4 alone";
  if (filterElementBytes > 4) return "no kernel takes elements of 64 bits";
  if (swapBytes > 0) return "no kernel swaps the bytes of big-endian elements";
  if (chunkBytes > mostChunkBytes) {
    return `a chunk of ${chunkBytes} bytes is more than the ${mostChunkBytes} that this GPU takes`;
  }
  return null;
}

interface Work {
  readonly batch: Batch;
  readonly output: OutputMemory;
  readonly control: Control;
}

async function decode(addon: Addon, { batch, output, control }: Work): Promise<BatchStatus> {
  const format = formatOf(batch, "metal");
  const isa = addon.isas().find(({ supported }) => supported)?.name ?? "portable";
  const { fd, fileBytes, memory, count, address, storedBytes, filterMask, target } = batch;
  const { buffer, start, bytes } = output;
  const stored = { fd, fileBytes, memory, count, address, storedBytes, filterMask, target };
  try {
    return await addon.metalDecodeBatch({
      ...format,
      ...stored,
      isa,
      buffer,
      start,
      bytes,
      words: control.words,
    });
  } catch (cause) {
    if ((cause as { errno?: number }).errno !== undefined) throw failure(batch, cause);
    const Failure = (cause as { lost?: boolean }).lost ? OutputLostError : BackendError;
    throw new Failure(`The GPU did not decode ${batch.file}: ${(cause as Error).message}.`, {
      place: "metal",
      todo: 'Load again, or with backend: "cpu".',
      cause,
    });
  }
}
