// Owns: what `show` draws: scales, colours, pictures, cards, and that no string of a file becomes markup.
// Must not know: notebooks, loads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type DamagedBlock, DamagedFramesError, type LoadReport, OptionError, show } from "framelab";
import ndarray from "ndarray";
import { PNG } from "pngjs";
import { COLORMAPS, colorTable } from "#framelab/display/show/colormap";
import { damageBundle, verdictText } from "#framelab/display/show/damage-card";
import { drawDamageMap } from "#framelab/display/show/damage-map";
import { gridOf } from "#framelab/display/show/grid";
import { imageBundle } from "#framelab/display/show/image-view";
import { packNumbers } from "#framelab/display/show/interactive";
import { lineBundle } from "#framelab/display/show/line-view";
import { checkShowOptions } from "#framelab/display/show/options";
import { scaleFor } from "#framelab/display/show/scale";
import { plainReport } from "../fixtures/report";

const HOSTILE = `</script><img src=x onerror="alert(1)">'&`;
const DEFAULTS = checkShowOptions();

function damagedBlock(frame: number, more: Partial<DamagedBlock> = {}): DamagedBlock {
  return {
    frame,
    scan: { row: Math.floor(frame / 16), col: frame % 16 },
    file: "/data/scan_data_000001.h5",
    dataset: "/entry/data/data",
    offset: 4096,
    block: 3,
    reason: "offset-zero",
    detail: "",
    ...more,
  };
}

const report = (more: Partial<LoadReport> = {}): LoadReport =>
  plainReport({ backend: { name: "cpu", device: "2 threads", why: "fastest here", tried: [] }, ...more });

/** Perceived lightness of an sRGB colour (CIE L*), by the standard's own formula. */
function lightness([red, green, blue]: readonly number[]): number {
  const linear = (byte: number): number =>
    byte <= 10.3 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4;
  const y = 0.2126 * linear(red!) + 0.7152 * linear(green!) + 0.0722 * linear(blue!);
  return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
}

test("every colour map rises in lightness all the way, so that it reads without colour vision", () => {
  for (const name of COLORMAPS) {
    const table = colorTable(name);
    const levels = Array.from({ length: 32 }, (_, i) => lightness([...table.subarray(24 * i, 24 * i + 3)]));
    for (let i = 1; i < levels.length; i++)
      assert.ok(levels[i]! > levels[i - 1]!, `${name} at ${i}: ${levels}`);
    assert.ok(levels.at(-1)! - levels[0]! > 70, `${name} spans ${levels[0]} to ${levels.at(-1)}`);
  }
});

test("limits come from quantiles: hot pixels, sentinels and NaN do not set the scale", () => {
  const pixels = new Uint16Array(10_000).map((_, i) => i % 100);
  pixels[17] = 60_000;
  pixels[18] = 65_535;
  pixels[19] = 65_534;
  const grid = gridOf(ndarray(pixels, [100, 100]));
  assert.equal(grid.flagged, 2);
  const scale = scaleFor(grid.values, false);
  assert.deepEqual([scale.low, scale.high], [0, 99]);
  assert.deepEqual([scale.position(0), scale.position(49.5), scale.position(60_000)], [0, 0.5, 1]);
  assert.ok(Number.isNaN(scale.position(grid.values[18]!)));
  assert.deepEqual(
    scale.ticks.map(({ label }) => label),
    ["0", "20", "40", "60", "80"],
  );
});

test("a logarithmic scale has powers of ten, and draws zero like its floor", () => {
  const scale = scaleFor(Float64Array.of(0, 1, 10, 100, 1000), true, [1, 1000]);
  assert.deepEqual(
    scale.ticks.map(({ value }) => value),
    [1, 10, 100, 1000],
  );
  assert.equal(scale.position(0), 0);
  assert.ok(Math.abs(scale.position(10) - 1 / 3) < 1e-12);
});

test("on a logarithmic scale one count is not drawn like none", () => {
  const counts = Float64Array.from({ length: 1000 }, (_, i) => (i < 900 ? 0 : i < 990 ? 1 : 50));
  const scale = scaleFor(counts, true);
  assert.deepEqual([scale.low, scale.high, scale.position(0)], [0.5, 50, 0]);
  assert.ok(scale.position(1) > 0.1);
  // Without zeros nothing lies below the least value.
  assert.equal(scaleFor(Float64Array.of(0.25, 3, 4, 5), true).low, 0.25);
});

