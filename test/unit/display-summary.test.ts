// Owns: the line that stands for frames, and numbers as people read them.
// Must not know: loads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { framesLine, reportLine } from "#framelab/display/summary";
import { bytesText, gigabytesPerSecond, rateText, secondsText } from "#framelab/display/units";
import { plainReport } from "../fixtures/report";

const REPORT = plainReport({ bytes: { stored: 1, decoded: 246_800_000, peak: 1 }, seconds: 2 });
const FRAMES = { pixelType: "u16", shape: [16, 16, 192, 192], report: REPORT } as const;

test("the line of a good load, and of one with damaged and missing frames", () => {
  const frames = { ...FRAMES, shape: [...FRAMES.shape] };
  assert.equal(framesLine(frames), "Frames u16 [16, 16, 192, 192] reference 0.1 GB/s, 0 damaged");
  const place = { scan: null, file: "/data/a.h5", dataset: "/d", offset: 0, block: 0, detail: "" };
  // Frame 7 has two damaged blocks and counts once.
  const damaged = [7, 7, 9].map((frame) => ({ ...place, frame, reason: "offset-zero" as const }));
  const missing = [{ frame: 11, scan: null, file: null, reason: "chunk" as const }];
  const report = { ...REPORT, damaged, missing, seconds: 7.3 };
  const bad = framesLine({ ...frames, report });
  assert.equal(bad, "Frames u16 [16, 16, 192, 192] reference 0.03 GB/s, 2 damaged, 1 missing");
  assert.equal(
    reportLine(report, "Verified"),
    "Verified 256 frames, reference 0.03 GB/s, 2 damaged, 1 missing",
  );
});

test("numbers carry a unit and never round up to a thousand", () => {
  assert.deepEqual([0, 999, 1000, 18_874_368, 999_499, 999_500, 19_327_352_832].map(bytesText), [
    "0 B",
    "999 B",
    "1.0 kB",
    "18.9 MB",
    "999 kB",
    "1.0 MB",
    "19.3 GB",
  ]);
  assert.deepEqual([0.12, 8.34, 59.94, 59.96, 125].map(secondsText), [
    "0.12 s",
    "8.3 s",
    "59.9 s",
    "1 min 00 s",
    "2 min 05 s",
  ]);
  assert.equal(rateText(500, 0), "0.0 GB/s");
  assert.equal(gigabytesPerSecond(0.0049), "0.005 GB/s");
});
