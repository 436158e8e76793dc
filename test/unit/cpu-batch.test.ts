// Owns: the cpu backend on files: targets, refused bits, cut files, cancel, counters, hostile batches, at 1, 2 and 7 threads.
// Must not know: acquisitions, why a chunk is refused.
import assert from "node:assert/strict";
import { readFileSync, truncateSync } from "node:fs";
import { describe, it } from "node:test";
import { BackendError } from "framelab";
import { loadAddon } from "#framelab/backends/addon";
import {
  type Backend,
  type Batch,
  CONTROL_CANCEL,
  CONTROL_CHUNKS_DONE,
  CONTROL_CHUNKS_REFUSED,
  CONTROL_WORDS,
  type Control,
} from "#framelab/backends/backend";
import { openCpuBackend } from "#framelab/backends/cpu/index";
import { allocateOutput, releaseOutput } from "#framelab/backends/cpu/memory";
import { batchFiles, repeated } from "./batch-files";

const opened = openCpuBackend();
const skip = "reason" in opened ? `no native backend: ${opened.reason}` : false;
const { chunkBytes: CHUNK_BYTES, program, stack, guarded: guardedBytes } = batchFiles(5003);
const guarded = (count: number) => guardedBytes(count * CHUNK_BYTES);

function control(): Control {
  return { words: new Int32Array(CONTROL_WORDS) };
}

function backend(threads: number): Backend {
  const cpu = openCpuBackend({ threads });
  assert.ok("backend" in cpu);
  return cpu.backend;
}