test("the unit stands under the mouse: the one asked for, a reduction's own, or counts", () => {
  const array = ndarray(Float64Array.of(0, 1, 2, 3), [2, 2]);
  const unitOf = (shown: typeof array, more: object): string | undefined =>
    /"values":"([^"]+)"/.exec(imageBundle(shown, { ...DEFAULTS, ...more }).html)?.[1];
  assert.equal(unitOf(array, {}), "counts");
  assert.equal(unitOf(array, { unit: "mrad" }), "mrad");
  assert.equal(unitOf(Object.assign(ndarray(array.data, [2, 2]), { unit: "pixels" }), {}), "pixels");
  assert.match(imageBundle(array, { ...DEFAULTS, unit: "kV" }).text, /scale 0 to 3 kV \(/);
  // A letter that the static picture cannot draw must not leave half a unit there.
  const pictureOf = (unit: string): Buffer => imageBundle(array, { ...DEFAULTS, unit }).png!;
  assert.ok(pictureOf("kV").equals(pictureOf("")));
  assert.ok(!pictureOf("pixels").equals(pictureOf("ixels")));
  assert.throws(() => checkShowOptions({ unit: 3 as unknown as string }), /unit of show is 3/);
});

test("constant and empty pictures have a scale", () => {
  for (const log of [false, true]) {
    for (const values of [
      new Float64Array(9),
      new Float64Array(9).fill(Number.NaN),
      new Float64Array(9).fill(5),
    ]) {
      const scale = scaleFor(values, log);
      assert.ok(scale.high > scale.low && Number.isFinite(scale.position(3)), `${log} ${values}`);
    }
  }
});

test("a picture has each pixel where it belongs, row 0 on top, flagged pixels grey", () => {
  // 2 x 3 pixels: limits 0 to 5, the last one flagged.
  const array = ndarray(Uint16Array.of(0, 1, 2, 3, 5, 65_535), [2, 3]);
  const bundle = imageBundle(array, { ...DEFAULTS, limits: [0, 5] });
  const { width, data } = PNG.sync.read(bundle.png!);
  const zoom = 256; // 768 pixels over 3 columns.
  const [left, top] = [116, 16];
  const pixel = (row: number, col: number): number[] => {
    const at = 4 * ((top + row * zoom + 100) * width + left + col * zoom + 100);
    return [...data.subarray(at, at + 3)];
  };
  const table = colorTable("blue-yellow");
  const color = (share: number): number[] => [...table.subarray(3 * Math.round(255 * share)).subarray(0, 3)];
  assert.deepEqual([pixel(0, 0), pixel(0, 1), pixel(0, 2)], [color(0), color(0.2), color(0.4)]);
  assert.deepEqual([pixel(1, 0), pixel(1, 1), pixel(1, 2)], [color(0.6), color(1), [176, 176, 176]]);
  assert.match(bundle.text, /^2 x 3 uint16, scale 0 to 5, 1 flagged pixel in grey$/);
});

test("a picture has a colour bar from its low to its high limit, and axes that count from 0", () => {
  const ramp = Uint16Array.from({ length: 64 }, (_, i) => i);
  const { png } = imageBundle(ndarray(ramp, [8, 8]), { ...DEFAULTS, limits: [0, 63] });
  const { width, data } = PNG.sync.read(png!);
  const pixel = (x: number, y: number): number[] => [...data.subarray(4 * (y * width + x)).subarray(0, 3)];
  const table = colorTable("blue-yellow");
  // The bar stands 32 pixels to the right of the image of 768 x 768 pixels, and is as high.
  const barX = 116 + 768 + 32 + 14;
  assert.deepEqual(pixel(barX, 16), [...table.subarray(3 * 255, 3 * 256)]);
  assert.deepEqual(pixel(barX, 16 + 767), [...table.subarray(0, 3)]);
  const ink = (x0: number, y0: number, x1: number, y1: number): number => {
    let dark = 0;
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) if (pixel(x, y)[0]! < 128) dark += 1;
    return dark;
  };
  // Numbers and names: below the image, left of it, and right of the bar.
  assert.ok(ink(116, 16 + 768 + 20, 116 + 768, 16 + 768 + 90) > 100);
  assert.ok(ink(0, 16, 100, 16 + 768) > 100);
  assert.ok(ink(barX + 30, 16, width, 16 + 768) > 100);
});

