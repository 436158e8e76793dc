// Owns: checks of scan shapes, frame and scan selections, short and long scans. Judge: frame numbers worked out by hand.
// Must not know: chunks, files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLoadOptions, type LoadOptions } from "#framelab/options";
import { selectFrames } from "#framelab/plan/selection";
import type { Acquisition } from "#framelab/source/acquisition";

interface Facts {
  planned: number;
  /** Frames that the data files hold, or should hold. */
  covered?: number;
  scan?: [number, number];
}

function acquisition({ planned, covered = planned, scan }: Facts): Acquisition {
  const segment = {
    firstFrame: 0,
    frames: covered,
    file: "/data/a_data_000001.h5",
    dataset: "/entry/data/data",
    start: 0,
    step: 1,
    facts: null,
    problem: null,
  };
  return {
    path: "/data/a_master.h5",
    kind: "master",
    detector: [4, 5],
    dtype: "u16",
    segments: [segment],
    planned,
    found: covered,
    thresholds: null,
    fill: { fillValue: new Uint8Array(2), littleEndian: true },
    scan: scan ? { shape: scan, from: "square" } : null,
    pixelMask: null,
    notes: [],
  };
}

function select(facts: Facts, options: LoadOptions = {}) {
  const selection = selectFrames(acquisition(facts), checkLoadOptions("a.h5", options));
  const frames = Array.from({ length: selection.frames.count }, (_, i) => selection.frames.at(i));
  return { leading: [...selection.leading], frames, scanOf: selection.scanOf, notes: selection.notes };
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i);

test("a file without a scan shape is plain frames", () => {
  const { leading, frames } = select({ planned: 7 });
  assert.deepEqual(leading, [7]);
  assert.deepEqual(frames, upTo(7));
});

test("the file's scan shape is used, scanShape null is plain", () => {
  assert.deepEqual(select({ planned: 16, scan: [4, 4] }).leading, [4, 4]);
  assert.deepEqual(select({ planned: 16, scan: [4, 4] }, { scanShape: null }).leading, [16]);
  assert.deepEqual(select({ planned: 16, scan: [4, 4] }, { scanShape: [2, 8] }).leading, [2, 8]);
});

test("scan rows and columns with steps", () => {
  const { leading, frames, scanOf } = select(
    { planned: 30 },
    { scanShape: [5, 6], scan: { rows: [1, 5, 2], cols: [2, 6, 3] } },
  );
  assert.deepEqual(leading, [2, 2]);
  assert.deepEqual(frames, [8, 11, 20, 23]);
  assert.deepEqual(scanOf(20), { row: 3, col: 2 });
});

test("frames as list and range keep order and repeats", () => {
  assert.deepEqual(select({ planned: 9 }, { frames: [3, 1, 3] }).frames, [3, 1, 3]);
  assert.deepEqual(select({ planned: 9 }, { frames: { from: 1, to: 9, step: 3 } }).frames, [1, 4, 7]);
  assert.deepEqual(select({ planned: 9, scan: [3, 3] }, { frames: [8, 0] }).leading, [2]);
  assert.deepEqual(select({ planned: 9, scan: [3, 3] }, { frames: [8, 0] }).scanOf(8), { row: 2, col: 2 });
});

test("frames with scanShape form that scan, and scan chooses within it", () => {
  const cut = select({ planned: 10 }, { frames: { from: 4, to: 10 }, scanShape: [2, 3] });
  assert.deepEqual(cut.leading, [2, 3]);
  assert.deepEqual(cut.frames, [4, 5, 6, 7, 8, 9]);
  assert.deepEqual(cut.scanOf(7), { row: 1, col: 0 });
  assert.equal(cut.scanOf(2), null);
  assert.equal(cut.notes[0]?.code, "scan-cut");
  const part = select(
    { planned: 10 },
    { frames: { from: 4, to: 10 }, scanShape: [2, 3], scan: { cols: [1, 3] } },
  );
  assert.deepEqual(part.frames, [5, 6, 8, 9]);
});

test("a short scan keeps its planned shape; a larger one only with fill or trim", () => {
  assert.deepEqual(select({ planned: 16, covered: 10, scan: [4, 4] }).frames, upTo(16));
  assert.deepEqual(select({ planned: 16, covered: 10 }, { scanShape: [2, 8] }).leading, [2, 8]);
  assert.deepEqual(select({ planned: 10 }, { scanShape: [4, 4], onMissing: "fill" }).frames, upTo(16));
  assert.throws(() => select({ planned: 10 }, { scanShape: [4, 4] }), {
    name: "ScanShapeError",
    message: /needs 16 frames, but 10 are there/,
  });
});

test("a long scan is refused with both numbers, plain frames hold all of it", () => {
  assert.throws(() => select({ planned: 16, covered: 18, scan: [4, 4] }), {
    name: "ScanShapeError",
    message: /needs 16 frames, but 18 were recorded.*frames: \{ from: 0, to: 16 \}/,
  });
  const plain = select({ planned: 16, covered: 18, scan: [4, 4] }, { scanShape: null });
  assert.deepEqual(plain.frames, upTo(18));
  assert.equal(plain.notes[0]?.code, "extra-frames");
});

test("64 x 128 is never read as another shape", () => {
  assert.throws(() => select({ planned: 8192 }, { scanShape: [65, 128] }), {
    name: "ScanShapeError",
    message: /8320 frames, but 8192/,
  });
});

test("selections outside the acquisition are refused with its extent", () => {
  assert.throws(() => select({ planned: 9 }, { frames: [9] }), { name: "SelectionError", expected: "0 … 8" });
  assert.throws(() => select({ planned: 9 }, { frames: { from: 0, to: 10 } }), { name: "SelectionError" });
  assert.throws(() => select({ planned: 9 }, { scanShape: [3, 3], scan: { rows: [0, 4] } }), {
    name: "SelectionError",
    place: "scan.rows",
  });
  assert.throws(() => select({ planned: 9 }, { scan: { rows: [0, 1] } }), { name: "SelectionError" });
  assert.throws(() => select({ planned: 9 }, { scan: { rows: [0, 1] }, frames: [1] }), {
    name: "OptionError",
  });
});
