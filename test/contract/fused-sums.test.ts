// Owns: sums fused into native decoding give what the TypeScript reducers give: dtypes, layouts, masks, damage,
// 1, 2, 7 threads, every instruction set.
// Must not know: how either adds.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  annulus,
  centerOfMass,
  type Dtype,
  disk,
  fromImage,
  maxPattern,
  meanPattern,
  type Reduction,
  sumPattern,
  virtualImage,
} from "framelab";
import { openReducers } from "#framelab/analysis/reducers";
import { loadAddon } from "#framelab/backends/addon";
import type { Backend } from "#framelab/backends/backend";
import { openCpuBackend } from "#framelab/backends/cpu/index";
import { referenceBackend } from "#framelab/backends/reference/index";
import { checkReduceOptions } from "#framelab/options";
import { pixelArray } from "#framelab/pixel-arrays";
import { forEachWindow } from "#framelab/run/frame-windows";
import { prepare } from "#framelab/run/prepare";
import { openSession, sessionReport } from "#framelab/run/session";
import { adderOf, sumFrames } from "#framelab/run/sum-frames";
import { openTask } from "#framelab/run/task";
import { bitshuffleValues, encodeChunk, joinBytes } from "../fixtures/bitshuffle-encoder";
import { chunked, group, writeHdf5 } from "../fixtures/hdf5-writer";
import { Random } from "../fixtures/random";
import { scratchFolder, upTo } from "./harness";

const folder = scratchFolder();
const loaded = loadAddon();
const isas = "addon" in loaded ? loaded.addon.isas().filter((isa) => isa.supported) : [];
/** The fastest instruction set on 1, 2 and 7 threads, then the others by name. */
const opened = [
  ...[1, 2, 7].map((threads) => openCpuBackend({ threads })),
  ...isas.slice(1).map(({ name }) => openCpuBackend({ threads: 2, isa: name })),
];
const missing = opened.find((cpu) => "reason" in cpu);
const skip = missing && "reason" in missing ? `no native decoder: ${missing.reason}` : false;
const cpus = opened.flatMap((cpu) => ("backend" in cpu ? [cpu.backend] : []));

// Nine blocks of u16 and seven elements behind them, so that a frame is refused late, and blocks cross frames.
const [HEIGHT, WIDTH, COUNT] = [131, 281, 13];
const SIZE = HEIGHT * WIDTH;
const random = new Random(77, 1);
const CHECKERED = fromImage(upTo(HEIGHT).map(() => upTo(WIDTH).map(() => random.unit() < 0.4)));
const EVERYTHING: Record<string, Reduction> = {
  disk: virtualImage(disk({ center: [60.5, 140], radius: 50 })),
  ring: virtualImage(annulus({ center: [60.5, 140], inner: 20, outer: 500 })),
  image: virtualImage(CHECKERED),
  center: centerOfMass(),
  part: centerOfMass(CHECKERED),
  mean: meanPattern(),
  sum: sumPattern(),
};
const WITH_MAX = { ...EVERYTHING, max: maxPattern() };

/** Any bits, with much of the type's ends among them: sentinels, and sums that pass 2^53 in a centre of mass of u32. */
function frameBytes(dtype: Dtype, i: number): Uint8Array {
  const bytes = Number(dtype.slice(1)) / 8;
  const values = new Random(5, i);
  const frame = new Uint8Array(SIZE * bytes);
  for (let at = 0; at < SIZE; at++) {
    const kind = values.unit();
    const byte = kind < 0.1 ? 0xff : kind < 0.15 ? 0x7f : -1;
    for (let b = 0; b < bytes; b++) {
      const low = b === 0 && kind < 0.05 ? 0xfe : byte;
      frame[at * bytes + b] = kind > 0.6 ? (b === 0 ? at & 3 : 0) : low < 0 ? values.unit() * 256 : low;
    }
  }
  return frame;
}

interface Spec {
  readonly dtype: Dtype;
  /** Frames of a chunk. */
  readonly depth?: number;
  readonly order?: "little" | "big";
  readonly filter?: "bitshuffle" | "none";
  /** Chunks that are damaged, each in its last block. */
  readonly damaged?: readonly number[];
}

let written = 0;

function write({ dtype, depth = 1, order = "little", filter = "bitshuffle", damaged = [] }: Spec): string {
  const bytes = Number(dtype.slice(1)) / 8;
  const swapped = (frame: Uint8Array) =>
    order === "little" ? frame : frame.map((_, at) => frame[at - (at % bytes) + bytes - 1 - (at % bytes)]!);
  const frames = chunked({
    dtype,
    order,
    shape: [COUNT, HEIGHT, WIDTH],
    chunkShape: [depth, HEIGHT, WIDTH],
    filters: filter === "none" ? [] : [{ id: 32008, values: bitshuffleValues(bytes), name: "bitshuffle" }],
    index: "btree-v1",
    chunks: (c: number) => {
      const inside = upTo(depth).map((k) => c * depth + k);
      // Padding behind the last frame holds values that would be seen in the sums.
      const all = inside.map((i) =>
        i < COUNT ? swapped(frameBytes(dtype, i)) : new Uint8Array(SIZE * bytes).fill(3),
      );
      const chunk = filter === "none" ? joinBytes(all) : encodeChunk(joinBytes(all), bytes);
      return damaged.includes(c) ? chunk.slice(0, chunk.length - 40 - 8 * bytes) : chunk;
    },
  });
  const path = join(folder, `${written++}.h5`);
  writeHdf5(path, group({ entry: group({ data: group({ data: frames }) }) }));
  return path;
}

