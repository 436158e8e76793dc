// Owns: wrong uses of what `load` returned and of callbacks: named errors, no bare library text, no lost process.
// Must not know: how anything is decoded.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { disk, type FrameBatch, forEachBatch, show, virtualImage } from "framelab";
import ndarray from "ndarray";
import { checkLoadOptions } from "#framelab/options";
import { writeSingleFile } from "../fixtures/acquisition";
import { countFrames, loadOn, scratchFolder } from "./harness";

const { path } = writeSingleFile(join(scratchFolder(), "good.h5"), {
  name: "good",
  count: 9,
  height: 20,
  width: 20,
  dtype: "u16",
  frames: countFrames("u16", 20, 20),
});

test("released frames say so", async () => {
  const frames = await loadOn("auto", path);
  frames.release();
  assert.match(inspect(frames), /released$/);
  assert.equal(`${frames}`, inspect(frames));
  assert.throws(() => frames.frame(0), { name: "SelectionError", message: /released.*Load them again/ });
  const mask = disk({ center: [10, 10], radius: 4 });
  await assert.rejects(virtualImage(frames, mask, { progress: false }), { name: "SelectionError" });
  assert.throws(() => show(frames), { name: "OptionError", message: /released/ });
});

test("a frame outside the array is named with what there is", async () => {
  const frames = await loadOn("auto", path);
  for (const i of [-1, 9, 1.5, Number.NaN]) {
    assert.throws(() => frames.frame(i), { name: "SelectionError", message: /frames 0 … 8/ });
  }
});

test("show refuses arrays whose data cannot hold their shape, at once", () => {
  const short = [
    ndarray(new Float32Array(4), [20, 20]),
    ndarray(new Float32Array(4), [100_000, 100_000]),
    ndarray(new Float32Array(4), [2, 2], [2, 1], -100),
  ];
  for (const array of short) assert.throws(() => show(array), { name: "OptionError", message: /4 elements/ });
  assert.throws(() => show(ndarray(new Float32Array(4), [2, 2]), { width: 3 } as object), {
    name: "OptionError",
    message: /no option width.*known: title/,
  });
});

test("forEachBatch without a function is refused before anything is read", async () => {
  const nothing = undefined as unknown as (batch: FrameBatch) => void;
  await assert.rejects(forEachBatch("/nowhere.h5", nothing), { name: "OptionError", place: "fn" });
});

test("an async progress function that rejects is told once and loses nothing", async () => {
  const warnings: string[] = [];
  const listen = (warning: Error) => warnings.push(warning.message);
  process.on("warning", listen);
  const progress = async () => {
    throw new Error("mine");
  };
  const frames = await loadOn("auto", path, { progress: progress as () => void });
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.off("warning", listen);
  assert.equal(frames.shape[2], 20);
  assert.equal(warnings.filter((text) => text.includes("mine")).length, 1);
});

test("numbers that are none are printed as they were given", () => {
  const bad = [{ frames: [Number.NaN] }, { scanShape: [Number.NaN, 3] }, { frames: [1n] }];
  const got = ["[NaN]", "[NaN,3]", "[1n]"];
  for (const [i, options] of bad.entries()) {
    assert.throws(() => checkLoadOptions(path, options), { name: "OptionError", got: got[i] });
  }
});
