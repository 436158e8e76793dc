// Owns: output memory: alignment, sizes up to and above 4 GiB, release, and the pool of released outputs.
// Must not know: decoding.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Addon, loadAddon } from "#framelab/backends/addon";
import { allocateOutput, keepReleasedOutputs, releaseOutput } from "#framelab/backends/cpu/memory";

const loaded = loadAddon();
const addon = "addon" in loaded ? loaded.addon : null;
const skip = addon ? false : `no native addon: ${"reason" in loaded ? loaded.reason : ""}`;
const MiB = 2 ** 20;

/** Finalizers of detached memory run in a later turn of the event loop. */
async function settled(native: Addon, bytes: number): Promise<void> {
  for (let i = 0; i < 100 && native.mappedBytes() !== bytes; i++)
    await new Promise((done) => setImmediate(done));
  assert.equal(native.mappedBytes(), bytes);
}

describe("output memory", { skip }, () => {
  it("is zero, whole, and gives its memory back at once when released", async () => {
    const before = addon!.mappedBytes();
    for (const bytes of [1, 4096, 3 * MiB + 5]) {
      const output = allocateOutput(bytes, addon);
      assert.deepEqual([output.start, output.bytes, output.zeroed], [0, bytes, true]);
      assert.equal(output.buffer.byteLength, bytes);
      const all = new Uint8Array(output.buffer);
      assert.ok(all.every((byte) => byte === 0));
      all.fill(7);
      assert.ok(addon!.mappedBytes() >= before + bytes);
      releaseOutput(output.buffer, addon);
      assert.equal(all.length, 0);
      releaseOutput(output.buffer, addon);
      await settled(addon!, before);
    }
  });

  it("starts at a page boundary inside an ArrayBuffer above 4 GiB", () => {
    // Lazily zeroed: only the pages touched here exist.
    const bytes = 2 ** 32 + 5;
    const output = allocateOutput(bytes, addon);
    assert.ok(output.start < 16_384 && output.start + bytes <= output.buffer.byteLength);
    assert.equal(addon!.adviseMemory(output.buffer), output.start);
    new Uint8Array(output.buffer, output.start + 2 ** 32, 5).fill(1);
    releaseOutput(output.buffer, addon);
    assert.equal(output.buffer.byteLength, 0);
  });

  it("is kept for the next output of a like size when asked, and says that it is not zero", async () => {
    const before = addon!.mappedBytes();
    keepReleasedOutputs(8 * MiB, addon);
    const first = allocateOutput(4 * MiB, addon);
    new Uint8Array(first.buffer).fill(9);
    releaseOutput(first.buffer, addon);
    // Mapped before and after: only turns of the event loop show that the finalizer ran.
    for (let i = 0; i < 50; i++) await new Promise((done) => setTimeout(done, 2));
    assert.equal(addon!.mappedBytes(), before + 4 * MiB);
    const second = allocateOutput(3 * MiB, addon);
    assert.equal(second.zeroed, false);
    assert.equal(new Uint8Array(second.buffer)[0], 9);
    const other = allocateOutput(1 * MiB, addon);
    assert.equal(other.zeroed, true);
    releaseOutput(second.buffer, addon);
    releaseOutput(other.buffer, addon);
    keepReleasedOutputs(0, addon);
    await settled(addon!, before);
  });

  it("that the system does not have is a RangeError", () => {
    assert.throws(() => allocateOutput(2 ** 52, addon), RangeError);
  });

  it("is V8's own without an addon", () => {
    const output = allocateOutput(100, null);
    assert.deepEqual([output.start, output.buffer.byteLength, output.zeroed], [0, 100, true]);
    releaseOutput(output.buffer, null);
    assert.equal(output.buffer.byteLength, 0);
    releaseOutput(output.buffer, null);
  });
});
