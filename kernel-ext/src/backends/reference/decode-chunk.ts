// Owns: the judge: what one stored chunk decodes to, or every reason why it does not.
// Must not know: files, frames, batches, other backends.
import { inflateSync } from "node:zlib";
import { defaultBlockElements } from "../../filters/bitshuffle/blocks";
import { frameBitshuffle } from "../../filters/bitshuffle/framing";
import { CHECKSUM_BYTES, fletcher32Sum, storedChecksumMatches } from "../../filters/fletcher32";
import { type ChunkDamage, type Framing, wholeChunk } from "../../filters/framing";
import { frameLz4 } from "../../filters/lz4/framing";
import type { Program, Step } from "../../filters/program";
import type { Note } from "../../types";
import { decodeLz4Block } from "./lz4-block";
import { bitUnshuffle, byteswap, byteUnshuffle } from "./unshuffle";

/** Bytes on their way through the steps. */
interface State {
  readonly bytes: Uint8Array;
  /** Bytes of a bitshuffle block as the chunk's own header gave them to the step before; 0 where none did. */
  readonly blockBytes: number;
  /** Positions in `bytes` are still positions in the stored chunk. */
  readonly asStored: boolean;
}

type StepResult = State | { readonly damage: ChunkDamage[] };

/**
 * Decodes one stored chunk into `out` (`program.chunkBytes` long).
 *
 * Returns [] when every byte is exact, else every damaged block of the step that failed; `out` is then as it was. Every
 * call works on fresh memory, so that no result depends on what was decoded before. What is worth knowing but changes
 * no value (`trailing-bytes`) is added to `notes`.
 */
export function decodeChunk(
  program: Program,
  stored: Uint8Array,
  filterMask: number,
  out: Uint8Array,
  notes: Note[] = [],
): ChunkDamage[] {
  const steps = activeSteps(program, filterMask);
  let state: State = { bytes: stored, blockBytes: 0, asStored: true };
  for (const [i, step] of steps.entries()) {
    const result = runStep(step, state, program.chunkBytes + checksumBytes(steps.slice(i + 1)), notes);
    if ("damage" in result) return result.damage;
    state = result;
  }
  const wrongSize = sizeFault(state.bytes, program.chunkBytes);
  if (wrongSize) return [wrongSize];
  out.set(state.bytes);
  return [];
}

/** The steps of a chunk with this filter mask. */
export function activeSteps({ steps }: Program, filterMask: number): Step[] {
  return steps.filter((step) => !isSkipped(step, filterMask));
}

/** Bit i of a chunk's filter mask: filter i was not applied to this chunk. */
function isSkipped(step: Step, filterMask: number): boolean {
  return "filter" in step && ((filterMask >>> step.filter) & 1) === 1;
}

function checksumBytes(later: readonly Step[]): number {
  return CHECKSUM_BYTES * later.filter((step) => step.op === "checksum").length;
}

/** `bytesAfter`: what a step whose output size is known must give (all but a checksum outside a compressing filter). */
function runStep(step: Step, state: State, bytesAfter: number, notes: Note[]): StepResult {
  switch (step.op) {
    case "lz4-block":
      return decompress(step, state, bytesAfter, notes);
    case "bit-unshuffle": {
      const { elementBytes } = step;
      const inHeader = state.blockBytes / elementBytes;
      const blockElements = inHeader || step.blockElements || defaultBlockElements(elementBytes);
      return sized(state, bytesAfter, () => bitUnshuffle(state.bytes, elementBytes, blockElements));
    }
    case "byte-unshuffle":
      return derived(byteUnshuffle(state.bytes, step.elementBytes));
    case "byteswap":
      return sized(state, bytesAfter, () => byteswap(state.bytes, step.elementBytes));
    case "inflate":
      return inflate(state.bytes, bytesAfter, notes);
    case "checksum":
      return verifyChecksum(state);
  }
}

function derived(bytes: Uint8Array): State {
  return { bytes, blockBytes: 0, asStored: false };
}

function sizeFault(bytes: Uint8Array, expected: number): ChunkDamage | null {
  if (bytes.length === expected) return null;
  return wholeChunk("raw-size-mismatch", `${bytes.length} bytes, an uncompressed chunk has ${expected}`);
}

function sized(state: State, expected: number, run: () => Uint8Array): StepResult {
  const fault = sizeFault(state.bytes, expected);
  return fault ? { damage: [fault] } : derived(run());
}

