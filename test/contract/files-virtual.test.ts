// Owns: virtual masters and thresholds through `load` on every backend. Judge: the source arrays.
// Must not know: how mappings are stored or resolved.
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect, type LoadOptions } from "framelab";
import { BITSHUFFLE_FILTER, bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";
import {
  chunked,
  dataset,
  encodeNumbers,
  group,
  type Node,
  numbers,
  type SelectedRun,
  type VirtualMappingSpec,
  virtualDataset,
  writeHdf5,
} from "../fixtures/hdf5-writer";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";

const folder = scratchFolder();
const HEIGHT = 9;
const WIDTH = 14;
const THRESHOLDS = 2;
/** Images of each data file. */
const IMAGES = 4;
const FILES = 3;
/** Frame of image `i` at threshold `t` (from 0) is number `i * THRESHOLDS + t`. */
const frames = countFrames("u32", HEIGHT, WIDTH);
const all = (count: number): SelectedRun => ({ start: 0, block: count });
const WHOLE = [all(HEIGHT), all(WIDTH)];

function at(threshold: number, images: readonly number[]): Buffer {
  return stack(
    frames,
    images.map((i) => i * THRESHOLDS + threshold),
  );
}

/** A stack of frames `numbers` in chunks of one; `leading` are its axes before rows and columns. */
function framesNode(
  leading: readonly number[],
  list: readonly number[],
  chunkLeading?: readonly number[],
): Node {
  const chunk = chunkLeading ?? leading.map(() => 1);
  const perChunk = chunk.reduce((product, extent) => product * extent, 1);
  return chunked({
    dtype: "u32",
    shape: [...leading, HEIGHT, WIDTH],
    chunkShape: [...chunk, HEIGHT, WIDTH],
    filters: [{ id: BITSHUFFLE_FILTER, values: bitshuffleValues(4) }],
    chunks: (i) => encodeChunk(stack(frames, list.slice(i * perChunk, (i + 1) * perChunk)), 4),
  });
}

const entry = (data: Node, detector: Record<string, Node> = {}) =>
  group({ entry: group({ data: group({ data }), instrument: group({ detector: group(detector) }) }) });

function writeSources(name: string, rank: 3 | 4): string {
  const at = join(folder, name);
  mkdirSync(at);
  for (let file = 0; file < FILES; file++) {
    const images = upTo(IMAGES).map((i) => file * IMAGES + i);
    const list = rank === 4 ? images.flatMap((i) => [2 * i, 2 * i + 1]) : images.map((i) => i * THRESHOLDS);
    const leading = rank === 4 ? [IMAGES, THRESHOLDS] : [IMAGES];
    writeHdf5(join(at, `x_data_${file}.h5`), entry(framesNode(leading, list)));
  }
  return at;
}

const mask = (value: number): Node =>
  dataset(numbers("u32", [HEIGHT, WIDTH], new Array(HEIGHT * WIDTH).fill(value)));
const CHANNELS = {
  difference_channel: group({ pixel_mask: mask(3) }),
  threshold_1_channel: group({ pixel_mask: mask(1) }),
};

/** [images, thresholds, rows, cols] over files of the same, widened to i64. */
function fourAxes(name: string, mappings?: VirtualMappingSpec[]): string {
  const at = writeSources(name, 4);
  const path = join(at, "x_master.h5");
  const node = virtualDataset({
    dtype: "i64",
    shape: [IMAGES * FILES, THRESHOLDS, HEIGHT, WIDTH],
    fillValue: encodeNumbers("i64", [77]),
    mappings:
      mappings ??
      upTo(FILES).map((file) => ({
        file: `x_data_${file}.h5`,
        dataset: "/entry/data/data",
        from: "all",
        to: [{ start: file * IMAGES, block: IMAGES }, all(THRESHOLDS), ...WHOLE],
      })),
  });
  writeHdf5(path, entry(node, CHANNELS), { superblock: 2 });
  return path;
}

const four = fourAxes("four");
const three = (() => {
  const at = writeSources("three", 3);
  const path = join(at, "x_master.h5");
  // One unlimited mapping: block b of the images lies in file b.
  const mapping: VirtualMappingSpec = {
    file: "x_data_%b.h5",
    dataset: "/entry/data/data",
    from: [all(IMAGES), ...WHOLE],
    to: [{ start: 0, stride: IMAGES, count: null, block: IMAGES }, ...WHOLE],
  };
  const shape = [IMAGES, HEIGHT, WIDTH];
  const node = virtualDataset({ dtype: "u32", shape, maxShape: [null, HEIGHT, WIDTH], mappings: [mapping] });
  writeHdf5(path, entry(node), { superblock: 2 });
  return path;
})();
const images = upTo(IMAGES * FILES);

for (const backend of BACKENDS_HERE) {
  test(`${backend}: a virtual master with thresholds gives the first one, in the sources' type`, async () => {
    const loaded = await loadOn(backend, four);
    assert.deepEqual(loaded.shape, [images.length, HEIGHT, WIDTH]);
    assert.equal(loaded.pixelType, "u32");
    assert.ok(bytesOf(loaded).equals(at(0, images)));
    assert.deepEqual(
      loaded.report.notes.map(({ code }) => code),
      ["virtual-dtype", "first-threshold"],
    );
    assert.equal(loaded.pixelMask?.data[5], 1);
  });

  test(`${backend}: a threshold is chosen by number or name, with its own pixel mask`, async () => {
    for (const threshold of [2, "difference"]) {
      const loaded = await loadOn(backend, four, { threshold, frames: [11, 0, 4] });
      assert.ok(bytesOf(loaded).equals(at(1, [11, 0, 4])));
      assert.equal(loaded.pixelMask?.data[5], 3);
    }
    const first = await loadOn(backend, four, { threshold: "threshold_1", scanShape: [3, 4] });
    assert.deepEqual(first.shape, [3, 4, HEIGHT, WIDTH]);
    assert.ok(bytesOf(first).equals(at(0, images)));
  });

  test(`${backend}: an unlimited mapping by number reaches every file that is there`, async () => {
    const loaded = await loadOn(backend, three);
    assert.ok(bytesOf(loaded).equals(at(0, images)));
  });

  test(`${backend}: chunks of several images or thresholds, in a file of its own`, async () => {
    const list = upTo(6 * 4);
    for (const chunk of [
      [1, 1],
      [1, 2],
      [1, 4],
      [3, 4],
    ] as const) {
      const path = join(folder, `chunk-${chunk.join("x")}.h5`);
      writeHdf5(path, entry(framesNode([6, 4], list, chunk)));
      for (const threshold of [1, 3]) {
        const loaded = await loadOn(backend, path, { threshold });
        const wanted = stack(
          frames,
          upTo(6).map((i) => i * 4 + threshold - 1),
        );
        assert.ok(bytesOf(loaded).equals(wanted), `${chunk} ${threshold}`);
      }
    }
  });
}

test("an absent source is missing frames, and the virtual dataset's fill value only when asked", async () => {
  const path = fourAxes("absent");
  rmSync(join(folder, "absent", "x_data_1.h5"));
  const error = (await loadOn("auto", path).catch((e: unknown) => e)) as Error & {
    report: { missing: { frame: number; file: string; reason: string }[] };
  };
  assert.equal(error.name, "MissingFramesError");
  assert.match(error.message, /frames 4, 5, 6, 7 are missing.*x_data_1\.h5/);
  for (const backend of BACKENDS_HERE) {
    const filled = await loadOn(backend, path, { onMissing: "fill" });
    assert.deepEqual([...filled.valid], [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
    assert.equal(filled.get(5, 2, 3), 77);
    assert.ok(
      bytesOf(filled)
        .subarray(-4 * HEIGHT * WIDTH * 4)
        .equals(at(0, [8, 9, 10, 11])),
    );
  }
});

test("inspect says the thresholds, the sources and the fill type of a virtual master", async () => {
  const about = await inspect(four);
  assert.equal(about.ready, true);
  assert.deepEqual(about.thresholds, { count: 2, names: ["threshold_1", "difference"], chosen: 1 });
  assert.deepEqual([about.dtype, about.kind, about.files.length], ["u32", "master", FILES]);
  assert.deepEqual(about.frames, { planned: 12, found: 12, complete: 12 });
  const second = await inspect(four, { threshold: "difference" });
  assert.deepEqual([second.thresholds?.chosen, second.detector.flaggedPixels], [2, HEIGHT * WIDTH]);
});

test("a decoy of a source in the working directory is never opened", async () => {
  const path = fourAxes("decoy");
  const decoys = join(folder, "decoy", "elsewhere");
  mkdirSync(decoys);
  rmSync(join(folder, "decoy", "x_data_2.h5"));
  const decoy = entry(framesNode([IMAGES, THRESHOLDS], upTo(8)));
  writeHdf5(join(decoys, "x_data_2.h5"), decoy);
  const before = process.cwd();
  process.chdir(decoys);
  try {
    await assert.rejects(loadOn("auto", path), { name: "MissingFramesError" });
  } finally {
    process.chdir(before);
  }
});

test("frames that no source is mapped to, and those past a short source, are missing", async () => {
  const map = (file: number, first: number, count: number): VirtualMappingSpec => ({
    file: `x_data_${file}.h5`,
    dataset: "/entry/data/data",
    from: [all(count), all(THRESHOLDS), ...WHOLE],
    to: [{ start: first, block: count }, all(THRESHOLDS), ...WHOLE],
  });
  const path = fourAxes("gaps", [map(2, 7, 5), map(0, 1, 4)]);
  for (const backend of BACKENDS_HERE) {
    const loaded = await loadOn(backend, path, { onMissing: "fill" });
    assert.deepEqual([...loaded.valid], [0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0]);
    const reasons = loaded.report.missing.map(({ frame, reason }) => `${frame} ${reason}`);
    assert.deepEqual(reasons, ["0 short-scan", "5 short-scan", "6 short-scan", "11 file"]);
    const wanted = at(0, [0, 1, 2, 3, 8, 9, 10, 11]);
    const good = await loadOn(backend, path, { frames: [1, 2, 3, 4, 7, 8, 9, 10] });
    assert.ok(bytesOf(good).equals(wanted));
  }
});

test("thresholds of one axis become frames of the other by regular steps", async () => {
  // Source frames 1, 3, 5, 7 of a stack [8, rows, cols] as threshold 2 of four images.
  const at4 = join(folder, "steps");
  mkdirSync(at4);
  writeHdf5(join(at4, "flat.h5"), entry(framesNode([8], upTo(8))));
  const half = (threshold: number): VirtualMappingSpec => ({
    file: "flat.h5",
    dataset: "/entry/data/data",
    from: [{ start: threshold, stride: 2, count: 4 }, ...WHOLE],
    to: [all(4), { start: threshold }, ...WHOLE],
  });
  const node = virtualDataset({ dtype: "u32", shape: [4, 2, HEIGHT, WIDTH], mappings: [half(0), half(1)] });
  writeHdf5(join(at4, "m.h5"), entry(node), { superblock: 2 });
  for (const backend of BACKENDS_HERE) {
    for (const threshold of [1, 2]) {
      const loaded = await loadOn(backend, join(at4, "m.h5"), { threshold });
      assert.ok(bytesOf(loaded).equals(at(threshold - 1, upTo(4))));
    }
  }
});

test("one mapping of a flat stack, and one of every second threshold", async () => {
  const at2 = join(folder, "regular");
  mkdirSync(at2);
  writeHdf5(join(at2, "flat.h5"), entry(framesNode([8], upTo(8))));
  writeHdf5(join(at2, "four.h5"), entry(framesNode([4, 4], upTo(16))));
  const every = (axes: readonly SelectedRun[]): VirtualMappingSpec => ({
    file: "four.h5",
    dataset: "/entry/data/data",
    from: axes,
    to: [all(4), all(2), ...WHOLE],
  });
  const cases: [VirtualMappingSpec, (image: number, threshold: number) => number][] = [
    [{ ...every(WHOLE), file: "flat.h5", from: "all" }, (image, threshold) => 2 * image + threshold],
    [every([all(4), { start: 1, stride: 2, count: 2 }, ...WHOLE]), (image, t) => 4 * image + 1 + 2 * t],
  ];
  for (const [i, [mapping, source]] of cases.entries()) {
    const path = join(at2, `m${i}.h5`);
    const node = virtualDataset({ dtype: "u32", shape: [4, 2, HEIGHT, WIDTH], mappings: [mapping] });
    writeHdf5(path, entry(node), { superblock: 2 });
    for (const threshold of [0, 1]) {
      const loaded = await loadOn("auto", path, { threshold: threshold + 1 });
      const wanted = upTo(4).map((image) => source(image, threshold));
      assert.ok(bytesOf(loaded).equals(stack(frames, wanted)), `${i} ${threshold}`);
    }
  }
});

test("chunks whose thresholds do not divide those of an image are refused by shape", async () => {
  const path = join(folder, "uneven.h5");
  writeHdf5(path, entry(framesNode([3, 4], upTo(24), [1, 3])));
  await assert.rejects(loadOn("auto", path), {
    name: "UnsupportedLayoutError",
    message: /\[3, 4, 9, 14\] in chunks of \[1, 3, 9, 14\]/,
  });
});

const tile = { start: 0, block: 3 };
const REFUSED: [what: string, mapping: Partial<VirtualMappingSpec>, says: RegExp][] = [
  [
    "parts of frames",
    { from: [all(4), all(2), tile, all(WIDTH)], to: [all(4), all(2), tile, all(WIDTH)] },
    /parts of frames/,
  ],
  [
    "frames of several files in turn",
    { from: "all", to: [{ start: 0, stride: 2, count: 4 }, all(2), ...WHOLE] },
    /do not follow each other/,
  ],
  [
    "more frames than the source is asked for",
    { to: [all(5), all(2), ...WHOLE], from: [all(4), all(2), ...WHOLE] },
    /8 frames of the source for 10/,
  ],
  [
    "one threshold of two",
    { from: [all(12), { start: 2 }, ...WHOLE], to: [all(12), { start: 0 }, ...WHOLE] },
    /past the source's 2/,
  ],
  [
    "images beyond its own",
    { to: [{ start: 9, block: 4 }, all(2), ...WHOLE] },
    /by 13 places of axis 0, which has 12/,
  ],
  [
    "images at the end of what numbers hold",
    { to: [{ start: 2 ** 53 - 9, block: 4 }, all(2), ...WHOLE] },
    /axis 0/,
  ],
  [
    "thresholds beyond its own",
    { to: [all(4), { start: 1, block: 2 }, ...WHOLE] },
    /3 places of axis 1, which has 2/,
  ],
];
for (const [i, [what, change, says]] of REFUSED.entries()) {
  test(`virtual mappings by ${what} are refused by name`, async () => {
    const mapping = {
      file: "x_data_0.h5",
      dataset: "/entry/data/data",
      from: "all",
      to: "all",
      ...change,
    } as const;
    const path = fourAxes(`refused-${i}`, [mapping]);
    const error = (await loadOn("auto", path).catch((e: unknown) => e)) as Error;
    assert.equal(error.name, "UnsupportedLayoutError", error.message);
    assert.match(error.message, says);
    assert.match(error.message, /x_data_0\.h5/);
  });
}

test("a type that cannot hold the sources' values is refused", async () => {
  const at = writeSources("narrow", 3);
  const mapping = { file: "x_data_0.h5", dataset: "/entry/data/data", from: "all", to: "all" } as const;
  for (const dtype of ["u16", "i32", "f32"] as const) {
    const node = virtualDataset({ dtype, shape: [IMAGES, HEIGHT, WIDTH], mappings: [mapping] });
    writeHdf5(join(at, "m.h5"), entry(node), { superblock: 2 });
    await assert.rejects(loadOn("auto", join(at, "m.h5")), {
      name: "UnsupportedLayoutError",
      message: /u32, which (u16|i32|f32) cannot hold/,
    });
  }
});

const BAD: [options: LoadOptions, says: RegExp][] = [
  [{ threshold: 3 }, /is 3, but .* has 2 thresholds \("threshold_1", "difference"\)/],
  [{ threshold: "threshold_2" }, /"threshold_2"/],
  [{ threshold: 0 }, /whole number from 1 on/],
];
for (const [options, says] of BAD) {
  test(`threshold ${JSON.stringify(options.threshold)} is refused with those there are`, async () => {
    await assert.rejects(loadOn("auto", four, options), { name: "OptionError", message: says });
  });
}
