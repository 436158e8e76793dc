// Owns: how the ladder counts what its fuzz met, and that it complains of a bound that nothing broke.
// Must not know: the kernels, how streams are made.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

interface Counting {
  fuzzCounts(output: string): Record<string, number[]>;
  unmetBounds(sums: Record<string, number[]>): string[];
}
const script = import(
  pathToFileURL(join(__dirname, "..", "..", "..", "scripts", "metal-run-lanes.mjs")).href
) as Promise<Counting>;

const OUTPUT = `fuzz verdicts u8-4096 5 1 1 1 0 1 1 1 1 1
fuzz u8 uniform: 13 blocks, 8 malformed
fuzz verdicts u16-8192 9 1 2 3 4 5 6 7 8 9
fuzz verdicts u8-4096 7 1 1 1 0 1 1 1 1 2
0 failures
`;

test("batches of one layout are added up", async () => {
  const { fuzzCounts } = await script;
  assert.deepEqual(fuzzCounts(OUTPUT), {
    "u8-4096": [12, 2, 2, 2, 0, 2, 2, 2, 2, 3],
    "u16-8192": [9, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  });
});

test("a bound that no block of a layout broke is named, and so is a fuzz without counts", async () => {
  const { fuzzCounts, unmetBounds } = await script;
  assert.deepEqual(unmetBounds(fuzzCounts(OUTPUT)), ["u8-4096: no block for 'bound 4'"]);
  assert.deepEqual(unmetBounds(fuzzCounts("0 failures\n")), ["the fuzz printed no counts"]);
});
