// Owns: `load` through the Metal backend over the stand-in device: bytes, reports, faults, cancel, and nothing that grows.
// Must not know: how the backend decodes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, type TestContext, test } from "node:test";
import { BackendUnavailableError, DamagedFramesError } from "framelab";
import type { Batch } from "#framelab/backends/backend";
import { openMetalBackend } from "#framelab/backends/metal/index";
import { type AcquisitionSpec, writeAcquisition, writeSingleFile } from "../fixtures/acquisition";
import { writeDamageCase } from "../fixtures/damage";
import { assertSameReport, DAMAGE_KINDS, randomFile } from "./compare";
import { bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";
import { type OpeningFaults, type RunningFaults, type StandIn, useStandIn } from "./metal-harness";

const folder = scratchFolder();
const RANDOM_FILES = 60;
let standIn: StandIn;
let skip: string | null = null;

before(async () => {
  const made = await useStandIn();
  if ("skip" in made) skip = made.skip;
  else standIn = made;
});

/** A test that needs the stand-in, on a device without faults. */
function onStandIn(name: string, work: () => Promise<void>): void {
  test(name, async (t: TestContext) => {
    if (skip !== null) return t.skip(skip);
    order({});
    await work();
  });
}

let ordered = "{}";

/** Opening the device and its self-test take seconds here: they are done again only where faults ask for it. */
function order(opening: OpeningFaults, running: RunningFaults = {}): void {
  if (JSON.stringify(opening) !== ordered) standIn.standInFaults(opening);
  ordered = JSON.stringify(opening);
  if (Object.keys(running).length > 0) standIn.metalDevice();
  standIn.standInBreak(running);
}

function metal() {
  const opened = openMetalBackend();
  assert.ok("backend" in opened);
  return opened.backend;
}

function write(name: string, more: Partial<AcquisitionSpec> = {}) {
  const { dtype = "u16", height = 64, width = 96 } = more;
  const frames = countFrames(dtype, height, width);
  const spec = { name, count: 9, height, width, dtype, frames, ...more };
  return { spec, path: writeSingleFile(join(folder, `${name}.h5`), spec).path };
}

describe("bytes", () => {
  // Whole blocks; a short last block that a fused kernel takes; others, with and without raw tails.
  for (const [dtype, height, width] of [
    ["u8", 128, 128],
    ["u16", 192, 192],
    ["u16", 96, 96],
    ["u32", 192, 64],
    ["i16", 13, 11],
    ["f32", 40, 57],
    ["u8", 1, 5],
  ] as const) {
    onStandIn(`${dtype} ${height} x ${width} is exact`, async () => {
      const { spec, path } = write(`${dtype}-${height}-${width}`, { dtype, height, width });
      const frames = await loadOn("metal", path, { scanShape: null });
      assert.ok(bytesOf(frames).equals(stack(spec.frames, upTo(9))));
      assert.equal(frames.report.backend.name, "metal");
      assert.match(frames.report.backend.device, /^CPU stand-in, (uniform|windowed) parse: /);
    });
  }

  onStandIn("auto takes the GPU; a scan and a list of frames are exact", async () => {
    const spec = { name: "scan", count: 16, height: 64, width: 96, dtype: "u16" } as const;
    const frames = countFrames("u16", 64, 96);
    const { path } = writeAcquisition(folder, { ...spec, frames, filesOf: [5, 8, 3] });
    const part = await loadOn("auto", path, { scan: { rows: [1, 4, 2], cols: [2, 4] } });
    assert.equal(part.report.backend.name, "metal");
    assert.deepEqual(part.report.backend.tried, []);
    assert.ok(bytesOf(part).equals(stack(frames, [6, 7, 14, 15])));
    const listed = await loadOn("metal", path, { frames: [15, 0, 4, 5, 4] });
    assert.ok(bytesOf(listed).equals(stack(frames, [15, 0, 4, 5, 4])));
  });

  onStandIn("64-bit, big-endian and unfiltered data go to the cpu, with the reason", async () => {
    for (const [name, more, reason] of [
      ["u64", { dtype: "u64" }, /64 bits/],
      ["big", { order: "big" }, /big-endian/],
      ["plain", { filter: "unfiltered" }, /bitshuffle with LZ4 alone/],
    ] as const) {
      const { spec, path } = write(name, more);
      const frames = await loadOn("auto", path, { scanShape: null });
      assert.equal(frames.report.backend.name, "cpu");
      assert.match(frames.report.backend.tried[0]!.reason, reason);
      assert.ok(bytesOf(frames).equals(stack(spec.frames, upTo(9))));
      await assert.rejects(loadOn("metal", path, { scanShape: null }), BackendUnavailableError);
    }
  });
});

describe("a program that no kernel runs", () => {
  onStandIn("is refused in the name of the backend that was given it", async () => {
    const program = { steps: [{ op: "inflate", filter: 0 }], elementBytes: 2, chunkBytes: 8 } as const;
    const batch = { program, file: "scan.h5" } as unknown as Batch;
    const output = { buffer: new ArrayBuffer(8), start: 0, bytes: 8 };
    const decoded = metal().decode(batch, output, { words: new Int32Array(4) });
    await assert.rejects(decoded, { place: "metal", message: /^The metal backend cannot decode scan\.h5: / });
  });
});

describe("reports", () => {
  for (const [kind, cases] of DAMAGE_KINDS) {
    onStandIn(`${cases.length} cases of a ${kind}: report and bytes equal the reference's`, async () => {
      let damaged = 0;
      for (const [i, damage] of cases.entries()) {
        const path = join(folder, `${kind}-${i}.h5`);
        writeDamageCase(path, damage);
        damaged += (await assertSameReport(path, [metal()], i % 2 === 0)) > 0 ? 1 : 0;
      }
      assert.ok(damaged > 0);
    });
  }

  onStandIn(`${RANDOM_FILES} random files: report and bytes equal the reference's`, async () => {
    let damaged = 0;
    const types = [
      ["u8", 1],
      ["u16", 2],
      ["u32", 4],
    ] as const;
    for (let seed = 0; seed < RANDOM_FILES; seed++) {
      const path = randomFile(folder, seed, types);
      damaged += (await assertSameReport(path, [metal()], seed % 2 === 0)) > 0 ? 1 : 0;
    }
    assert.ok(damaged > RANDOM_FILES / 10 && damaged < RANDOM_FILES, `${damaged} files were damaged`);
  });

  onStandIn("a damaged frame is named, and the next load is exact", async () => {
    const store: AcquisitionSpec["store"] = (i, chunk) => {
      if (i !== 7) return chunk;
      const damaged = Uint8Array.from(chunk);
      damaged.fill(0xff, 16, 80);
      return damaged;
    };
    const { path } = write("damaged", { store });
    const error = await loadOn("metal", path, { scanShape: null }).catch((e: unknown) => e);
    assert.ok(error instanceof DamagedFramesError);
    assert.match(error.message, /^Frames 7 to 7: /);
    const { spec, path: good } = write("undamaged");
    assert.ok(bytesOf(await loadOn("metal", good, { scanShape: null })).equals(stack(spec.frames, upTo(9))));
  });
});

const VICTIM = "Discarded (victim of GPU error/recovery)";

describe("faults", () => {
  const { spec, path } = write("faults", { count: 30 });
  const whole = () => stack(spec.frames, upTo(30));

  for (const [name, faults, reason] of [
    ["no device", { noDevice: true }, /^no Metal device$/],
    ["a compile error", { compileError: true }, /do not compile: program_source/],
    ["SIMD width 64", { simdWidth: 64 }, /SIMD groups of 64 threads/],
    ["a self-test mismatch", { wrongKernel: "copy_raw" }, /fails its self-test: copy_raw: wrong answer/],
  ] as const) {
    onStandIn(`${name}: auto takes the cpu and says why; metal by name is refused`, async () => {
      order(faults);
      const frames = await loadOn("auto", path, { scanShape: null });
      const { tried, name: ran } = frames.report.backend;
      assert.equal(ran, "cpu");
      assert.equal(tried[0]?.name, "metal");
      assert.match(tried[0].reason, reason);
      assert.ok(bytesOf(frames).equals(whole()));
      await assert.rejects(loadOn("metal", path, { scanShape: null }), (error: unknown) => {
        assert.ok(error instanceof BackendUnavailableError);
        return reason.test(error.reason);
      });
    });
  }

  onStandIn("a nil no-copy buffer: frames are copied, and the report says so", async () => {
    order({}, { refuseNoCopy: true });
    const frames = await loadOn("metal", path, { scanShape: null });
    assert.ok(bytesOf(frames).equals(whole()));
    assert.ok(frames.report.notes.some(({ code }) => code === "gpu-copy"));
    order({});
    const next = await loadOn("metal", path, { scanShape: null });
    assert.ok(!next.report.notes.some(({ code }) => code === "gpu-copy"));
  });

  for (const [name, faults, reason, opening] of [
    // Another wait opens another device: one that has kept no buffers.
    ["a nil buffer", { refuseBuffers: true }, /no memory for a part of a batch/, { waitMs: 19_000 }],
    ["a failed command buffer", { failingCommands: 1, failure: "page fault" }, /page fault/, {}],
    [
      "a victim of another's fault for the second time",
      { failingCommands: 2, failure: VICTIM },
      /victim/,
      {},
    ],
  ] as const) {
    onStandIn(`${name}: auto goes on with the cpu; metal by name is a BackendError`, async () => {
      order(opening, faults);
      const frames = await loadOn("auto", path, { scanShape: null });
      assert.equal(frames.report.backend.name, "cpu");
      const dropped = frames.report.notes.find(({ code }) => code === "backend-dropped");
      assert.match(dropped?.text ?? "", reason);
      assert.ok(bytesOf(frames).equals(whole()));
      order(opening, faults);
      const failed = { name: "BackendError", message: reason };
      await assert.rejects(loadOn("metal", path, { scanShape: null }), failed);
      order({});
      assert.ok(bytesOf(await loadOn("metal", path, { scanShape: null })).equals(whole()));
    });
  }

  onStandIn("an innocent victim is run once more", async () => {
    order({}, { failingCommands: 1, failure: VICTIM });
    assert.ok(bytesOf(await loadOn("metal", path, { scanShape: null })).equals(whole()));
  });

  onStandIn("output beyond the longest buffer lies under several, and is not copied", async () => {
    order({ mostBufferBytes: 2 ** 18 });
    standIn.metalDevice();
    const { commands } = standIn.standInCounts();
    const frames = await loadOn("metal", path, { scanShape: null });
    assert.ok(bytesOf(frames).equals(whole()));
    assert.ok(standIn.standInCounts().commands >= commands + 2);
    assert.ok(!frames.report.notes.some(({ code }) => code === "gpu-copy"));
  });

  onStandIn(
    "a piece takes a fourth of the GPU's memory at most; a chunk that is larger goes to the cpu",
    async () => {
      const chunk = 64 * 96 * 2;
      order({ workingSetBytes: 4 * 3 * chunk });
      standIn.metalDevice();
      const { commands } = standIn.standInCounts();
      assert.ok(bytesOf(await loadOn("metal", path, { scanShape: null })).equals(whole()));
      // Windows begin and end on pages, so that two chunks fit in the room of three.
      assert.ok(standIn.standInCounts().commands >= commands + 30 / 3);
      order({ workingSetBytes: 4 * chunk - 4 });
      const frames = await loadOn("auto", path, { scanShape: null });
      assert.equal(frames.report.backend.name, "cpu");
      assert.match(
        frames.report.backend.tried[0]!.reason,
        /12288 bytes is more than the 12287 that this GPU takes/,
      );
      assert.ok(bytesOf(frames).equals(whole()));
    },
  );

  onStandIn("a GPU that does not answer is left alone from then on", async () => {
    order({ waitMs: 300 }, { neverEnds: true });
    const lost = { name: "BackendError", message: /did not answer/ };
    // It may still write the frames: no other backend goes on with their memory.
    await assert.rejects(loadOn("auto", path, { scanShape: null }), lost);
    await assert.rejects(loadOn("metal", path, { scanShape: null }), { name: "BackendUnavailableError" });
    standIn.standInBreak({});
    const frames = await loadOn("auto", path, { scanShape: null });
    assert.equal(frames.report.backend.name, "cpu");
    assert.match(frames.report.backend.tried[0]!.reason, /did not answer/);
    assert.ok(bytesOf(frames).equals(whole()));
  });
});

describe("cancel and growth", () => {
  onStandIn("an aborted load rejects with AbortError and the next load is exact", async () => {
    const one = countFrames("u16", 192, 192)(0);
    const long = { count: 2000, height: 192, width: 192, frames: () => one };
    const { path } = write("long", long);
    const abort = new AbortController();
    let reached = 0;
    const progress = ({ framesDone }: { framesDone: number }) => {
      reached = Math.max(reached, framesDone);
      if (framesDone > 0) abort.abort();
    };
    await assert.rejects(loadOn("metal", path, { signal: abort.signal, progress }), { name: "AbortError" });
    assert.ok(reached > 0 && reached < 2000, `${reached} frames were done`);
    const frames = await loadOn("metal", path, { frames: { from: 1997, to: 2000 } });
    assert.ok(bytesOf(frames).equals(stack(() => one, upTo(3))));
  });

  onStandIn("nothing grows over 100 loads", async () => {
    const { spec, path } = write("again", { count: 3 });
    const once = async () => {
      const frames = await loadOn("metal", path, { scanShape: null });
      assert.ok(bytesOf(frames).equals(stack(spec.frames, upTo(3))));
      frames.release();
    };
    await once();
    const before = standIn.standInCounts().objects;
    for (let i = 0; i < 100; i++) await once();
    assert.equal(standIn.standInCounts().objects, before);
  });
});
