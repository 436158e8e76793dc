// Owns: tests of the pure part of source/: order of parts, frames of absent parts, planned frames, scan shapes.
// Must not know: files.
import assert from "node:assert/strict";
import test from "node:test";
import type { DatasetFacts } from "#framelab/source/acquisition";
import { plannedFrames, scanOf } from "#framelab/source/planned";
import { byNumber, layOut, orderParts, type Part } from "#framelab/source/segments";

function part(name: string, frames: number | null, firstImage: number | null = null): Part {
  const facts = frames === null ? null : ({ shape: [frames, 4, 6] } as unknown as DatasetFacts);
  const problem = frames === null ? "absent" : null;
  return { file: name, dataset: "/d", facts, frames, start: 0, step: 1, problem, firstImage };
}

function lengths(parts: readonly Part[], planned: number | null): (readonly [string, number, number])[] {
  return layOut(parts, planned).segments.map((s) => [s.file, s.firstFrame, s.frames] as const);
}

test("data_1, data_2, data_10 come in the order of their numbers", () => {
  const names = ["data_10", "data_1", "data_000003", "data_2"];
  assert.deepEqual(names.sort(byNumber), ["data_1", "data_2", "data_000003", "data_10"]);
});

test("image_nr_low decides the order where every present part has its own", () => {
  const names = (parts: Part[]): string[] => parts.map((p) => p.file);
  assert.deepEqual(names(orderParts([part("a", 5, 11), part("b", 5, 1), part("c", 5, 6)])), ["b", "c", "a"]);
  // An absent part keeps its place, a number that two parts share or one part lacks decides nothing.
  assert.deepEqual(names(orderParts([part("a", 5, 11), part("b", null), part("c", 5, 1)])), ["c", "b", "a"]);
  assert.deepEqual(names(orderParts([part("a", 5, 2), part("b", 5, 2)])), ["a", "b"]);
  assert.deepEqual(names(orderParts([part("a", 5, 9), part("b", 5), part("c", 5, 1)])), ["a", "b", "c"]);
});

test("an absent data file gets the frames of its siblings, the last one what is left of the plan", () => {
  assert.deepEqual(lengths([part("a", 100), part("b", null), part("c", 30)], 230), [
    ["a", 0, 100],
    ["b", 100, 100],
    ["c", 200, 30],
  ]);
  assert.deepEqual(lengths([part("a", 100), part("b", null)], 130), [
    ["a", 0, 100],
    ["b", 100, 30],
  ]);
  // Only the last file is there: the others share what it leaves.
  assert.deepEqual(lengths([part("a", null), part("b", null), part("c", 30)], 230), [
    ["a", 0, 100],
    ["b", 100, 100],
    ["c", 200, 30],
  ]);
  // Without a plan, the siblings' length is all that is known.
  assert.deepEqual(lengths([part("a", 100), part("b", null), part("c", 30)], null), [
    ["a", 0, 100],
    ["b", 100, 100],
    ["c", 200, 30],
  ]);
});

test("an aborted run: data files that were never written share the planned frames, the surplus is a note", () => {
  const laidOut = layOut([part("a", 100), part("b", null), part("c", null), part("d", null)], 230);
  assert.deepEqual(
    laidOut.segments.map((s) => s.frames),
    [100, 100, 30],
  );
  assert.equal(laidOut.found, 100);
  assert.equal(laidOut.planned, 230);
  assert.deepEqual(
    laidOut.notes.map((note) => note.code),
    ["data-file-without-frames"],
  );
});

test("frames planned beyond the data files are a last segment without a file", () => {
  const { segments, planned, found } = layOut([part("a", 100), part("b", 20)], 256);
  assert.deepEqual([planned, found], [256, 120]);
  assert.deepEqual(
    segments.map((s) => [s.file, s.firstFrame, s.frames]),
    [
      ["a", 0, 100],
      ["b", 100, 20],
      ["", 120, 136],
    ],
  );
  assert.match(segments[2]!.problem ?? "", /planned 256 .* hold 120/);
});

test("more frames than planned stay, and the plan stays what it is", () => {
  const laidOut = layOut([part("a", 100), part("b", 100)], 196);
  assert.deepEqual([laidOut.planned, laidOut.found, laidOut.segments.length], [196, 200, 2]);
});

test("segments have no gaps and no overlaps, whatever is absent", () => {
  for (let absent = 0; absent < 32; absent++) {
    const parts = [40, 40, 40, 40, 13].map((frames, i) => part(`${i}`, absent & (1 << i) ? null : frames));
    if (absent === 31) continue;
    const { segments, planned } = layOut(parts, 173);
    let next = 0;
    for (const segment of segments) {
      assert.equal(segment.firstFrame, next, `absent ${absent}`);
      next += segment.frames;
    }
    assert.equal(next, planned, `absent ${absent}`);
    // Present files never move: their frames are those that were recorded into them.
    for (const { file, firstFrame, facts } of segments) {
      if (facts !== null) assert.equal(firstFrame, Number(file) * 40, `absent ${absent}, file ${file}`);
    }
  }
});

test("planned frames are nimages x ntrigger; numbers that no acquisition has are a note", () => {
  assert.equal(plannedFrames(1, 262144).frames, 262144);
  assert.equal(plannedFrames(900, 3).frames, 2700);
  assert.equal(plannedFrames(null, 16).frames, 16);
  assert.equal(plannedFrames(16, null).frames, 16);
  assert.deepEqual(plannedFrames(null, null), { frames: null, notes: [] });
  for (const bad of [0, -1, 1.5, Number.NaN, 2 ** 40, 2 ** 60]) {
    const { frames, notes } = plannedFrames(1, bad);
    assert.equal(frames, null, `${bad}`);
    assert.equal(notes[0]?.code, "planned-unusable");
  }
});

test("the scan shape is an attribute, else the square of the frames planned with one image a trigger, else unknown", () => {
  const square = (planned: number | null, nimages: number | null): unknown =>
    scanOf([], planned, nimages).scan;
  assert.deepEqual(square(256, 1), { shape: [16, 16], from: "square" });
  assert.equal(square(255, 1), null);
  assert.equal(square(900, 900), null);
  assert.equal(square(900, null), null);
  assert.equal(square(null, 1), null);
  assert.equal(square(1, 1), null);
  const given = scanOf([{ at: "/entry", value: [64, 128] }], 8192, 1);
  assert.deepEqual(given.scan, { shape: [64, 128], from: "attribute" });
  for (const value of [[4], [4, 4, 4], [0, 4], [-4, 4], [2.5, 4], [2 ** 40, 1]]) {
    const bad = scanOf(
      [
        { at: "/entry", value },
        { at: "/", value: undefined },
      ],
      16,
      1,
    );
    assert.deepEqual(bad.scan, { shape: [4, 4], from: "square" });
    assert.equal(bad.notes[0]?.code, "scan-shape-unusable", `${value}`);
  }
});
