// Owns: the real detector files of FRAMELAB_REAL_FILES against their PROVENANCE.md: shape, dtype, range, sum, digest.
// Must not know: anything that PROVENANCE.md does not say.
import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import { load } from "framelab";
import { expectedRows, facts } from "./provenance";

const root = process.env.FRAMELAB_REAL_FILES;

if (root === undefined) {
  test("real detector files", { skip: "FRAMELAB_REAL_FILES names no folder of them" }, () => {});
} else {
  const rows = expectedRows(root);
  test("PROVENANCE.md lists stacks of frames", () => assert.ok(rows.length > 30, `${rows.length} rows`));
  for (const { file, dataset, ...expected } of rows) {
    test(`${basename(file)} ${dataset} is exact`, async () => {
      const frames = await load(file, { dataset, progress: false, scanShape: null });
      assert.deepEqual(facts(frames), expected);
    });
  }
}
