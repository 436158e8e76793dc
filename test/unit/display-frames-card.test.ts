// Owns: the card of frames and its virtual image, on a scan small enough to sum by hand.
// Must not know: loads.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frames } from "framelab";
import ndarray from "ndarray";
import { framesBundle } from "#framelab/display/show/frames-card";
import { lineBundle } from "#framelab/display/show/line-view";
import { checkShowOptions } from "#framelab/display/show/options";
import { virtualImage } from "#framelab/display/show/virtual-image";
import { plainReport } from "../fixtures/report";

const REPORT = plainReport({
  backend: { name: "cpu", device: "2 threads", why: "the fastest one that runs here", tried: [] },
  frames: { planned: 4, found: 4, selected: 4 },
  notes: [{ code: "note", text: "a note" }],
  stages: [{ name: "open", ms: 31.4 }],
  bytes: { stored: 16, decoded: 48, peak: 48 },
  seconds: 2,
});

/** A scan of 2 x 2 positions with 2 x 3 pixels each; frame i holds 10 i + 1 … 10 i + 6. */
function smallScan(more: Partial<Frames> = {}): Frames {
  const data = Uint16Array.from({ length: 24 }, (_, i) => 10 * Math.floor(i / 6) + (i % 6) + 1);
  const frame = (i: number) => ndarray(data.subarray(6 * i, 6 * i + 6), [2, 3]);
  const extras = {
    frame,
    pixelType: "u16",
    valid: Uint8Array.of(1, 1, 1, 1),
    report: REPORT,
    pixelMask: null,
  };
  return Object.assign(
    ndarray(data, [2, 2, 2, 3]),
    extras,
    { source: REPORT.path },
    more,
  ) as unknown as Frames;
}

test("the virtual image sums every frame; frames that are not valid are holes", () => {
  const { array, every } = virtualImage(smallScan({ valid: Uint8Array.of(1, 0, 1, 1) }));
  assert.equal(every, 1);
  assert.deepEqual([...(array.data as Float64Array)], [21, Number.NaN, 141, 201]);
});

test("the virtual image leaves out the pixel mask and the detector's sentinels", () => {
  const scan = smallScan({ pixelMask: { shape: [2, 3], data: Uint32Array.of(0, 1, 0, 0, 0, 8) } });
  scan.data[0] = 65_535;
  scan.data[8] = 65_534;
  // Frame 0 keeps 3 + 4 + 5, frame 1 keeps 11 + 14 + 15.
  const { array } = virtualImage(scan);
  assert.deepEqual([...(array.data as Float64Array)], [12, 40, 21 + 23 + 24 + 25, 31 + 33 + 34 + 35]);
});

test("the card says what the frames are and how they came, with a pattern and a map of the scan", () => {
  const { text, html, png } = framesBundle(smallScan(), checkShowOptions());
  assert.match(text, /^scan_master\.h5: Frames u16 \[2, 2, 2, 3\] cpu /);
  assert.match(text, /frames +2 x 2 x 2 x 3 u16\nmemory +48 B, 3\.0 times the 16 B stored\n/);
  assert.match(text, /decoded by +cpu \(2 threads\), the fastest one that runs here/);
  assert.match(text, /stages +open 31 ms/);
  assert.match(text, /note +a note/);
  assert.equal([...html.matchAll(/<img /g)].length, 2);
  assert.ok(png !== undefined);
});

test("memory is that of the frames as they are held, not as they were decoded", () => {
  const cropped = { ...REPORT, bytes: { stored: 16, decoded: 960, peak: 48 } };
  assert.match(
    framesBundle(smallScan({ report: cropped }), checkShowOptions()).text,
    /memory +48 B, 3\.0 times/,
  );
});

test("without a valid frame the card has no pattern, and all of a scan is a hole", () => {
  const { html } = framesBundle(smallScan({ valid: new Uint8Array(4) }), checkShowOptions());
  assert.equal([...html.matchAll(/<img /g)].length, 1);
});

test("no string of a file becomes markup in the card", () => {
  const hostile = `<img src=x onerror="alert(1)">`;
  const report = { ...REPORT, notes: [{ code: "x", text: hostile }], stages: [{ name: hostile, ms: 1 }] };
  const { html } = framesBundle(
    smallScan({ source: `/data/${hostile}`, report }),
    checkShowOptions({ title: hostile }),
  );
  assert.doesNotMatch(html, /onerror="/);
});

test("a line says its range and leaves flagged values out", () => {
  const { text, html, png } = lineBundle(ndarray(Uint16Array.of(3, 65_535, 9), [3]), checkShowOptions());
  assert.equal(text, "3 uint16, 3 to 9, 1 flagged left out");
  assert.ok(png !== undefined && html.includes("data:image/png"));
});
