// Owns: the cpu backend: batches through native code, on a thread pool that all loads of the process share.
// Must not know: acquisitions, frames, why a chunk is damaged.
import { availableParallelism } from "node:os";
import type { Program } from "../../filters/program";
import { type Addon, loadAddon } from "../addon";
import type { Backend, Batch, BatchStatus, Control, OutputMemory } from "../backend";
import { chunkFormat } from "./format";
import { failure, formatOf } from "./native-batch";
import { frameAdder } from "./sums";

/** Choices that tests and benchmarks make; a load takes the defaults. */
export interface CpuOptions {
  /** Threads that work on one batch, 1 to 256. Default: one for each processor that this process may use. */
  readonly threads?: number;
  /** Name of an instruction set (`avx512`, `avx2`, `sse2`, …). Default: the fastest that the processor runs. */
  readonly isa?: string;
}

const MOST_THREADS = 256;

/**
 * The native backend of this machine, or one sentence (no full stop) that says why there is none.
 *
 *     const cpu = openCpuBackend({ threads: 2 });
 *     if ("backend" in cpu) console.log(cpu.backend.device); // 2 threads, AVX-512 VBMI + GFNI
 */
export function openCpuBackend(options: CpuOptions = {}): { backend: Backend } | { reason: string } {
  const loaded = loadAddon();
  if ("reason" in loaded) return loaded;
  const { addon } = loaded;
  const threads = options.threads ?? Math.min(availableParallelism(), MOST_THREADS);
  if (!Number.isInteger(threads) || threads < 1 || threads > MOST_THREADS) {
    return { reason: `${threads} threads were asked for, 1 to ${MOST_THREADS} are possible` };
  }
  const isas = addon.isas().filter((isa) => isa.supported);
  const chosen = options.isa === undefined ? isas[0] : isas.find((isa) => isa.name === options.isa);
  if (!chosen) {
    const here = isas.map((isa) => isa.name).join(", ");
    return { reason: `the instruction set ${options.isa} does not run here; ${here} do` };
  }
  return {
    backend: {
      name: "cpu",
      device: `${threads} ${threads === 1 ? "thread" : "threads"}, ${chosen.text}`,
      takesAhead: true,
      refuses: (program) => refusal(program),
      decode: (batch, output, control) =>
        decode(addon, { isa: chosen.name, threads }, { batch, output, control }),
      sums: frameAdder(addon, { isa: chosen.name, threads }),
    },
  };
}

function refusal(program: Program): string | null {
  const lowered = chunkFormat(program);
  return "reason" in lowered ? lowered.reason : null;
}

interface Work {
  readonly batch: Batch;
  readonly output: OutputMemory;
  readonly control: Control;
}

async function decode(
  addon: Addon,
  how: { isa: string; threads: number },
  { batch, output, control }: Work,
): Promise<BatchStatus> {
  const format = formatOf(batch, "cpu");
  const { fd, fileBytes, memory, count, address, storedBytes, filterMask, target } = batch;
  const { buffer, start, bytes } = output;
  const stored = { fd, fileBytes, memory, count, address, storedBytes, filterMask, target };
  const into = { buffer, start, bytes, words: control.words };
  try {
    return await addon.decodeBatch({ ...format, ...how, ...stored, ...into });
  } catch (cause) {
    throw failure(batch, cause);
  }
}