test("a line goes through its values", () => {
  const { png } = lineBundle(ndarray(Float64Array.of(0, 10, 0), [3]), DEFAULTS);
  const { width, data } = PNG.sync.read(png!);
  // The plot is 900 x 400 pixels at (150, 24): its peak is in the middle of the top, its ends at the bottom.
  const colored = (x: number, y: number): boolean => {
    const at = 4 * (y * width + x);
    return Math.max(...data.subarray(at, at + 3)) - Math.min(...data.subarray(at, at + 3)) > 30;
  };
  assert.ok(colored(150 + 450, 26) && colored(150 + 225, 24 + 200) && colored(150 + 675, 24 + 200));
  assert.ok(!colored(150 + 450, 24 + 200) && !colored(150 + 225, 40));
});

test("a transposed view is drawn as it is indexed", () => {
  const array = ndarray(Uint16Array.of(0, 1, 2, 3, 4, 5), [2, 3]);
  assert.deepEqual([...gridOf(array.transpose(1, 0)).values], [0, 3, 1, 4, 2, 5]);
});

test("large pictures are averaged, over valid pixels only", () => {
  const grid = gridOf(ndarray(Uint16Array.of(1, 3, 65_535, 5, 2, 2, 2, 65_535), [2, 4]), 2);
  assert.deepEqual([grid.rows, grid.cols, grid.binned], [1, 2, 2]);
  assert.deepEqual([...grid.values], [2, 3.5]);
});

test("numbers travel in the narrowest type that holds them exactly", () => {
  const types = [
    [0, 255],
    [0, 256],
    [0, 65_536],
    [0.5, Number.NaN],
    [0.1, 1],
    [-1, 1],
    [2 ** 33, 0],
  ].map((values) => packNumbers(Float64Array.from(values)).type);
  assert.deepEqual(types, [
    "Uint8Array",
    "Uint16Array",
    "Uint32Array",
    "Float32Array",
    "Float64Array",
    "Float32Array",
    "Float32Array",
  ]);
  assert.deepEqual([...Buffer.from(packNumbers(Float64Array.of(1, 2, 3)).base64, "base64")], [1, 2, 3]);
});

test("the card of one damaged frame names frame, position, file, offset, block, reason and what to do", () => {
  const { text, html } = damageBundle(report({ damaged: [damagedBlock(37)] }), "");
  assert.match(text, /^1 of 256 frames is damaged\n/);
  assert.match(text, /37 +2, 5 +scan_data_000001\.h5 +4096 +3 +a match offset is zero/);
  assert.match(text, /copy scan_data_000001\.h5 again/);
  assert.match(text, /onDamage: "mask"/);
  assert.match(html, /a match offset is zero/);
});

test("thousands of damaged blocks stay one short card, and one block a frame is not counted twice", () => {
  const damaged = Array.from({ length: 6000 }, (_, i) =>
    damagedBlock(i % 256, { block: Math.floor(i / 256) }),
  );
  const bundle = damageBundle(report({ damaged }), "");
  assert.ok(bundle.text.split("\n").length < 25);
  assert.ok(bundle.html.length < 60_000, `${bundle.html.length} characters`);
  assert.match(bundle.text, /^256 of 256 frames are damaged/);
  assert.match(bundle.text, /5,988 more damaged blocks/);
  assert.match(bundle.text, /offset-zero 6,000/);
});

test("missing frames are told as runs, each with its reason", () => {
  const missing = [3, 4, 5, 9].map((frame) => ({
    frame,
    scan: null,
    file: "/d/a.h5",
    reason: "file" as const,
  }));
  const { text } = damageBundle(report({ missing }), "");
  assert.match(text, /^4 of 256 frames are missing/);
  assert.match(text, /3 to 5 +a\.h5 +the data file is absent/);
  assert.match(text, /\n9 +a\.h5/);
});

