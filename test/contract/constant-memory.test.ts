// Owns: streams, checks and sums on every backend: memory that does not grow with the frames, options, progress and cancel of `load`.
// Must not know: how frames are decoded or added.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  type BackendName,
  disk,
  forEachBatch,
  type LoadReport,
  load,
  maxPattern,
  meanPattern,
  type ProgressEvent,
  reduce,
  stream,
  verify,
  virtualImage,
} from "framelab";
import { loadAddon } from "#framelab/backends/addon";
import { writeSingleFile } from "../fixtures/acquisition";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, upTo } from "./harness";

const folder = scratchFolder();
// All frames but frame 3 share one stored chunk: files stay small.
const [common, odd] = upTo(2).map(countFrames("u16", 96, 96)) as [Uint8Array, Uint8Array];
const SHORT = 400;

function write(count: number): string {
  const path = join(folder, `${count}.h5`);
  const frames = (i: number) => (i === 3 ? odd : common);
  writeSingleFile(path, { name: "long", count, height: 96, width: 96, dtype: "u16", frames });
  return path;
}

const paths = [SHORT, 4 * SHORT].map(write) as [string, string];
const SUMS = { bf: virtualImage(disk({ center: [48, 48], radius: 20 })), mean: meanPattern() };
/** What the index of a frame costs, which nothing can save; a frame itself has 18,432 bytes. */
const INDEX_BYTES = 100;

const WORKS: Record<string, (path: string, backend: BackendName) => Promise<LoadReport>> = {
  stream: (path, backend) => forEachBatch(path, () => {}, { backend, batchFrames: 50, progress: false }),
  verify: (path, backend) => verify(path, { backend, progress: false }),
  sums: async (path, backend) => (await reduce(path, SUMS, { backend, progress: false })).bf.report,
};

for (const backend of BACKENDS_HERE) {
  for (const [name, work] of Object.entries(WORKS)) {
    // Its windows, which are as large as both files, do not grow either: the scan larger than its limit shows it.
    if (name !== "stream" && backend === "reference") continue;
    test(`${backend}: ${name} of four times the frames holds no more at once but their index`, async () => {
      const [short, long] = [await work(paths[0], backend), await work(paths[1], backend)];
      assert.deepEqual([short.frames.selected, long.frames.selected], [SHORT, 4 * SHORT]);
      const stored = long.bytes.stored - short.bytes.stored;
      const grown = long.bytes.peak - short.bytes.peak;
      assert.ok(grown <= 3 * SHORT * INDEX_BYTES + stored, `${grown} bytes`);
    });
  }

  test(`${backend}: a limit that no load fits holds for streams`, async () => {
    const memoryLimit = 24e6;
    const limited = { backend, memoryLimit, progress: false } as const;
    await assert.rejects(load(paths[1], limited), { name: "MemoryLimitError" });
    const report = await forEachBatch(paths[1], () => {}, { ...limited, batchFrames: 100 });
    assert.ok(report.bytes.peak <= memoryLimit);
    await assert.rejects(
      forEachBatch(paths[1], () => {}, { ...limited, batchFrames: 1600 }),
      {
        name: "MemoryLimitError",
      },
    );
  });

  test(`${backend}: a stream takes the options of load, and hands the same memory out again`, async () => {
    const options = {
      frames: { from: 1, to: 9, step: 2 },
      detector: { rows: [8, 72] },
      bin: 2,
      dtype: "u8",
    } as const;
    const whole = await loadOn(backend, paths[0], options);
    const batches: Buffer[] = [];
    const memories = new Set<unknown>();
    for await (const { first, frames, valid } of stream(paths[0], {
      ...options,
      backend,
      batchFrames: 3,
      progress: false,
    })) {
      assert.equal(first, 3 * batches.length);
      assert.deepEqual(frames.shape, [valid.length, 32, 48]);
      assert.deepEqual([...frames.stride], [32 * 48, 48, 1]);
      batches.push(Buffer.from(bytesOf(frames)));
      memories.add(frames.data.buffer);
    }
    assert.ok(Buffer.concat(batches).equals(bytesOf(whole)));
    assert.deepEqual([batches.length, memories.size], [2, 1]);
  });

  test(`${backend}: progress of a stream counts to its end, and a cancel ends it and every other work`, async () => {
    const events: ProgressEvent[] = [];
    const seen = (event: ProgressEvent) => events.push(event);
    await forEachBatch(paths[0], () => {}, { backend, batchFrames: 64, progress: seen });
    assert.deepEqual(
      [events.at(-1)?.task, events.at(-1)?.state, events.at(-1)?.framesDone],
      ["stream", "done", SHORT],
    );
    await verify(paths[0], { backend, progress: seen });
    assert.deepEqual(
      [events.at(-1)?.task, events.at(-1)?.state, events.at(-1)?.framesDone],
      ["verify", "done", SHORT],
    );
    const abort = new AbortController();
    let batches = 0;
    const stopped = forEachBatch(
      paths[1],
      () => {
        batches += 1;
        abort.abort();
      },
      { backend, batchFrames: 64, progress: seen, signal: abort.signal },
    );
    await assert.rejects(stopped, { name: "AbortError" });
    assert.deepEqual([batches, events.at(-1)?.state], [1, "cancelled"]);
    const signal = AbortSignal.abort();
    await assert.rejects(verify(paths[1], { backend, progress: false, signal }), { name: "AbortError" });
    await assert.rejects(reduce(paths[1], SUMS, { backend, progress: false, signal }), {
      name: "AbortError",
    });
  });
}

const loaded = loadAddon();
const skip = "reason" in loaded ? `no native addon: ${loaded.reason}` : false;

test("a check keeps nothing: it has no memory for frames at all", {
  skip: BACKENDS_HERE.includes("cpu") ? false : "there is no native decoder here",
}, async () => {
  const limit = { memoryLimit: Number.POSITIVE_INFINITY, progress: false } as const;
  const native = await verify(paths[1], { ...limit, backend: "cpu" });
  const judged = await verify(paths[1], { ...limit, backend: "reference" });
  assert.ok(native.bytes.peak < native.bytes.decoded / 100, `${native.bytes.peak} bytes`);
  assert.ok(judged.bytes.peak >= judged.bytes.decoded, `${judged.bytes.peak} bytes`);
});

test("sums of a path have no memory for frames at all, unlike those that must be decoded first", {
  skip,
}, async () => {
  assert.ok("addon" in loaded);
  const { addon } = loaded;
  const before = addon.mappedBytes();
  /** The most that is mapped whenever the event loop turns. */
  async function mostMapped(work: Promise<unknown>): Promise<number> {
    let most = 0;
    let running = true;
    const watched = work.finally(() => {
      running = false;
    });
    while (running) {
      most = Math.max(most, addon.mappedBytes() - before);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await watched;
    return most;
  }
  const options = { backend: "cpu", progress: false } as const;
  assert.equal(await mostMapped(reduce(paths[1], SUMS, options)), 0);
  assert.equal(await mostMapped(reduce(paths[1], { ...SUMS, max: maxPattern() }, options)), 0);
  assert.ok((await mostMapped(reduce(paths[1], SUMS, { ...options, flagged: "zero" }))) > 2 ** 20);
});
