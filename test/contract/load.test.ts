// Owns: what `load` returns on every backend, judged by the source arrays that the files were made of.
// Must not know: how a backend decodes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { DamagedFramesError, type Dtype, MissingFramesError } from "framelab";
import { type AcquisitionSpec, writeAcquisition, writeSingleFile } from "../fixtures/acquisition";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";

const folder = scratchFolder();
const DTYPES: readonly Dtype[] = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"];

function spec(name: string, more: Partial<AcquisitionSpec> = {}): AcquisitionSpec {
  const { dtype = "u16", height = 13, width = 11 } = more;
  return { name, count: 9, height, width, dtype, frames: countFrames(dtype, height, width), ...more };
}

for (const backend of BACKENDS_HERE) {
  for (const dtype of DTYPES) {
    for (const order of ["little", "big"] as const) {
      test(`${backend}: ${dtype}, ${order}-endian, is exact and native`, async () => {
        const made = spec(`${dtype}-${order}`, { dtype, order });
        const { path } = writeSingleFile(join(folder, `${dtype}-${order}.h5`), made);
        const frames = await loadOn(backend, path, { scanShape: null });
        assert.deepEqual(frames.shape, [9, 13, 11]);
        assert.equal(frames.pixelType, dtype);
        assert.ok(bytesOf(frames).equals(stack(made.frames, upTo(9))));
        assert.equal(frames.report.backend.name, backend);
      });
    }
  }

  for (const filter of ["bitshuffle", "bitshuffle-none", "lz4", "unfiltered"] as const) {
    test(`${backend} or the backends behind it: filter ${filter} is exact`, async () => {
      const made = spec(filter, { filter, height: 40, width: 57 });
      const { path } = writeSingleFile(join(folder, `${filter}.h5`), made);
      const frames = await loadOn(filter === "bitshuffle" ? backend : "auto", path, { scanShape: null });
      assert.ok(bytesOf(frames).equals(stack(made.frames, upTo(9))));
    });
  }

  test(`${backend}: a master with three data files gives its scan`, async () => {
    const made = spec("three", { count: 16, height: 30, width: 20 });
    const { path } = writeAcquisition(folder, { ...made, filesOf: [5, 8, 3] });
    const frames = await loadOn(backend, path);
    assert.deepEqual(frames.shape, [4, 4, 30, 20]);
    assert.ok(bytesOf(frames).equals(stack(made.frames, upTo(16))));
    assert.equal(
      frames.get(3, 1, 7, 9),
      new DataView(made.frames(13).buffer).getUint16((7 * 20 + 9) * 2, true),
    );
    assert.deepEqual(frames.report.frames, { planned: 16, found: 16, selected: 16 });
    const part = await loadOn(backend, path, { scan: { rows: [1, 4, 2], cols: [2, 4] } });
    assert.deepEqual(part.shape, [2, 2, 30, 20]);
    assert.ok(bytesOf(part).equals(stack(made.frames, [6, 7, 14, 15])));
    const listed = await loadOn(backend, path, { frames: [15, 0, 4, 5, 4] });
    assert.ok(bytesOf(listed).equals(stack(made.frames, [15, 0, 4, 5, 4])));
    assert.ok(bytesOf(listed.frame(4)).equals(Buffer.from(made.frames(4))));
  });

  test(`${backend}: a damaged frame is named; the mask keeps the rest; the next load is exact`, async () => {
    const store: AcquisitionSpec["store"] = (i, chunk) => {
      if (i !== 7) return chunk;
      const damaged = Uint8Array.from(chunk);
      damaged.fill(0xff, 16, 80); // From the first token on: a literal run longer than the block.
      return damaged;
    };
    const made = spec("damaged", { count: 16, height: 64, width: 96, store });
    const { path, chunks } = writeAcquisition(folder, { ...made, filesOf: [6, 10] });
    const error = await loadOn(backend, path).catch((e: unknown) => e);
    assert.ok(error instanceof DamagedFramesError);
    assert.match(error.message, /^Frames 7 to 7: a compressed HDF5 chunk is truncated or corrupt/);
    const [entry] = error.report.damaged;
    assert.equal(error.report.damaged.length, 1);
    assert.equal(entry.frame, 7);
    assert.deepEqual(entry.scan, { row: 1, col: 3 });
    assert.equal(entry.file, chunks[7]?.file);
    assert.equal(entry.block, 0);
    assert.equal(entry.offset, (chunks[7]?.offset ?? 0) + 12);
    const masked = await loadOn(backend, path, { onDamage: "mask" });
    const expected = stack((i) => (i === 7 ? new Uint8Array(64 * 96 * 2) : made.frames(i)), upTo(16));
    assert.ok(bytesOf(masked).equals(expected));
    assert.deepEqual(
      [...masked.valid],
      upTo(16).map((i) => (i === 7 ? 0 : 1)),
    );
    assert.deepEqual(masked.report.damaged, error.report.damaged);
    const { store: _, ...good } = made;
    const whole = writeSingleFile(join(folder, "undamaged.h5"), { ...good, name: "undamaged" });
    assert.ok(bytesOf(await loadOn(backend, whole.path)).equals(stack(made.frames, upTo(16))));
  });

  test(`${backend}: an absent data file is missing frames: throw, fill, trim`, async () => {
    const made = spec("absent", { count: 16, height: 6, width: 5, fillValue: Uint8Array.of(0x34, 0x12) });
    const { path } = writeAcquisition(folder, { ...made, filesOf: [6, 6, 4], absentFiles: [1] });
    const error = await loadOn(backend, path).catch((e: unknown) => e);
    assert.ok(error instanceof MissingFramesError);
    assert.match(error.message, /^frames 6.*11 are missing/);
    assert.deepEqual(
      error.report.missing.map(({ frame }) => frame),
      [6, 7, 8, 9, 10, 11],
    );
    const filled = await loadOn(backend, path, { onMissing: "fill" });
    const gap = new Uint8Array(6 * 5 * 2).map((_, i) => (i % 2 === 0 ? 0x34 : 0x12));
    const expected = stack((i) => (i >= 6 && i < 12 ? gap : made.frames(i)), upTo(16));
    assert.deepEqual(filled.shape, [4, 4, 6, 5]);
    assert.ok(bytesOf(filled).equals(expected));
    assert.equal(filled.valid.indexOf(0), 6);
    const rows = await loadOn(backend, path, { onMissing: "trim" });
    assert.deepEqual(rows.shape, [1, 4, 6, 5]);
    const plain = await loadOn(backend, path, { onMissing: "trim", scanShape: null });
    assert.deepEqual(plain.shape, [6, 6, 5]);
    assert.ok(bytesOf(plain).equals(stack(made.frames, upTo(6))));
    assert.equal(plain.report.notes.at(-1)?.code, "trimmed");
  });

  test(`${backend}: a never-written chunk is missing, not damaged`, async () => {
    const made = spec("gap", { store: (i, chunk) => (i === 4 ? null : chunk) });
    const { path } = writeSingleFile(join(folder, "gap.h5"), made);
    const error = await loadOn(backend, path, { scanShape: null }).catch((e: unknown) => e);
    assert.ok(error instanceof MissingFramesError);
    assert.deepEqual(
      error.report.missing.map(({ frame, reason }) => [frame, reason]),
      [[4, "chunk"]],
    );
    const trimmed = await loadOn(backend, path, { scanShape: null, onMissing: "trim" });
    assert.deepEqual(trimmed.shape, [4, 13, 11]);
  });

  test(`${backend}: nothing is left when the first frame is missing`, async () => {
    const made = spec("headless", { store: (i, chunk) => (i === 0 ? null : chunk) });
    const { path } = writeSingleFile(join(folder, "headless.h5"), made);
    const trimmed = loadOn(backend, path, { scanShape: null, onMissing: "trim" });
    await assert.rejects(trimmed, { name: "MissingFramesError", message: /^frame 0 is missing/ });
  });
}
