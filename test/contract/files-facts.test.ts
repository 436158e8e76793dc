// Owns: what a file says beside its frames, through `load` on every backend: scan shapes short, long and oblong; pixel masks.
// Must not know: where the facts stand in the file. Judge: the source arrays.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type AcquisitionSpec, type MasterSpec, writeAcquisition } from "../fixtures/acquisition";
import { dataset, numbers } from "../fixtures/hdf5-writer";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";

const folder = scratchFolder();
const HEIGHT = 7;
const WIDTH = 9;
const u16 = countFrames("u16", HEIGHT, WIDTH);

function write(name: string, count: number, more: Partial<MasterSpec> = {}): string {
  const spec: AcquisitionSpec = { name, count, height: HEIGHT, width: WIDTH, dtype: "u16", frames: u16 };
  return writeAcquisition(join(folder, name), { ...spec, ...more }).path;
}

const oblong = write("oblong", 32);
const series = write("series", 36, { nimages: 36, ntrigger: 1 });
const said = write("said", 32, { scanShape: [4, 8] });
const short = write("short", 20, { ntrigger: 25 });
const long = write("long", 28, { ntrigger: 25 });

for (const backend of BACKENDS_HERE) {
  test(`${backend}: a scan that is no square, or a series of images, is never guessed`, async () => {
    assert.deepEqual((await loadOn(backend, oblong)).shape, [32, HEIGHT, WIDTH]);
    assert.deepEqual((await loadOn(backend, series)).shape, [36, HEIGHT, WIDTH]);
    const chosen = await loadOn(backend, oblong, { scanShape: [4, 8] });
    assert.deepEqual(chosen.shape, [4, 8, HEIGHT, WIDTH]);
    assert.ok(bytesOf(chosen.pick(3, 7)).length > 0);
    assert.ok(bytesOf(chosen).equals(stack(u16, upTo(32))));
    await assert.rejects(loadOn(backend, oblong, { scanShape: [5, 7] }), {
      name: "ScanShapeError",
      message: /35 frames, but 32/,
    });
    assert.deepEqual((await loadOn(backend, said)).shape, [4, 8, HEIGHT, WIDTH]);
  });

  test(`${backend}: a cancelled scan is its part that exists, its tail missing`, async () => {
    await assert.rejects(loadOn(backend, short), {
      name: "MissingFramesError",
      message: /^frames 20, 21, 22, 23, 24 are missing: 25 planned, 20 found/,
    });
    const filled = await loadOn(backend, short, { onMissing: "fill" });
    assert.deepEqual(filled.shape, [5, 5, HEIGHT, WIDTH]);
    assert.deepEqual(
      [...filled.valid],
      upTo(25).map((i) => (i < 20 ? 1 : 0)),
    );
    assert.deepEqual(
      filled.report.missing.map(({ frame, reason }) => `${frame} ${reason}`),
      upTo(5).map((i) => `${20 + i} short-scan`),
    );
    const part = await loadOn(backend, short, { onMissing: "trim" });
    assert.deepEqual(part.shape, [4, 5, HEIGHT, WIDTH]);
    assert.ok(bytesOf(part).equals(stack(u16, upTo(20))));
  });

  test(`${backend}: a scan with extra triggers is refused, or cut when asked, with a note`, async () => {
    await assert.rejects(loadOn(backend, long), { name: "ScanShapeError", message: /25.*28|28.*25/ });
    assert.deepEqual((await loadOn(backend, long, { scanShape: null })).shape, [28, HEIGHT, WIDTH]);
    const cut = await loadOn(backend, long, { frames: { from: 0, to: 25 }, scanShape: [5, 5] });
    assert.deepEqual(cut.shape, [5, 5, HEIGHT, WIDTH]);
    assert.ok(bytesOf(cut).equals(stack(u16, upTo(25))));
    assert.ok(cut.report.notes.length > 0);
  });

  test(`${backend}: rows and columns of a scan by steps`, async () => {
    const part = await loadOn(backend, said, { scan: { rows: [1, 4, 2], cols: [1, 8, 3] } });
    assert.deepEqual(part.shape, [2, 3, HEIGHT, WIDTH]);
    assert.ok(bytesOf(part).equals(stack(u16, [9, 12, 15, 25, 28, 31])));
  });

  test(`${backend}: a pixel mask that is absent or all good is fine, one of another shape is an error`, async () => {
    for (const [name, pixelMask, flags] of [
      ["no mask", null, null],
      ["good mask", new Uint32Array(HEIGHT * WIDTH), 0],
    ] as const) {
      const loaded = await loadOn(backend, write(`${name} ${backend}`, 4, { pixelMask }), {
        flagged: "zero",
        scanShape: null,
      });
      assert.equal(loaded.pixelMask?.data.reduce((sum, flag) => sum + flag, 0) ?? null, flags);
      assert.equal(loaded.report.flagged.masked.pixels, 0);
      assert.ok(bytesOf(loaded).equals(stack(u16, upTo(4))));
    }
    const other = dataset(numbers("u32", [WIDTH, HEIGHT], new Array(HEIGHT * WIDTH).fill(0)));
    const path = write(`turned mask ${backend}`, 4, {
      pixelMask: null,
      detectorSpecific: { pixel_mask: other },
    });
    await assert.rejects(loadOn(backend, path), {
      name: "UnsupportedLayoutError",
      message: /pixel_mask .* is \[9, 7\], the detector is \[7, 9\]/,
    });
  });
}
