// Owns: the texts about damaged and missing frames, word for word where programs or people rely on them.
// Must not know: how damage is found.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type DamagedBlock, DamagedFramesError, type LoadReport, MissingFramesError } from "framelab";
import { damagedFramesError, missingFramesError } from "#framelab/damage/messages";
import { frameList } from "#framelab/damage/ranges";
import { DAMAGE_REASONS } from "#framelab/damage/reasons";
import { plainReport } from "../fixtures/report";

const BLOCK: DamagedBlock = {
  frame: 37,
  scan: { row: 2, col: 5 },
  file: "/data/run_data_000001.h5",
  dataset: "/entry/data/data",
  offset: 5012,
  block: 0,
  reason: "offset-zero",
  detail: "at byte 0 of the block's 4 stored bytes: a match offset of 0",
};

const report = (facts: Partial<LoadReport>): LoadReport =>
  plainReport({ path: "/data/run_master.h5", ...facts });

const TEXT =
  "Frames 37 to 37: a compressed HDF5 chunk is truncated or corrupt. " +
  "1 frame of 256 selected: 37 (1 damaged block). " +
  "First: frame 37 (scan row 2, column 5), block 0 in /data/run_data_000001.h5, /entry/data/data, offset 5012: " +
  "a match offset is zero (offset-zero): at byte 0 of the block's 4 stored bytes: a match offset of 0. " +
  'Copy the file again if another copy exists, or pass onDamage: "mask" to load the other frames; ' +
  "the error's report lists every damaged block.";

test("one damaged frame: its place, its reason, what to do", () => {
  assert.equal(damagedFramesError(report({ damaged: [BLOCK] })).message, TEXT);
});

test("lowest and highest damaged frame, whatever the order; blocks are counted once", () => {
  const damaged = [
    { ...BLOCK, frame: 60, block: null, scan: null },
    { ...BLOCK, frame: 12 },
    { ...BLOCK, frame: 12, block: 1 },
    { ...BLOCK, frame: 13 },
  ];
  const text = damagedFramesError(report({ damaged })).message;
  assert.ok(text.startsWith("Frames 12 to 60: a compressed HDF5 chunk is truncated or corrupt. "), text);
  assert.ok(
    text.includes("3 frames of 256 selected: 12, 13, 60 (3 damaged blocks). First: frame 60 in /data/"),
    text,
  );
});

test("the error has the message, the report, and its facts", () => {
  const facts = report({ damaged: [BLOCK] });
  const error = damagedFramesError(facts);
  assert.ok(error instanceof DamagedFramesError);
  assert.equal(error.message, TEXT);
  assert.equal(error.report, facts);
  assert.equal(error.got, "1 damaged frame");
});

test("missing frames are named, with why and the first file", () => {
  const missing = [
    ...[3, 4].map((frame) => ({
      frame,
      scan: null,
      file: "/data/run_data_000002.h5",
      reason: "file" as const,
    })),
    { frame: 6, scan: null, file: "/data/run_data_000003.h5", reason: "chunk" as const },
  ];
  const facts = report({ missing, frames: { planned: 8, found: 5, selected: 8 } });
  const error = missingFramesError(facts, 3);
  assert.equal(
    error.message,
    "frames 3, 4, 6 are missing: 8 planned, 5 found. " +
      "2 in data files that are absent or unreadable (first: /data/run_data_000002.h5); " +
      "1 never written (first: /data/run_data_000003.h5). " +
      'Pass onMissing: "fill" to get them as fill values marked invalid, or onMissing: "trim" to end before the first one.',
  );
  assert.ok(error instanceof MissingFramesError);
  assert.equal(error.report, facts);
  assert.equal(error.place, "/data/run_data_000002.h5");
});

test("what is wrong with data files is quoted from the report's notes, where frames are missing with them", () => {
  const notes = [
    { code: "trimmed", text: "Not about files." },
    { code: "data-file-unreadable", text: "/data/run_data_000002.h5 is empty (0 bytes)." },
  ];
  const frame = { frame: 3, scan: null, file: "/data/run_data_000002.h5" };
  const facts = report({ missing: [{ ...frame, reason: "file" }], notes });
  const text = missingFramesError(facts, 3).message;
  assert.ok(
    text.includes("(first: /data/run_data_000002.h5). /data/run_data_000002.h5 is empty (0 bytes). Pass "),
  );
  assert.ok(!text.includes("Not about files"));
  const chunk = report({ missing: [{ ...frame, reason: "chunk" }], notes });
  assert.ok(!missingFramesError(chunk, 3).message.includes("empty"));
});

test("trimming is no advice where it would leave nothing", () => {
  const missing = [{ frame: 0, scan: null, file: null, reason: "short-scan" as const }];
  const text = missingFramesError(report({ missing }), 0).message;
  assert.match(text, /onMissing: "fill"/);
  assert.ok(!text.includes("trim"));
});

test("one missing frame, of a short scan without a file", () => {
  const missing = [{ frame: 255, scan: null, file: null, reason: "short-scan" as const }];
  const facts = report({ missing, frames: { planned: 256, found: 255, selected: 256 } });
  assert.ok(
    missingFramesError(facts, 3).message.startsWith(
      "frame 255 is missing: 256 planned, 255 found. 1 not recorded, the scan is short. Pass ",
    ),
  );
  assert.equal(missingFramesError(facts, 3).place, "/data/run_master.h5");
});

test("frame lists: single, in ranges, and cut", () => {
  assert.equal(frameList([6, 3, 4, 3]), "3, 4, 6");
  assert.equal(frameList([0, 1, 2, 3, 4, 5, 6, 7, 8, 20]), "0-8, 20");
  const odd = Array.from({ length: 1000 }, (_, i) => 2 * i + 1);
  assert.equal(frameList(odd), "1, 3, 5, 7, 9, 11 and 994 more");
  assert.equal(frameList(Array.from({ length: 300_000 }, (_, i) => i)), "0-299999");
});

test("every reason has its words, once", () => {
  assert.equal(new Set(DAMAGE_REASONS.map(({ code }) => code)).size, 19);
  for (const { code, words } of DAMAGE_REASONS) {
    const text = damagedFramesError(report({ damaged: [{ ...BLOCK, reason: code }] })).message;
    assert.ok(text.includes(`${words} (${code})`), code);
  }
});