describe("the cpu backend", { skip }, () => {
  for (const threads of [1, 2, 7]) {
    it(`decodes to targets, refuses by bits, writes nothing else, with ${threads} threads`, async () => {
      for (const gap of [0, 100, 10_000]) {
        const damaged = [2, 9, 58];
        const { batch, sources, close } = stack(61, damaged, gap);
        const { output, frame, guards } = guarded(61);
        const { words } = control();
        const { state, refused, trailing } = await backend(threads).decode(batch, output, { words });
        assert.equal(state, "done");
        assert.equal(trailing, 0);
        assert.deepEqual([...refused!], [0b100, 0b10, 0, 0, 0, 0, 0, 0b100]);
        for (const [i, source] of sources.entries()) {
          if (!damaged.includes(i)) assert.deepEqual(frame(60 - i), source, `frame ${i}, gap ${gap}`);
        }
        assert.ok(guards());
        assert.equal(words[CONTROL_CHUNKS_DONE], 61);
        assert.equal(words[CONTROL_CHUNKS_REFUSED], 3);
        close();
      }
    });
  }

  /** A batch with its file's bytes in memory of exactly that length, or with `behind` bytes behind them. */
  function held(batch: Batch, behind = 0): Batch & { memory: NonNullable<Batch["memory"]> } {
    const bytes = readFileSync(batch.file);
    const buffer = new ArrayBuffer(8 + bytes.length + behind);
    new Uint8Array(buffer).fill(0xee).set(bytes, 8);
    const memory = { buffer, start: 8, bytes: bytes.length };
    return { ...batch, fd: -1, fileBytes: memory.bytes, memory };
  }

  for (const threads of [1, 2, 7]) {
    it(`decodes stored bytes that are in memory as from the file, with ${threads} threads`, async () => {
      const { batch, sources, close } = stack(61, [2, 9], 100);
      batch.storedBytes[0]! += 1;
      batch.storedBytes[30]! += 99;
      const file = guarded(61);
      const fromFile = await backend(threads).decode(batch, file.output, control());
      close();
      const { output, frame, guards } = guarded(61);
      const { words } = control();
      const status = await backend(threads).decode(held(batch), output, { words });
      assert.deepEqual(status, fromFile);
      assert.equal(status.trailing, 2);
      assert.deepEqual([...status.refused!], [0b100, 0b10, 0, 0, 0, 0, 0, 0]);
      for (const [i, source] of sources.entries()) {
        if (i !== 2 && i !== 9) assert.deepEqual(frame(60 - i), source, `frame ${i}`);
      }
      assert.ok(guards());
      assert.equal(words[CONTROL_CHUNKS_DONE], 61);
      assert.equal(words[CONTROL_CHUNKS_REFUSED], 2);
    });
  }

  it("refuses chunks that are not in memory whole, each alone, and takes no wrong memory", async () => {
    const { batch, sources, close } = stack(20, [2]);
    close();
    const inMemory = held(batch, 64);
    const { bytes } = inMemory.memory;
    const address = batch.address.slice();
    const storedBytes = batch.storedBytes.slice();
    const hostile = new Map<number, [number, number]>([
      [5, [Number.NaN, 50]],
      [7, [address[7]!, bytes - address[7]! + 1]],
      [8, [bytes, 1]],
      [10, [-8, 50]],
      [11, [2 ** 53, 50]],
      [12, [1.5, 50]],
      [13, [address[13]!, Number.POSITIVE_INFINITY]],
      [14, [address[14]!, Number.NaN]],
      [15, [bytes + 16, 8]],
      [16, [2 ** 52, 2 ** 52]],
    ]);
    for (const [i, [at, length]] of hostile) [address[i], storedBytes[i]] = [at, length];
    const { output, frame, guards } = guarded(20);
    const { words } = control();
    const { state, refused } = await backend(2).decode({ ...inMemory, address, storedBytes }, output, {
      words,
    });
    assert.equal(state, "done");
    const bad = [2, ...hostile.keys()];
    for (const [i, source] of sources.entries()) {
      assert.equal((refused![i >> 3]! >> (i & 7)) & 1, bad.includes(i) ? 1 : 0, `chunk ${i}`);
      if (!bad.includes(i)) assert.deepEqual(frame(19 - i), source, `frame ${i}`);
    }
    assert.ok(guards());
    assert.equal(words[CONTROL_CHUNKS_DONE], 20);
    assert.equal(words[CONTROL_CHUNKS_REFUSED], bad.length);
    const { memory } = inMemory;
    for (const wrong of [
      { ...memory, bytes: memory.buffer.byteLength },
      { ...memory, start: -1 },
      { ...memory, bytes: Number.NaN },
      { ...memory, buffer: new Uint8Array(9) as unknown as ArrayBuffer },
    ]) {
      await assert.rejects(backend(2).decode({ ...inMemory, memory: wrong }, output, control()), {
        name: "BackendError",
      });
    }
    const small = { ...output, bytes: output.bytes - 1 };
    await assert.rejects(backend(2).decode(inMemory, small, control()), { name: "BackendError" });
  });

  it("keeps memory that it reads from being released", async () => {
    const native = loadAddon();
    assert.ok("addon" in native);
    const { batch, close } = stack(1);
    close();
    const own = held(batch);
    const memory = { ...allocateOutput(own.memory.bytes, native.addon), bytes: own.memory.bytes };
    new Uint8Array(memory.buffer, memory.start).set(new Uint8Array(own.memory.buffer, 8));
    const { output } = guarded(1);
    const running = backend(1).decode(repeated({ ...own, memory }, 20_000), output, control());
    assert.throws(() => releaseOutput(memory.buffer, native.addon), /being decoded/);
    assert.equal((await running).state, "done");
    releaseOutput(memory.buffer, native.addon);
    assert.equal(memory.buffer.byteLength, 0);
  });

  it("says its threads and instruction set, or why not", () => {
    assert.match(backend(1).device, /^1 thread, \S/);
    assert.match(backend(2).device, /^2 threads, \S/);
    assert.deepEqual(openCpuBackend({ threads: 0 }), {
      reason: "0 threads were asked for, 1 to 256 are possible",
    });
    const unknown = openCpuBackend({ isa: "mmx" });
    assert.ok(
      "reason" in unknown && /^the instruction set mmx does not run here; \S+.* do$/.test(unknown.reason),
    );
  });

  it("says which programs it leaves to the reference", () => {
    const deflated = { ...program, steps: [{ op: "inflate", filter: 0 } as const] };
    assert.equal(backend(1).refuses(deflated), "native code does not run the steps inflate");
    assert.equal(backend(1).refuses(program), null);
  });

  it("refuses chunks that a cut file no longer holds whole", async () => {
    const { batch, sources, close } = stack(4);
    truncateSync(batch.file, batch.address[3]! - 1);
    const { output, frame } = guarded(4);
    const { refused } = await backend(2).decode(batch, output, control());
    assert.deepEqual([...refused!], [0b1100]);
    assert.deepEqual(frame(3), sources[0]);
    close();
  });

  it("refuses what an index puts past the end of the file, or nowhere, without allocating", async () => {
    const { batch, close } = stack(5);
    batch.storedBytes[0] = 2 ** 52;
    batch.address[1] = 2 ** 53;
    batch.address[2] = Number.NaN;
    batch.storedBytes[3] = -1;
    const { output } = guarded(5);
    const { refused } = await backend(2).decode(batch, output, control());
    assert.deepEqual([...refused!], [0b1111]);
    close();
  });

  it("accepts and counts chunks with bytes behind their data, however many", async () => {
    const { batch, sources, close } = stack(4, [], 300_000);
    batch.storedBytes[0]! += 1;
    batch.storedBytes[2]! += 299_000;
    const { output, frame } = guarded(4);
    const status = await backend(2).decode(batch, output, control());
    assert.deepEqual(status, { state: "done", refused: null, trailing: 2 });
    for (const [i, source] of sources.entries()) assert.deepEqual(frame(3 - i), source);
    close();
  });

  it("stops for a cancel that is set before, and for one that is set while it runs", async () => {
    const { batch, close } = stack(3);
    const { output, frame } = guarded(3);
    const before = control();
    before.words[CONTROL_CANCEL] = 1;
    assert.equal((await backend(2).decode(batch, output, before)).state, "cancelled");
    assert.ok(frame(2).every((byte) => byte === 0xab));
    assert.equal(before.words[CONTROL_CHUNKS_DONE], 0);

    const count = 400_000;
    const long = repeated(batch, count);
    const during = control();
    const running = backend(1).decode(long, output, during);
    // The call has returned while the pool works: the event loop is free to set the flag.
    Atomics.store(during.words, CONTROL_CANCEL, 1);
    assert.equal((await running).state, "cancelled");
    assert.ok(during.words[CONTROL_CHUNKS_DONE]! < count);
    close();
  });

  it("runs several batches at once on one pool", async () => {
    const stacks = Array.from({ length: 6 }, (_, i) => stack(20 + i, [i]));
    await Promise.all(
      stacks.map(async ({ batch, sources }, i) => {
        const { output, frame, guards } = guarded(batch.count);
        const { refused } = await backend(1 + (i % 3)).decode(batch, output, control());
        assert.equal(refused![0], 1 << i);
        for (const [k, source] of sources.entries()) {
          if (k !== i) assert.deepEqual(frame(batch.count - 1 - k), source);
        }
        assert.ok(guards());
      }),
    );
    for (const { close } of stacks) close();
  });

  it("turns a wrong batch into a BackendError, and writes nothing", async () => {
    const { batch, close } = stack(2);
    const { output, guards, frame } = guarded(2);
    const wrong: [Partial<Batch>, Partial<typeof output>, RegExp][] = [
      [{}, { bytes: output.bytes - 1 }, /target of chunk 0 lies outside/],
      [{ target: Float64Array.of(0, -1) }, {}, /target of chunk 1/],
      [{ target: Float64Array.of(0, 2 ** 53) }, {}, /target of chunk 1/],
      [{ target: Float64Array.of(0.5, 0) }, {}, /target of chunk 0/],
      [{ target: Float64Array.of(0) }, {}, /target is not a typed array/],
      [{ count: 3 }, {}, /is not a typed array of the right type and length/],
      [{ count: -1 }, {}, /count is not a whole number/],
      [{ address: [0, 1] as unknown as Float64Array }, {}, /address is not a typed array/],
      [{ fd: -1 }, {}, /fd is not a whole number/],
      [{}, { start: output.buffer.byteLength }, /bytes is not a whole number/],
      [{}, { start: 2 ** 60 }, /start is not a whole number/],
      [{}, { buffer: new Uint8Array(4) as unknown as ArrayBuffer }, /buffer is not an ArrayBuffer/],
      [{ program: { ...program, chunkBytes: 2 ** 52 } }, {}, /target of chunk 0/],
    ];
    for (const [inBatch, inOutput, words] of wrong) {
      await assert.rejects(
        backend(2).decode({ ...batch, ...inBatch }, { ...output, ...inOutput }, control()),
        (error) => error instanceof BackendError && words.test(error.message),
        `${words}`,
      );
    }
    assert.ok(guards());
    assert.ok(frame(0).every((byte) => byte === 0xab));
    close();
  });

  it("keeps memory that it decodes into from being released", async () => {
    const native = loadAddon();
    assert.ok("addon" in native);
    const { batch, close } = stack(1);
    const count = 20_000;
    const long = repeated(batch, count);
    const output = allocateOutput(CHUNK_BYTES, native.addon);
    const running = backend(1).decode(long, output, control());
    assert.throws(() => releaseOutput(output.buffer, native.addon), /being decoded into/);
    assert.equal((await running).state, "done");
    releaseOutput(output.buffer, native.addon);
    assert.equal(output.buffer.byteLength, 0);
    close();
  });

  it("says when the system cannot read", async () => {
    const { batch, close } = stack(2);
    close();
    await assert.rejects(
      backend(2).decode(batch, guarded(2).output, control()),
      (error) => error instanceof BackendError && error.message.startsWith(`${batch.file} cannot be read: `),
    );
  });

  it("decodes nothing at once", async () => {
    const { batch, close } = stack(1);
    const status = await backend(2).decode({ ...batch, count: 0 }, guarded(1).output, control());
    assert.deepEqual(status, { state: "done", refused: null, trailing: 0 });
    close();
  });
});
