// Owns: the cpu backend gives the reference's report and bytes, on every kind of damage and on random files, at 1, 2, 7 threads.
// Must not know: how either decodes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { DamagedBlock } from "framelab";
import type { Backend } from "#framelab/backends/backend";
import { openCpuBackend } from "#framelab/backends/cpu/index";
import { referenceBackend } from "#framelab/backends/reference/index";
import { checkLoadOptions } from "#framelab/options";
import { type Prepared, prepare } from "#framelab/run/prepare";
import { openSession } from "#framelab/run/session";
import { openTask, type Task } from "#framelab/run/task";
import { decodeWindow } from "#framelab/run/window";
import { BITSHUFFLE_FILTER, bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";
import { blockDamageCases, halvedLengthCases, writeDamageCase } from "../fixtures/damage";
import { codeCases } from "../fixtures/damage-codes";
import { lengthCases } from "../fixtures/damage-lengths";
import { chunked, group, writeHdf5 } from "../fixtures/hdf5-writer";
import { Random } from "../fixtures/random";
import { scratchFolder } from "./harness";

const folder = scratchFolder();
const THREADS = [1, 2, 7];
const RANDOM_FILES = 1000;
const opened = THREADS.map((threads) => openCpuBackend({ threads }));
const missing = opened.find((cpu) => "reason" in cpu);
const skip = missing && "reason" in missing ? `no native decoder: ${missing.reason}` : false;
const cpus = opened.flatMap((cpu) => ("backend" in cpu ? [cpu.backend] : []));

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
async function decodeWith(backend: Backend, path: string, prepared: Prepared, task: Task): Promise<Decoded> {
  const { cancel, ticker, clock } = task;
  const { run } = openSession(prepared, options(path), cancel, ticker, clock);
  const candidates = [backend, referenceBackend()];
  const choice = { candidates, why: "", tried: [] };
  const bytes = prepared.count * prepared.frameBytes;
  const output = { buffer: new ArrayBuffer(bytes), start: 0, bytes };
  new Uint8Array(output.buffer).fill(0xa5);
  const own = { ...run, choice };
  const valid = await decodeWindow(own, prepared, { from: 0, to: prepared.count }, output);
  const { damaged, suspect } = run.outcome;
  return { damaged, suspect, trailing: own.trailing, valid, bytes: Buffer.from(output.buffer) };
}

/** Asserts equality and says how many blocks were damaged. */
async function compare(path: string): Promise<number> {
  const task = openTask("load", path, options(path), () => () => {});
  try {
    const prepared = await prepare(path, options(path), task.cancel, task.clock);
    const judge = await decodeWith(referenceBackend(), path, prepared, task);
    for (const cpu of cpus) assert.deepEqual(await decodeWith(cpu, path, prepared, task), judge, cpu.device);
    return judge.damaged.length;
  } finally {
    task.done("");
  }
}

for (const [kind, cases] of [
  ["damaged block", blockDamageCases()],
  ["halved length", halvedLengthCases()],
  ["reason", codeCases()],
  ["lying length", lengthCases()],
] as const) {
  test(`${cases.length} cases of a ${kind}: report and bytes equal the reference's`, { skip }, async () => {
    let damaged = 0;
    for (const [i, damage] of cases.entries()) {
      const path = join(folder, `${kind}-${i}.h5`);
      writeDamageCase(path, damage);
      damaged += (await compare(path)) > 0 ? 1 : 0;
    }
    assert.ok(damaged > 0);
  });
}

const DTYPES = [
  ["u8", 1],
  ["u16", 2],
  ["u32", 4],
  ["u64", 8],
] as const;

/** A file of random shape, type and block size, in half of whose chunks some bytes are changed. */
function randomFile(seed: number): string {
  const random = new Random(2026, seed);
  const [dtype, width] = DTYPES[random.below(DTYPES.length)];
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

test(`${RANDOM_FILES} random files: report and bytes equal the reference's`, { skip }, async () => {
  let damaged = 0;
  for (let seed = 0; seed < RANDOM_FILES; seed++) {
    damaged += (await compare(randomFile(seed))) > 0 ? 1 : 0;
  }
  assert.ok(damaged > RANDOM_FILES / 10 && damaged < RANDOM_FILES, `${damaged} files were damaged`);
});