test("a good report says so in one line", () => {
  assert.equal(verdictText(report()), "256 frames, none damaged, none missing");
});

test("the map marks the damaged cell of the scan, and only that", () => {
  const bad = report({ damaged: [damagedBlock(37)], scanShape: [16, 16] });
  const { width, data } = PNG.sync.read(drawDamageMap(bad).png);
  const cell = 30; // 480 pixels over 16 columns.
  const red: string[] = [];
  for (let row = 0; row < 16; row++) {
    for (let col = 0; col < 16; col++) {
      const at = 4 * ((2 + row * cell + 15) * width + 2 + col * cell + 15);
      if (data[at]! > 150 && data[at + 1]! < 80) red.push(`${row}, ${col}`);
    }
  }
  assert.deepEqual(red, ["2, 5"]);
});

test("without a scan the map is a strip, and one bad frame of many is seen", () => {
  const frames = { planned: 58_300, found: 58_300, selected: 58_300 };
  const { width, data } = PNG.sync.read(
    drawDamageMap(report({ frames, damaged: [damagedBlock(29_150, { scan: null })] })).png,
  );
  const at = 4 * (20 * width + 2 + 500);
  assert.ok(data[at]! > 150 && data[at + 1]! < 80, "the middle of the strip is red");
});

test("no string of a file or of a user becomes markup", () => {
  const damaged = [
    damagedBlock(3, { file: HOSTILE, detail: HOSTILE, reason: HOSTILE as "offset-zero", scan: null }),
  ];
  const missing = [{ frame: 9, scan: null, file: HOSTILE, reason: "file" as const }];
  const hostile = report({ damaged, missing, path: HOSTILE });
  const array = ndarray(Uint16Array.of(1, 2, 3, 4), [2, 2]);
  imageBundle(array, DEFAULTS); // The first figure carries plotly.js, whose own text is no matter here.
  const pages = [
    damageBundle(hostile, HOSTILE).html,
    damageBundle(report({ path: HOSTILE }), HOSTILE).html,
    imageBundle(array, { ...DEFAULTS, title: HOSTILE }).html,
    lineBundle(ndarray(Uint16Array.of(1, 2, 3), [3]), { ...DEFAULTS, title: HOSTILE }).html,
  ];
  for (const html of pages) assert.doesNotMatch(html, /onerror="/);
});

test("bad options and values are refused with what is allowed", () => {
  const array = ndarray(Uint16Array.of(1, 2, 3, 4), [2, 2]);
  const refused = (act: () => void, words: RegExp): void => {
    assert.throws(act, (error: Error) => error instanceof OptionError && words.test(error.message));
  };
  refused(
    () => show(array, { colour: "gray" } as never),
    /no option colour.*known: title, log, limits, colormap/,
  );
  refused(() => show(array, { colormap: "jet" as never }), /colormap.*"jet".*blue-yellow, red-yellow, gray/);
  refused(() => show(array, { limits: [3, 3] }), /limits.*low < high/);
  refused(() => show(array, { limits: [0, 3], log: true }), /limits.*above 0/);
  refused(() => show(array, { log: 1 as never }), /log.*true or false/);
  refused(() => show(3 as never), /show takes frames, .* but got 3/);
  refused(() => show(null as never), /but got null/);
  refused(() => show(Promise.resolve() as never), /await it first/);
  refused(
    () => show({ representation: "encoded", shape: [1, 2, 2] } as never),
    /show\(await frames\.frame\(0\)\)/,
  );
  refused(() => show(ndarray(new Uint16Array(8), [2, 2, 2])), /shape \[2, 2, 2\]; pick one frame/);
  refused(() => show(ndarray(new Uint16Array(0), [0, 2])), /empty array/);
});

test("outside a notebook show prints the text, also of an error that carries a report", (context) => {
  let printed = "";
  context.mock.method(process.stdout, "write", (text: string) => {
    printed += text;
    return true;
  });
  show(new DamagedFramesError("Frames 37 to 37: …", report({ damaged: [damagedBlock(37)] })));
  context.mock.restoreAll();
  assert.match(printed, /^1 of 256 frames is damaged\n/);
});
