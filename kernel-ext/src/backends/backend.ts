// Owns: the contract between run/ and a backend: one batch of chunks in, decoded bytes and one bit per refused chunk out.
// Must not know: acquisitions, frames, selections, notebooks.
import { BackendError } from "../errors";
import type { Program } from "../filters/program";
import type { SumPlan } from "../sum-plan";
import type { BackendName } from "../types";

/** Chunks of one dataset of one file, to be decoded by one program. Parallel arrays of length `count`. */
export interface Batch {
  readonly program: Program;
  /** Open file descriptor, the file's path for messages, and its size in bytes when it was opened. */
  readonly fd: number;
  readonly file: string;
  readonly fileBytes: number;
  /**
   * Given: the stored bytes lie here already, and nothing is read. `address` then counts from its start, `fileBytes` is
   * its length, and `fd` is -1. An address that is NaN (the file did not hold the chunk whole) is a refused chunk.
   */
  readonly memory?: OutputMemory;
  readonly count: number;
  /** Byte offset in the file and stored bytes of each chunk: checked against `fileBytes` by plan/. */
  readonly address: Float64Array;
  readonly storedBytes: Float64Array;
  readonly filterMask: Uint32Array;
  /** Byte offset in the output at which the decoded chunk (program.chunkBytes long) starts. */
  readonly target: Float64Array;
}

/** Memory that a batch decodes into, or holds its stored bytes: `bytes` bytes of `buffer` from `start` on; may be larger than 4 GiB. */
export interface OutputMemory {
  readonly buffer: ArrayBuffer;
  readonly start: number;
  readonly bytes: number;
}

/** Words of `Control.words`, shared with native code, which reads and writes them atomically. */
export const CONTROL_CANCEL = 0;
export const CONTROL_CHUNKS_DONE = 1;
export const CONTROL_CHUNKS_REFUSED = 2;
export const CONTROL_WORDS = 4;

/** Cancel flag (set to 1 by the caller) and counters (only ever grow) of one piece of work. */
export interface Control {
  readonly words: Int32Array;
}

/** Outcome of a batch. `refused` has bit i & 7 of byte i >> 3 set for each refused chunk i; null = none refused. */
export interface BatchStatus {
  readonly state: "done" | "cancelled";
  readonly refused: Uint8Array | null;
  /** Accepted chunks with stored bytes behind everything that they need: right, and worth a note. */
  readonly trailing: number;
  /** Chunks that went through memory of the backend's, since a GPU would not take the output's: worth a note. */
  readonly copied?: number;
}

/** A device did not answer, and may write the output at any time from now on: no backend can go on with that memory. */
export class OutputLostError extends BackendError {
  // What it is for users.
  override name = "BackendError";
}

/** A decoder. Implementations live one folder each; `registry.ts` lists them. */
export interface Backend {
  readonly name: BackendName;
  /** Where it runs, for people: `TypeScript`, `2 threads, AVX-512 VBMI + GFNI`, `Apple M3 Max`. */
  readonly device: string;
  /**
   * Its threads never wait for JavaScript: it is given a batch while it works on the one before. Both go to one output,
   * of which JavaScript writes the frames of other batches meanwhile. Default: it is not.
   */
  readonly takesAhead?: boolean;
  /** Why this backend cannot run a program, or null when it can. */
  refuses(program: Program): string | null;
  /**
   * Decodes every chunk of `batch` to its target. A refused chunk's target bytes are unspecified; bytes outside the
   * targets are never written. Rejects with BackendError only when the system fails (I/O error, lost device), with
   * OutputLostError where the output may still be written; a chunk that the file no longer holds whole is refused.
   */
  decode(batch: Batch, output: OutputMemory, control: Control): Promise<BatchStatus>;
  /** Given: the backend can add frames up as it decodes them. */
  readonly sums?: FrameAdder;
}

/** Chunks of whole frames, whose frames are added and kept nowhere. */
export interface SumBatch extends Omit<Batch, "target"> {
  /** Frames of a chunk. */
  readonly chunkFrames: number;
  /** The place in the results of each frame of each chunk, -1 = the frame is not wanted. */
  readonly slots: Float64Array;
}

/** A decoder's fused sums. */
export interface FrameAdder {
  /** Why chunks of this program are not added to this plan, or null when they are. */
  refuses(program: Program, plan: SumPlan, chunkFrames: number): string | null;
  /** Bytes that adding to a plan takes. */
  bytes(plan: SumPlan): number;
  /** As `decode`. Nothing of a refused chunk is added. After an error or a cancel the plan's arrays are unspecified. */
  add(batch: SumBatch, plan: SumPlan, control: Control): Promise<BatchStatus>;
}
