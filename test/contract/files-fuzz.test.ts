// Owns: a slice of the metadata fuzz: every mutated file is exact, marked, as HDF5 reads it, or a named error.
// Must not know: how files are mutated. The whole: npm run fuzz:metadata.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzMetadata } from "../fuzz/metadata";

test("mutated metadata never give wrong counts, a crash or a hang, and harm no later load", async () => {
  const { counts, findings } = await fuzzMetadata({ files: 200, seed: 20 });
  assert.deepEqual(findings, []);
  // The mutations reach both sides of every check.
  for (const outcome of ["exact", "marked", "UnsupportedLayoutError"]) {
    assert.ok((counts[outcome] ?? 0) > 10, JSON.stringify(counts));
  }
});
