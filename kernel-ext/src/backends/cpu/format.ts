// Owns: which decode programs native code runs, and what they are called there.
// Must not know: batches, files, threads.
import type { Program, Step } from "../../filters/program";
import type { ChunkFormat } from "../addon";

/** A mask has 32 bits: no chunk skips filter 32. */
const NO_FILTER = 32;
const NATIVE_ELEMENT_BYTES: readonly number[] = [1, 2, 4, 8];

type Lowered = { format: ChunkFormat } | { reason: string };

/** The native form of a program, or why there is none (one sentence, no full stop). */
export function chunkFormat(program: Program): Lowered {
  const steps = [...program.steps];
  const last = steps.at(-1);
  const swapBytes = last?.op === "byteswap" ? last.elementBytes : 0;
  if (swapBytes > 0) steps.pop();
  const raw = {
    layout: "raw",
    chunkBytes: program.chunkBytes,
    filterElementBytes: 1,
    blockElements: 0,
    swapBytes,
    filter: NO_FILTER,
  } as const;
  const [first, second, ...more] = steps;
  if (!first) return { format: raw };
  if (more.length === 0) {
    if (first.op === "lz4-block" && second?.op === "bit-unshuffle") return bitshuffleLz4(raw, first, second);
    if (first.op === "bit-unshuffle" && !second) return planesOnly(raw, first);
    if (first.op === "lz4-block" && first.framing === "lz4" && !second) {
      return { format: { ...raw, layout: "lz4", filter: first.filter } };
    }
  }
  return { reason: `native code does not run the steps ${program.steps.map((step) => step.op).join(", ")}` };
}

type Lz4Step = Extract<Step, { op: "lz4-block" }>;
type UnshuffleStep = Extract<Step, { op: "bit-unshuffle" }>;

function bitshuffleLz4(raw: ChunkFormat, lz4: Lz4Step, planes: UnshuffleStep): Lowered {
  const fused =
    lz4.framing === "bitshuffle" && lz4.filter === planes.filter && lz4.elementBytes === planes.elementBytes;
  if (!fused) return { reason: "native code decodes bit planes only of the filter that compressed them" };
  const lowered = planesOnly(raw, planes);
  if ("reason" in lowered) return lowered;
  return { format: { ...lowered.format, layout: "bitshuffle-lz4" } };
}

function planesOnly(raw: ChunkFormat, { elementBytes, blockElements, filter }: UnshuffleStep): Lowered {
  if (!NATIVE_ELEMENT_BYTES.includes(elementBytes)) {
    return { reason: `native code has no bit-unshuffle for elements of ${elementBytes} bytes` };
  }
  return {
    format: { ...raw, layout: "bitshuffle", filterElementBytes: elementBytes, blockElements, filter },
  };
}
