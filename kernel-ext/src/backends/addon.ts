// Owns: finding and loading the native addon, and the TypeScript shape of what it exports.
// Must not know: decoding. Never throws: a machine without a binary is an answer, not an accident.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SumPlan } from "../sum-plan";
import type { BatchStatus, OutputMemory, SumBatch } from "./backend";

/** An instruction set that the binary was compiled for, fastest first in `isas()`. */
export interface Isa {
  /** `avx512`, `avx2-gfni`, `avx2`, `sse2`, `neon`, `portable`. */
  readonly name: string;
  /** For people: `AVX-512 VBMI + GFNI`. */
  readonly text: string;
  /** This processor runs it. */
  readonly supported: boolean;
}

/** How every chunk of a dataset is stored, as far as native code decodes it. */
export interface ChunkFormat {
  readonly layout: "raw" | "bitshuffle-lz4" | "bitshuffle" | "lz4";
  readonly chunkBytes: number;
  /** Element size that the bitshuffle filter worked with: 1, 2, 4 or 8; 1 in the other layouts. */
  readonly filterElementBytes: number;
  /** Elements of a block in layout `bitshuffle`; 0 = the format's default. */
  readonly blockElements: number;
  /** Bytes of an element whose order is reversed at the end; 0 = none. */
  readonly swapBytes: number;
  /** Index of the filter: a chunk whose mask has this bit set is stored raw; 32 = no such bit. */
  readonly filter: number;
}

/** The GPU of this machine; sizes in bytes. */
export interface MetalDevice {
  /** `Apple M3 Max`. */
  readonly name: string;
  /** Which design of the fused kernels runs, and why. */
  readonly design: string;
  readonly maxBufferBytes: number;
  readonly workingSetBytes: number;
}

/** Arguments of `decodeBatch` and `sumBatch`; checked natively, where a wrong one is a TypeError or RangeError. */
interface NativeChunks extends ChunkFormat {
  readonly isa: string;
  /** Most threads of the process's pool that work on this batch, 1 to 256. */
  readonly threads: number;
  /** Stays open until the promise settles. Not looked at, nor is `fileBytes`, where there is `memory`. */
  readonly fd: number;
  readonly fileBytes: number;
  /** The stored bytes, where they are in memory already: `address` counts from its start. */
  readonly memory?: OutputMemory;
  readonly count: number;
  readonly address: Float64Array;
  readonly storedBytes: Float64Array;
  readonly filterMask: Uint32Array;
  readonly words: Int32Array;
}

/** Chunks that are decoded into `bytes` bytes of `buffer` from `start` on. */
export interface NativeBatch extends NativeChunks {
  readonly target: Float64Array;
  readonly buffer: ArrayBuffer;
  readonly start: number;
  readonly bytes: number;
}

/** Chunks whose frames are added. */
export interface NativeSums extends NativeChunks {
  readonly sums: SumPlan & Pick<SumBatch, "chunkFrames" | "slots">;
}

/** What `framelab.node` exports. Only `backends/` calls it. */
export interface Addon {
  /** Version of the package that the binary was compiled for. */
  readonly version: string;
  isas(): Isa[];
  /** Rejects with an Error that has an `errno` when the system fails. */
  decodeBatch(batch: NativeBatch): Promise<BatchStatus>;
  sumBatch(batch: NativeSums): Promise<BatchStatus>;
  /** The GPU, or why none is used. Opens and tests it at first use, which takes about a second. */
  metalDevice(): MetalDevice | { readonly reason: string };
  /**
   * As `decodeBatch`; `isa` is for what a GPU does not take. Rejects with an Error without `errno` when the GPU
   * fails; with `lost` where it did not answer and may still write the output.
   */
  metalDecodeBatch(batch: Omit<NativeBatch, "threads">): Promise<BatchStatus>;
  /** Number of the damage reason (`DAMAGE_REASONS[n - 1]`), 0 = none. For tests of one instruction set. */
  decodeChunk(
    chunk: ChunkFormat & { isa: string; filterMask: number; stored: Uint8Array; out: Uint8Array },
  ): number;
  /** As `decodeChunk`, one LZ4 block of exactly `out.length` bytes, which are written when it is accepted. */
  decodeBlock(block: { isa: string; stream: Uint8Array; out: Uint8Array }): number;
  /** Reads a part of a file into the system's cache, as far as it can; `fd` stays open until the promise resolves. */
  readAhead(part: { readonly fd: number; readonly offset: number; readonly bytes: number }): Promise<void>;
  /** Page-aligned memory outside V8; null where the host takes none, or not so much. Throws without memory. */
  allocateMemory(bytes: number): { buffer: ArrayBuffer; zeroed: boolean } | null;
  /** Asks for huge pages; returns the offset of the buffer's first 16 KiB boundary. */
  adviseMemory(buffer: ArrayBuffer): number;
  /** Detaches the buffer: its memory goes back. Throws while a batch is decoded into it. */
  releaseMemory(buffer: ArrayBuffer): void;
  /** Most bytes of released outputs that stay mapped for the next `allocateMemory`; 0 = none. */
  keepMemory(bytes: number): void;
  /** Bytes that `allocateMemory` has mapped now. */
  mappedBytes(): number;
}

/** The package's own folder: this file runs as `dist/backends/addon.js`. */
const PACKAGE = dirname(dirname(__dirname));

/** Where a binary may lie, best first: compiled on this machine, then carried by the package. */
const CANDIDATES: readonly string[] = [
  join(PACKAGE, "native", "build", "Release", "framelab.node"),
  join(PACKAGE, "prebuilds", `${process.platform}-${process.arch}`, "framelab.node"),
];

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
}

/** Why the installer left no binary, in its own words. */
function installersReason(): string {
  try {
    return readFileSync(join(PACKAGE, "native", "build", "reason.txt"), "utf8").trim();
  } catch {
    return "its install script did not run; `npm rebuild framelab` runs it";
  }
}

/** The addon, or one sentence (no full stop) that says why there is none. */
export type LoadedAddon = { readonly addon: Addon } | { readonly reason: string };

let loaded: { readonly addon: Addon } | null = null;

/**
 * Loads this package's addon. One that was found is kept, since every load and every frame read on demand asks; one that
 * was not is looked for again, since it may have been built meanwhile.
 */
export function loadAddon(): LoadedAddon {
  if (loaded) return loaded;
  const found = findAddon();
  if ("addon" in found) loaded = found;
  return found;
}

/** Takes an addon in the place of the package's own. For tests; nothing of the public interface leads here. */
export function useAddon(addon: Addon): void {
  loaded = { addon };
}

function findAddon(): LoadedAddon {
  const failures: string[] = [];
  try {
    const wanted = (JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { version: string })
      .version;
    for (const path of CANDIDATES) {
      if (!existsSync(path)) continue;
      try {
        const addon = require(path) as Addon;
        if (addon.version === wanted) return { addon };
        failures.push(`${path} is of version ${addon.version}, this package is ${wanted}`);
      } catch (error) {
        failures.push(`${path} does not load: ${firstLine(error)}`);
      }
    }
  } catch (error) {
    failures.push(firstLine(error));
  }
  if (failures.length > 0) return { reason: failures.join("; ") };
  return { reason: `no native binary for ${process.platform}-${process.arch}: ${installersReason()}` };
}