/** Values, notes and damage of a reduction by one backend; `fused` or by the TypeScript reducers. */
async function reduceBy(
  backend: Backend,
  path: string,
  wanted: typeof EVERYTHING,
  fused: boolean,
  more = {},
) {
  const options = checkReduceOptions(path, { progress: false, ...more });
  const task = openTask("reduce", path, options, () => () => {});
  try {
    const prepared = await prepare(path, options, task.cancel, task.clock);
    const all = openSession(prepared, options, task.cancel, task.ticker, task.clock);
    const session = {
      ...all,
      run: { ...all.run, choice: { candidates: [backend, referenceBackend()], why: "", tried: [] } },
    };
    const { leading, transform, count } = prepared;
    const { dtype } = transform.to;
    const reducers = openReducers(wanted, { ...transform.to, leading });
    const plan = reducers.plan();
    const adder = adderOf(session, plan);
    let done = 0;
    if (fused) {
      assert.ok(plan && adder, "the backend adds these frames");
      done = await sumFrames(session, plan, reducers.add);
    }
    if (done < count) {
      await forEachWindow(
        session,
        options,
        {},
        async ({ from, to }, memory, valid) => {
          const pixels = pixelArray(dtype, memory.buffer, memory.start, (to - from) * SIZE);
          for (let i = 0; i < to - from; i++) {
            if (valid[i] === 1) reducers.add(pixels.subarray(i * SIZE, (i + 1) * SIZE), from + i);
          }
        },
        done,
      );
    }
    const { damaged, suspect, notes } = sessionReport(session, count, 0);
    const results = Object.entries(reducers.results(sessionReport(session, count, 0)));
    const values = Object.fromEntries(results.map(([name, { data }]) => [name, [...data]]));
    const said = results.map(([name, result]) => [name, ...result.notes.map(({ text }) => text)]);
    return { found: { values, said, damaged, notes }, suspect, canAdd: adder !== null };
  } finally {
    task.done("");
  }
}

async function compare(path: string, wanted: typeof EVERYTHING, more = {}) {
  const judged = await reduceBy(referenceBackend(), path, wanted, false, more);
  for (const cpu of cpus) {
    const { found } = await reduceBy(cpu, path, wanted, true, more);
    assert.deepEqual(found, judged.found, `${path} on ${cpu.device}`);
  }
  return judged.found;
}

for (const dtype of ["u8", "u16", "u32", "i8", "i16", "i32"] as const) {
  test(`${dtype}: fused sums equal the reducers', with damage in the last block, also without a maximum`, {
    skip,
  }, async () => {
    const found = await compare(write({ dtype, damaged: [3, 12] }), EVERYTHING);
    assert.deepEqual([...new Set(found.damaged.map(({ frame }) => frame))], [3, 12]);
    assert.ok(Number.isNaN(found.values.disk![3]) && !Number.isNaN(found.values.disk![4]));
    await compare(write({ dtype, damaged: [0] }), WITH_MAX);
    await compare(write({ dtype }), { mean: meanPattern() });
    await compare(write({ dtype }), { max: maxPattern() });
  });

  test(`${dtype}: several frames a chunk, big-endian and unfiltered ones too`, { skip }, async () => {
    const found = await compare(write({ dtype, depth: 3, damaged: [1] }), EVERYTHING);
    assert.deepEqual([...new Set(found.damaged.map(({ frame }) => frame))], [3, 4, 5]);
    await compare(write({ dtype, depth: 3, order: "big" }), WITH_MAX, { frames: [11, 2, 3, 7] });
    await compare(write({ dtype, order: "big", damaged: [5] }), EVERYTHING, { frames: [5, 0, 5, 9, 0] });
    await compare(write({ dtype, depth: 4, filter: "none" }), WITH_MAX);
  });
}

test("what native code does not add goes the other way: wide elements, floats, transforms, repeats in a chunk", {
  skip,
}, async () => {
  const [cpu] = cpus as [Backend];
  for (const dtype of ["u64", "i64", "f32", "f64"] as const) {
    assert.equal((await reduceBy(cpu, write({ dtype }), EVERYTHING, false)).canAdd, false, dtype);
  }
  const path = write({ dtype: "u16", depth: 3 });
  for (const more of [{ bin: 2 }, { flagged: "zero" }, { detector: { rows: [0, 9] } }, { frames: [4, 4] }]) {
    const wanted = { mean: meanPattern() };
    assert.equal(
      (await reduceBy(cpu, path, wanted, false, more).catch(() => ({ canAdd: false }))).canAdd,
      false,
    );
  }
  assert.equal((await reduceBy(cpu, path, EVERYTHING, false)).canAdd, true);
});

test("frames that are wrongly refused are added from the reference's bytes, and listed as suspect", {
  skip,
}, async () => {
  const path = write({ dtype: "u16", depth: 3 });
  const judged = await reduceBy(referenceBackend(), path, WITH_MAX, false);
  for (const cpu of cpus) {
    const { sums } = cpu;
    assert.ok(sums);
    // Chunk 2 is given with fewer bytes than it has: the backend refuses what the reference accepts.
    const wrong: Backend["sums"] = {
      ...sums,
      add: (batch, plan, control) =>
        sums.add(
          { ...batch, storedBytes: batch.storedBytes.map((n, i) => (i === 2 ? 20 : n)) },
          plan,
          control,
        ),
    };
    const { found, suspect } = await reduceBy({ ...cpu, sums: wrong }, path, WITH_MAX, true);
    assert.deepEqual(found.values, judged.found.values);
    assert.deepEqual(
      suspect.map(({ frame }) => frame),
      [6, 7, 8],
    );
    assert.ok(found.notes.some(({ code }) => code === "backend-dropped"));
  }
});
