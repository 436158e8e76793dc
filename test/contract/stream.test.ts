// Owns: `stream`, `forEachBatch` and `verify` on every backend: the frames, errors and reports of `load`, in batches.
// Must not know: how a batch is decoded.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  DamagedFramesError,
  forEachBatch,
  MissingFileError,
  type StreamOptions,
  stream,
  verify,
} from "framelab";
import { type AcquisitionSpec, writeAcquisition } from "../fixtures/acquisition";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";

const folder = scratchFolder();
const COUNT = 23;
const frameOf = countFrames("u16", 30, 41);
const spec = { count: COUNT, height: 30, width: 41, dtype: "u16", frames: frameOf } as const;

const good = writeAcquisition(folder, { ...spec, name: "good", filesOf: [9, 9, 5] }).path;
const damage: AcquisitionSpec["store"] = (i, chunk) => {
  if (i !== 4 && i !== 20) return chunk;
  const stored = Uint8Array.from(chunk);
  stored.fill(0xff, 16, 60);
  return stored;
};
const damaged = writeAcquisition(folder, {
  ...spec,
  name: "damaged",
  filesOf: [9, 9, 5],
  store: damage,
}).path;
const absent = writeAcquisition(folder, {
  ...spec,
  name: "absent",
  filesOf: [9, 9, 5],
  absentFiles: [1],
}).path;

async function collect(path: string, options: StreamOptions) {
  const parts: Buffer[] = [];
  const firsts: number[] = [];
  const valid: number[] = [];
  const report = await forEachBatch(
    path,
    (batch) => {
      parts.push(Buffer.from(bytesOf(batch.frames)));
      firsts.push(batch.first);
      valid.push(...batch.valid);
    },
    { progress: false, ...options },
  );
  return { bytes: Buffer.concat(parts), firsts, valid, report };
}

for (const backend of BACKENDS_HERE) {
  test(`${backend}: batches join to the frames, over file boundaries and with a short last batch`, async () => {
    const { bytes, firsts } = await collect(good, { backend, batchFrames: 7 });
    assert.ok(bytes.equals(stack(frameOf, upTo(COUNT))));
    assert.deepEqual(firsts, [0, 7, 14, 21]);
    const list = [22, 3, 3, 10, 0];
    const some = await collect(good, { backend, batchFrames: 2, frames: list });
    assert.ok(some.bytes.equals(stack(frameOf, list)));
  });

  test(`${backend}: a damaged batch is not handed over, and the error's report is that of load`, async () => {
    const expected = await loadOn(backend, damaged).catch((error: unknown) => error);
    assert.ok(expected instanceof DamagedFramesError);
    let seen = 0;
    const streamed = (async () => {
      for await (const { frames } of stream(damaged, { backend, batchFrames: 4, progress: false })) {
        seen += frames.shape[0];
      }
    })();
    const error = await streamed.catch((e: unknown) => e);
    assert.ok(error instanceof DamagedFramesError);
    assert.equal(seen, 4);
    assert.deepEqual(error.report.damaged, expected.report.damaged);
    assert.equal(error.message, expected.message);
  });

  test(`${backend}: masked damage and filled gaps are marked in each batch`, async () => {
    const masked = await collect(damaged, { backend, batchFrames: 5, onDamage: "mask" });
    assert.deepEqual(
      masked.valid,
      upTo(COUNT).map((i) => (i === 4 || i === 20 ? 0 : 1)),
    );
    const filled = await collect(absent, { backend, batchFrames: 4, onMissing: "fill" });
    assert.deepEqual(
      filled.valid,
      upTo(COUNT).map((i) => (i >= 9 && i < 18 ? 0 : 1)),
    );
    assert.ok(filled.bytes.subarray(18 * 2460).equals(stack(frameOf, [18, 19, 20, 21, 22])));
    await assert.rejects(collect(absent, { backend }), { name: "MissingFramesError" });
  });

  test(`${backend}: verify reports what load refuses`, async () => {
    const report = await verify(damaged, { backend, progress: false });
    assert.deepEqual([...new Set(report.damaged.map(({ frame }) => frame))], [4, 20]);
    const gaps = await verify(absent, { backend, progress: false });
    assert.equal(gaps.missing.length, 9);
    assert.equal((await verify(good, { backend, progress: false })).damaged.length, 0);
  });
}

test("an error of the caller's function ends the stream and comes through", async () => {
  const mine = new Error("mine");
  const call = forEachBatch(good, () => Promise.reject(mine), { progress: false, batchFrames: 3 });
  await assert.rejects(call, mine);
});

test("breaking out of a stream ends it, and the next one is exact", async () => {
  for await (const { first } of stream(good, { progress: false, batchFrames: 3 })) {
    if (first === 6) break;
  }
  const { bytes } = await collect(good, {});
  assert.ok(bytes.equals(stack(frameOf, upTo(COUNT))));
});

test("batchFrames must be a positive whole number", () => {
  assert.throws(() => stream(join(folder, "x.h5"), { batchFrames: 0 }), { name: "OptionError" });
});

test("a data file that becomes a folder or a pipe, or goes, while it is streamed is named, without a wait", {
  skip: process.platform === "win32" && "Windows has no pipes in folders",
}, async () => {
  for (const backend of BACKENDS_HERE) {
    for (const kind of ["folder", "pipe", "nothing"] as const) {
      const name = `${backend}-${kind}`;
      const filesOf = [5, 5, 5, 5, 3];
      const { path, dataFiles } = writeAcquisition(folder, { ...spec, name, filesOf });
      const last = dataFiles[4]!;
      const streamed = forEachBatch(
        path,
        ({ first }) => {
          if (first > 0) return;
          rmSync(last);
          if (kind === "folder") mkdirSync(last);
          if (kind === "pipe") execFileSync("mkfifo", [last]);
        },
        { progress: false, backend, batchFrames: 5 },
      );
      await assert.rejects(streamed, (error) => {
        assert.ok(error instanceof MissingFileError);
        assert.equal(error.place, last);
        assert.match(error.message, /cannot be opened any more \((ENOENT|no regular file any more)\)/);
        return true;
      });
    }
  }
});
