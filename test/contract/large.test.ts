// Owns: outputs beyond 2^31 and 2^32 elements through `load`: a small file of one repeated chunk.
// Must not know: how views are made.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "framelab";
import { availableMemory } from "#framelab/run/admission";
import { writeSingleFile } from "../fixtures/acquisition";
import { countFrames, scratchFolder } from "./harness";

const folder = scratchFolder();
const [common, last] = [countFrames("u8", 192, 192)(0), countFrames("u8", 192, 192)(1)];

for (const [name, boundary, count] of [
  ["2^31", 2 ** 31, 60_000],
  ["2^32", 2 ** 32, 120_000],
] as const) {
  /** Its elements lie on both sides of the boundary. */
  const across = Math.floor(boundary / (192 * 192));
  const needed = count * 192 * 192 * 1.2;
  const skip = availableMemory() < needed ? `needs ${(needed / 1e9).toFixed(1)} GB of memory` : false;
  test(`${count} frames, past ${name} elements, are exact there and at their end`, { skip }, async () => {
    const { path } = writeSingleFile(join(folder, `${count}.h5`), {
      name: "long",
      count,
      height: 192,
      width: 192,
      dtype: "u8",
      frames: (i) => (i === count - 1 || i === across ? last : common),
    });
    const frames = await load(path, { progress: false, scanShape: null });
    const at = (y: number, x: number) => last[y * 192 + x];
    assert.deepEqual(frames.shape, [count, 192, 192]);
    assert.equal(frames.get(count - 1, 191, 190), at(191, 190));
    assert.equal(frames.pick(count - 1).get(5, 7), at(5, 7));
    assert.equal(frames.lo(count - 1, 3).get(0, 2, 9), at(5, 9));
    assert.equal(frames.hi(count, 10, 10).get(count - 1, 9, 8), at(9, 8));
    assert.equal(frames.get(count - 2, 9, 8), common[9 * 192 + 8]);
    for (const [i, wanted] of [
      [across - 1, common],
      [across, last],
      [across + 1, common],
    ] as const) {
      assert.ok(Buffer.from(frames.frame(i).data as Uint8Array).equals(Buffer.from(wanted)), `frame ${i}`);
    }
    assert.equal(frames.get(across, 191, 190), at(191, 190));
    assert.equal(frames.get(across, 0, 9), at(0, 9));
    assert.ok(Buffer.from(frames.frame(count - 1).data as Uint8Array).equals(Buffer.from(last)));
    assert.ok(Buffer.from(frames.frame(count - 2).data as Uint8Array).equals(Buffer.from(common)));
    frames.release();
  });
}
