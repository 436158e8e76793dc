// Owns: what `npm run verify:metal` makes of a test run, and that it says plainly where it cannot run.
// Must not know: how the tests are run on a Mac.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const ROOT = join(__dirname, "..", "..", "..");
interface Run {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly string[];
  readonly reasons: readonly string[];
}
interface Report {
  readTestRun(output: string): Run;
  metalReport(facts: object): string;
}
const script = import(pathToFileURL(join(ROOT, "scripts", "metal-report.mjs")).href) as Promise<Report>;

/** A run by node:test itself: two pass, one fails, one is skipped. */
function realRun(): string {
  const folder = mkdtempSync(join(tmpdir(), "framelab-report-"));
  const file = join(folder, "sample.test.cjs");
  writeFileSync(
    file,
    `const { test } = require("node:test");
     test("bytes | are equal", () => {});
     test("reports are equal", () => {});
     test("u16 96 x 96", () => { throw new Error("no"); });
     test("4 GiB", { skip: "needs 9 GB of memory" }, () => {});`,
  );
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT;
  const { stdout } = spawnSync(process.execPath, ["--test", "--test-reporter=spec", file], {
    encoding: "utf8",
    env,
  });
  rmSync(folder, { recursive: true });
  return stdout;
}

const FACTS = {
  version: "1.2.3",
  commit: "abc1234",
  system: [["macOS", "15.5 (24F74)"]],
  metal: { device: "Apple M3 Max" },
  validation: { MTL_DEBUG_LAYER: "1", MTL_SHADER_VALIDATION: "1" },
};

test("a run is counted, with the names of what failed and the reasons of skips", async () => {
  const { readTestRun } = await script;
  assert.deepEqual(readTestRun(realRun()), {
    passed: 2,
    failed: 1,
    skipped: 1,
    failures: ["u16 96 x 96"],
    reasons: ["needs 9 GB of memory"],
  });
});

test("the report says what failed, and when Metal was not tested or the run ended early", async () => {
  const { metalReport, readTestRun } = await script;
  const run = readTestRun(realRun());
  const failed = metalReport({ ...FACTS, run });
  assert.match(failed, /\*\*1 of the tests failed\.\*\*/);
  assert.match(failed, /^\* u16 96 x 96$/m);
  assert.match(failed, /^\| Metal \| Apple M3 Max \|$/m);
  assert.match(failed, /MTL_DEBUG_LAYER=1 MTL_SHADER_VALIDATION=1/);
  const clean = { ...run, failed: 0, failures: [] };
  assert.match(metalReport({ ...FACTS, run: clean }), /\*\*All tests passed, with Metal/);
  const without = metalReport({ ...FACTS, run: clean, metal: { reason: "no Metal device" } });
  assert.match(without, /\*\*Metal was not tested: no Metal device\.\*\*/);
  assert.match(metalReport({ ...FACTS, run: readTestRun("Killed: 9") }), /did not run to their end/);
});

test("elsewhere than on macOS it says that it needs one", {
  skip: process.platform === "darwin" && "this is macOS",
}, () => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts", "verify-metal.mjs")], {
    encoding: "utf8",
  });
  assert.equal(status, 1);
  assert.match(stderr, /^verify:metal needs macOS: /);
});
