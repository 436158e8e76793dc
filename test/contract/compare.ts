// Owns: decoding a file with a backend and with the reference, and asserting that reports and bytes are equal; random files.
// Must not know: how either decodes.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { DamagedBlock } from "framelab";
import type { Backend } from "#framelab/backends/backend";
import { referenceBackend } from "#framelab/backends/reference/index";
import { checkLoadOptions } from "#framelab/options";
import { allocateFrames, releaseFrames } from "#framelab/run/output-memory";
import { type Prepared, prepare } from "#framelab/run/prepare";
import { openSession } from "#framelab/run/session";
import { openTask, type Task } from "#framelab/run/task";
import { decodeWindow } from "#framelab/run/window";
import { BITSHUFFLE_FILTER, bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";
import { blockDamageCases, type DamageCase, halvedLengthCases } from "../fixtures/damage";
import { codeCases } from "../fixtures/damage-codes";
import { lengthCases } from "../fixtures/damage-lengths";
import { chunked, group, writeHdf5 } from "../fixtures/hdf5-writer";
import { Random } from "../fixtures/random";

/** Every damage case, by kind. */
export const DAMAGE_KINDS: readonly (readonly [string, readonly DamageCase[]])[] = [
  ["damaged block", blockDamageCases()],
  ["halved length", halvedLengthCases()],
  ["reason", codeCases()],
  ["lying length", lengthCases()],
];

interface Decoded {
  readonly damaged: readonly DamagedBlock[];
  readonly suspect: readonly unknown[];
  readonly trailing: number;
  readonly valid: Uint8Array;
  readonly bytes: Buffer;
}

const options = (path: string) =>
  checkLoadOptions(path, { progress: false, scanShape: null, onDamage: "mask", onMissing: "fill" });

/** Decodes a prepared file with one backend. Memory is poisoned first: no byte may be left as it was. */
async function decodeWith(
  backend: Backend,
  path: string,
  prepared: Prepared,
  task: Task,
  onPages: boolean,
): Promise<Decoded> {
  const { cancel, ticker, clock } = task;
  const { run } = openSession(prepared, options(path), cancel, ticker, clock);
  const candidates = [backend, referenceBackend()];
  const choice = { candidates, why: "", tried: [] };
  const bytes = prepared.count * prepared.frameBytes;
  // As `load` allocates it: on pages where there is an addon.
  const output = onPages ? allocateFrames(path, bytes) : { buffer: new ArrayBuffer(bytes), start: 0, bytes };
  new Uint8Array(output.buffer, output.start, bytes).fill(0xa5);
  const own = { ...run, choice };
  const valid = await decodeWindow(own, prepared, { from: 0, to: prepared.count }, output);
  const { damaged, suspect } = run.outcome;
  const copy = Buffer.from(new Uint8Array(output.buffer, output.start, bytes).slice());
  if (onPages) releaseFrames(output);
  return { damaged, suspect, trailing: own.trailing, valid, bytes: copy };
}

/** Asserts that backends give the reference's report and bytes; returns how many blocks were damaged. */
export async function assertSameReport(
  path: string,
  backends: readonly Backend[],
  onPages = false,
): Promise<number> {
  const task = openTask("load", path, options(path), () => () => {});
  try {
    const prepared = await prepare(path, options(path), task.cancel, task.clock);
    const judge = await decodeWith(referenceBackend(), path, prepared, task, false);
    for (const backend of backends) {
      const decoded = await decodeWith(backend, path, prepared, task, onPages);
      assert.deepEqual(decoded, judge, backend.device);
    }
    return judge.damaged.length;
  } finally {
    task.done("");
  }
}

const DTYPES: readonly (readonly ["u8" | "u16" | "u32" | "u64", number])[] = [
  ["u8", 1],
  ["u16", 2],
  ["u32", 4],
  ["u64", 8],
];

/** A file of random shape, type and block size, in half of whose chunks some bytes are changed. */
export function randomFile(folder: string, seed: number, dtypes: typeof DTYPES = DTYPES): string {
  const random = new Random(2026, seed);
  const [dtype, width] = dtypes[random.below(dtypes.length)]!;
  const [rows, cols] = [1 + random.below(90), 1 + random.below(90)];
  const blockElements = [0, 0, 64, 512, 8192 / width][random.below(5)];
  const data = chunked({
    dtype,
    shape: [3, rows, cols],
    chunkShape: [1, rows, cols],
    filters: [{ id: BITSHUFFLE_FILTER, values: bitshuffleValues(width, blockElements) }],
    chunks: () => {
      const elements = new Uint8Array(rows * cols * width);
      for (let at = 0; at < elements.length; at += width) elements[at] = random.below(1 + random.below(9));
      const stored = encodeChunk(elements, width, blockElements);
      const changes = random.below(2) * (1 + random.below(3));
      for (let change = 0; change < changes; change++) {
        const at = random.below(stored.length);
        stored.fill(random.below(256), at, at + 1 + random.below(8));
      }
      return random.below(8) === 0 ? stored.subarray(0, random.below(stored.length) + 1) : stored;
    },
  });
  const path = join(folder, "random.h5");
  writeHdf5(path, group({ entry: group({ data: group({ data }) }) }));
  return path;
}
