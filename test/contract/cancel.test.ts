// Owns: cancelling a load on every backend, and what its progress events say.
// Must not know: displays.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { ProgressEvent } from "framelab";
import { writeSingleFile } from "../fixtures/acquisition";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";

const one = countFrames("u16", 192, 192)(0);
const count = 20_000;
const { path } = writeSingleFile(join(scratchFolder(), "long.h5"), {
  name: "long",
  count,
  height: 192,
  width: 192,
  dtype: "u16",
  frames: () => one,
});

for (const backend of BACKENDS_HERE) {
  test(`${backend}: an aborted load rejects with AbortError and the next load is exact`, async () => {
    const abort = new AbortController();
    const events: ProgressEvent[] = [];
    const progress = (event: ProgressEvent) => {
      events.push(event);
      if (event.framesDone > 0 && event.framesDone < count) abort.abort();
    };
    await assert.rejects(loadOn(backend, path, { signal: abort.signal, progress }), { name: "AbortError" });
    assert.equal(events.at(-1)?.state, "cancelled");
    const frames = await loadOn(backend, path, { frames: { from: count - 3, to: count } });
    assert.ok(bytesOf(frames).equals(stack(() => one, upTo(3))));
  });

  test(`${backend}: progress ends with one true final event`, async () => {
    const events: ProgressEvent[] = [];
    await loadOn(backend, path, { frames: { from: 0, to: 300 }, progress: (event) => events.push(event) });
    const last = events.at(-1);
    assert.deepEqual(
      [last?.state, last?.framesDone, last?.framesTotal, last?.decodedBytes, last?.backend],
      ["done", 300, 300, 300 * one.length, backend],
    );
    assert.equal(events.filter(({ state }) => state !== "running").length, 1);
    const done = events.map(({ framesDone }) => framesDone);
    assert.deepEqual(
      done,
      [...done].sort((a, b) => a - b),
    );
  });
}

test("a signal that is already aborted stops before anything is read", async () => {
  await assert.rejects(loadOn("auto", "/nowhere.h5", { signal: AbortSignal.abort() }), {
    name: "AbortError",
  });
});