function decompress(
  step: Extract<Step, { op: "lz4-block" }>,
  { bytes: stored, asStored }: State,
  decodedBytes: number,
  notes: Note[],
): StepResult {
  const framing =
    step.framing === "bitshuffle"
      ? frameBitshuffle(stored, decodedBytes, step.elementBytes)
      : frameLz4(stored, decodedBytes);
  if (framing.damage.length > 0 && framing.blocks.length === 0) return { damage: [...framing.damage] };
  const decoded = new Uint8Array(decodedBytes);
  const mayBeRaw = step.framing === "lz4";
  const damage = [...decodeBlocks(framing, stored, decoded, mayBeRaw), ...framing.damage];
  if (damage.length > 0) return { damage: asStored ? damage : damage.map((fault) => ({ ...fault, at: 0 })) };
  if (framing.trailingBytes > 0) notes.push(trailing(framing.trailingBytes));
  return {
    bytes: decoded,
    blockBytes: step.framing === "bitshuffle" ? framing.blockBytes : 0,
    asStored: false,
  };
}

/** Decodes every block that could be located: a damaged one does not stop the next. */
export function decodeBlocks(
  framing: Framing,
  stored: Uint8Array,
  decoded: Uint8Array,
  mayBeRaw: boolean,
): ChunkDamage[] {
  const damage: ChunkDamage[] = [];
  for (const [block, { from, to, target, bytes }] of framing.blocks.entries()) {
    const stream = stored.subarray(from, to);
    if (mayBeRaw && stream.length === bytes) {
      decoded.set(stream, target);
      continue;
    }
    const { reason, at, detail } = decodeLz4Block(stream, decoded.subarray(target, target + bytes));
    if (reason === null) continue;
    const place = `at byte ${at} of the block's ${stream.length} stored bytes: ${detail}`;
    damage.push({ block, reason, detail: place, at: from - 4 });
  }
  if (framing.tail) decoded.set(stored.subarray(framing.tail.from, framing.tail.to), framing.tail.target);
  return damage;
}

function trailing(bytes: number): Note {
  return {
    code: "trailing-bytes",
    text: `${bytes} bytes follow the end of the chunk's data; they are not used.`,
  };
}

function inflate(stored: Uint8Array, decodedBytes: number, notes: Note[]): StepResult {
  let bytes: Uint8Array;
  let used: number;
  try {
    // With `info`, Node returns the engine beside the buffer; its type does not say so.
    const options = { maxOutputLength: decodedBytes, info: true };
    const result = inflateSync(stored, options) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    bytes = result.buffer;
    used = result.engine.bytesWritten;
  } catch (error) {
    return { damage: [wholeChunk("inflate-failed", inflateProblem(error, decodedBytes))] };
  }
  if (bytes.length !== decodedBytes) {
    const detail = `the deflate stream ends after ${bytes.length} of ${decodedBytes} bytes`;
    return { damage: [wholeChunk("inflate-failed", detail)] };
  }
  if (used < stored.length) notes.push(trailing(stored.length - used));
  return derived(bytes);
}

function inflateProblem(error: unknown, decodedBytes: number): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ERR_BUFFER_TOO_LARGE") return `the deflate stream holds more than ${decodedBytes} bytes`;
  return `zlib says: ${message}`;
}

function verifyChecksum({ bytes, asStored }: State): StepResult {
  if (bytes.length < CHECKSUM_BYTES) {
    const detail = `${bytes.length} stored bytes, the checksum alone needs ${CHECKSUM_BYTES}`;
    return { damage: [wholeChunk("chunk-too-short", detail)] };
  }
  const data = bytes.subarray(0, bytes.length - CHECKSUM_BYTES);
  const stored = bytes.subarray(data.length);
  const sum = fletcher32Sum(data);
  if (!storedChecksumMatches(sum, stored)) {
    const hex = (value: number): string => `0x${value.toString(16).padStart(8, "0")}`;
    const said = stored[0]! + stored[1]! * 2 ** 8 + stored[2]! * 2 ** 16 + stored[3]! * 2 ** 24;
    const detail = `Fletcher-32 of the chunk is ${hex(sum)}, stored is ${hex(said)}`;
    return { damage: [wholeChunk("checksum-mismatch", detail)] };
  }
  return { bytes: data, blockBytes: 0, asStored };
}
