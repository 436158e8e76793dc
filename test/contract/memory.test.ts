// Owns: memory of frames that is given back, or kept and used again: no load ever shows an earlier one's bytes.
// Must not know: where memory comes from.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { keepReleasedMemory, OptionError } from "framelab";
import { writeSingleFile } from "../fixtures/acquisition";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";

const folder = scratchFolder();
const frameOf = countFrames("u16", 64, 96);
const spec = { count: 40, height: 64, width: 96, dtype: "u16", frames: frameOf } as const;
const good = writeSingleFile(join(folder, "good.h5"), { ...spec, name: "good" }).path;
const gaps = writeSingleFile(join(folder, "gaps.h5"), {
  ...spec,
  name: "gaps",
  store: (i, chunk) => {
    if (i === 5) return null;
    if (i !== 9) return chunk;
    const damaged = Uint8Array.from(chunk);
    damaged.fill(0xff, 16, 60);
    return damaged;
  },
}).path;
after(() => keepReleasedMemory(0));

for (const backend of BACKENDS_HERE) {
  test(`${backend}: kept memory never shows an earlier load in damaged or missing frames`, async () => {
    keepReleasedMemory(2 ** 28);
    for (let round = 0; round < 3; round++) {
      const first = await loadOn(backend, good, { scanShape: null });
      first.data.fill(0xabcd);
      first.release();
      assert.equal(first.data.length, 0);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const options = { scanShape: null, onDamage: "mask", onMissing: "fill" } as const;
      const frames = await loadOn(backend, gaps, options);
      const expected = (i: number) => (i === 5 || i === 9 ? new Uint8Array(64 * 96 * 2) : frameOf(i));
      assert.ok(bytesOf(frames).equals(stack(expected, upTo(40))));
      frames.release();
    }
    keepReleasedMemory(0);
  });
}

test("keepReleasedMemory takes whole numbers of bytes", () => {
  for (const bytes of [-1, 0.5, Number.NaN, "1" as unknown as number]) {
    assert.throws(() => keepReleasedMemory(bytes), OptionError);
  }
});
