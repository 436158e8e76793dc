// Owns: how stored bytes reach the GPU: read once, straight to the memory it shares, and during the work before them.
// Must not know: how the backend cuts a batch, how long anything takes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { setTimeout as later } from "node:timers/promises";
import { type AcquisitionSpec, writeAcquisition, writeSingleFile } from "../fixtures/acquisition";
import { bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";
import { type Flow, type StandIn, useStandIn } from "./metal-harness";

const folder = scratchFolder();
const HEIGHT = 64;
const WIDTH = 96;
const FRAMES = 100;
/** Longest buffer: it takes 21 frames of 12,288 bytes or fewer, and two pages beside them. */
const MOST_BUFFER_BYTES = 2 ** 18;
/** Longest wait for a state that must come. */
const PATIENCE_MS = 20_000;

let standIn: StandIn;
let skip: string | null = null;

before(async () => {
  const made = await useStandIn();
  if ("skip" in made) {
    skip = made.skip;
    return;
  }
  standIn = made;
  standIn.standInFaults({ mostBufferBytes: MOST_BUFFER_BYTES });
  standIn.metalDevice();
});
after(() => standIn?.standInHold(false));

function onStandIn(name: string, work: () => Promise<void>): void {
  test(name, async (t: TestContext) => (skip === null ? work() : t.skip(skip)));
}

/** An acquisition and the stored bytes of each of its chunks. */
function write(name: string, filesOf: readonly number[], width = WIDTH) {
  const stored: number[] = [];
  const store: AcquisitionSpec["store"] = (i, chunk) => {
    stored[i] = chunk.length;
    return chunk;
  };
  const frames = countFrames("u16", HEIGHT, width);
  const spec = { name, count: sum(filesOf), height: HEIGHT, width, dtype: "u16", frames, store } as const;
  const { path } =
    filesOf.length === 1
      ? writeSingleFile(join(folder, `${name}.h5`), spec)
      : writeAcquisition(folder, { ...spec, filesOf });
  return { path, expected: () => stack(frames, upTo(spec.count)), stored };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, x) => total + x, 0);

/** Waits until the device's flow is so. */
async function reached(what: string, is: (flow: Flow) => boolean): Promise<Flow> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await later(5)) {
    const flow = standIn.standInFlow();
    if (is(flow)) return flow;
  }
  throw new Error(`${what} was never reached: ${JSON.stringify(standIn.standInFlow())}`);
}

describe("stored bytes", () => {
  for (const filesOf of [[FRAMES], [30, 50, 20]]) {
    onStandIn(
      `of ${filesOf.length} files are read once, straight to memory that the GPU shares`,
      async () => {
        const { path, expected, stored } = write(`once-${filesOf.length}`, filesOf);
        const before = standIn.standInFlow();
        const frames = await loadOn("metal", path, { scanShape: null });
        const flow = standIn.standInFlow();
        assert.ok(bytesOf(frames).equals(expected()));
        assert.equal(flow.read - before.read, sum(stored));
        assert.equal(flow.readStraight - before.readStraight, sum(stored));
        assert.ok(!frames.report.notes.some(({ code }) => code === "gpu-copy"));
      },
    );
  }

  onStandIn("of frames that are not asked for stay unread", async () => {
    const { path, stored } = write("part", [FRAMES]);
    const before = standIn.standInFlow();
    await loadOn("metal", path, { frames: { from: 10, to: 60 } });
    assert.equal(standIn.standInFlow().read - before.read, sum(stored.slice(10, 60)));
  });
});

describe("buffers", () => {
  onStandIn("are kept: a second load like the first needs no new ones", async () => {
    const { path, expected } = write("kept", [FRAMES]);
    await loadOn("metal", path, { scanShape: null });
    standIn.standInBreak({ refuseBuffers: true });
    try {
      assert.ok(bytesOf(await loadOn("metal", path, { scanShape: null })).equals(expected()));
    } finally {
      standIn.standInBreak({});
    }
  });
});

describe("the next part", () => {
  onStandIn("of a file is read while the GPU is at the one before, and no third one", async () => {
    const { path, expected, stored } = write("parts", [FRAMES]);
    standIn.standInHold(true);
    const before = standIn.standInFlow();
    let done = 0;
    const progress = ({ framesDone }: { framesDone: number }) => {
      done = Math.max(done, framesDone);
    };
    const load = loadOn("metal", path, { scanShape: null, progress });
    const flow = await reached("a second part behind the first", ({ inFlight }) => inFlight === 2);
    // Nothing has run, so that no frame is done: both parts were read during the first one's turn.
    assert.equal(done, 0);
    const parts = [20, 21].map((most) => sum(stored.slice(0, 2 * most)));
    assert.ok(flow.read - before.read >= parts[0]! && flow.read - before.read <= parts[1]!);
    standIn.standInHold(false);
    assert.ok(bytesOf(await load).equals(expected()));
    assert.equal(standIn.standInFlow().mostInFlight, 2);
  });

  onStandIn("is that of the next file where a file is one part", async () => {
    const { path, expected } = write(
      "files",
      [...Array(10).keys()].map(() => FRAMES / 10),
    );
    standIn.standInHold(true);
    const load = loadOn("metal", path, { scanShape: null });
    await reached("a second file behind the first", ({ inFlight }) => inFlight >= 2);
    standIn.standInHold(false);
    assert.ok(bytesOf(await load).equals(expected()));
  });
});

describe("files that are decoded at once", () => {
  // No whole number of pages, so that the last frame of a file and the first of the next lie on one.
  const ODD_WIDTH = 97;

  for (const [name, frames, least] of [
    ["one behind the other", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 2],
    ["by turns", [0, 5, 1, 6, 2, 7, 3, 8, 4, 9], 0],
  ] as const) {
    onStandIn(
      `${name} are under buffers that share no byte: what the CPU writes to one is not the GPU's`,
      async () => {
        const { path, expected } = write(`windows-${least}`, [5, 5], ODD_WIDTH);
        const frameBytes = HEIGHT * ODD_WIDTH * 2;
        const wanted = frames.map((frame) =>
          expected().subarray(frame * frameBytes, (frame + 1) * frameBytes),
        );
        standIn.standInHold(true);
        const load = loadOn("metal", path, { frames: [...frames] });
        // A file may be in flight in two parts: its window, and the frames beside it, which are copied.
        const windowsNow = () => standIn.standInWindows();
        await reached("both files", ({ inFlight }) => inFlight >= 2 && windowsNow().length >= least);
        const windows = windowsNow().sort(([a], [b]) => a - b);
        standIn.standInHold(false);
        assert.ok(bytesOf(await load).equals(Buffer.concat(wanted)));
        for (const [i, [begin]] of windows.slice(1).entries()) assert.ok(windows[i]![1] <= begin);
      },
    );
  }
});
