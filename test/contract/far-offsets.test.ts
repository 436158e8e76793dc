// Owns: every backend writing around 2^31 and 2^32 bytes and elements of an output, in memory that is mostly never touched.
// Must not know: how a backend decodes, how views are made. Judge: the source arrays.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { OutputMemory } from "#framelab/backends/backend";
import { checkLoadOptions } from "#framelab/options";
import { prepare } from "#framelab/run/prepare";
import { openSession } from "#framelab/run/session";
import { openTask } from "#framelab/run/task";
import { decodeWindow } from "#framelab/run/window";
import { writeSingleFile } from "../fixtures/acquisition";
import { BACKENDS_HERE, countFrames, scratchFolder, stack, upTo } from "./harness";

const folder = scratchFolder();
const COUNT = 5;
const HEIGHT = 33;
const WIDTH = 57;
const FRAME = HEIGHT * WIDTH * 2;
const frames = countFrames("u16", HEIGHT, WIDTH);
const { path } = writeSingleFile(join(folder, "x.h5"), {
  name: "x",
  count: COUNT,
  height: HEIGHT,
  width: WIDTH,
  dtype: "u16",
  frames,
});

/** The third of five frames lies across each of them: 2^31 elements of two bytes end at 2^32 bytes, 2^32 at 2^33. */
const BOUNDARIES = [2 ** 31, 2 ** 32, 2 ** 33] as const;
const GUARD = 64;
/** Reserved, not used: pages that nothing touches take no memory. */
const BYTES = 2 ** 33 + COUNT * FRAME;

function reserve(): ArrayBuffer | string {
  try {
    return new ArrayBuffer(BYTES);
  } catch (error) {
    return `needs ${(BYTES / 1e9).toFixed(1)} GB of memory to reserve: ${(error as Error).message}`;
  }
}

for (const name of BACKENDS_HERE) {
  test(`${name}: a batch across each boundary of the output is exact, and nothing beside it is written`, async (t) => {
    const buffer = reserve();
    if (typeof buffer === "string") return t.skip(buffer);
    const options = checkLoadOptions(path, { progress: false, scanShape: null, backend: name });
    const { cancel, ticker, clock } = openTask("load", path, options, () => () => {});
    const prepared = await prepare(path, options, cancel, clock);
    const { run } = openSession(prepared, options, cancel, ticker, clock);
    assert.equal(run.choice.candidates[0]?.name, name);
    for (const boundary of BOUNDARIES) {
      const start = boundary - 2 * FRAME - FRAME / 2 + (boundary === 2 ** 33 ? -1 : 1);
      const output: OutputMemory = { buffer, start, bytes: COUNT * FRAME };
      const around = new Uint8Array(buffer, start - GUARD, COUNT * FRAME + 2 * GUARD).fill(0xa5);
      const valid = await decodeWindow(run, prepared, { from: 0, to: COUNT }, output);
      assert.deepEqual([...valid], [1, 1, 1, 1, 1]);
      const wanted = Buffer.concat([
        new Uint8Array(GUARD).fill(0xa5),
        stack(frames, upTo(COUNT)),
        new Uint8Array(GUARD).fill(0xa5),
      ]);
      assert.ok(Buffer.from(around).equals(wanted), `around ${boundary}`);
    }
  });
}
