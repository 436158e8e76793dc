// Owns: notebooks/01-first-look.ipynb runs whole, and says what it should.
// Must not know: how notebooks run.
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { cellText, runFaults, runNotebook } from "#framelab/cli/notebook/run";

const NOTEBOOK = resolve(__dirname, "../../../notebooks/01-first-look.ipynb");

test("every cell of the first notebook runs, loads 256 frames and finds frame 37 damaged", async () => {
  const run = await runNotebook(join(NOTEBOOK));
  assert.deepEqual(runFaults(run), []);
  assert.deepEqual(
    run.cells.map(({ status }) => status),
    run.cells.map(() => "ok"),
  );
  const text = run.cells.map(cellText).join("\n");
  assert.match(text, /^Frames u16 \[16, 16, 192, 192\] \w+ [\d.]+ GB\/s, 0 damaged$/m);
  assert.match(text, /^load failed .*Frames 37 to 37: a compressed HDF5 chunk is truncated or corrupt/m);
  assert.match(text, /^37 +2, 5 +damaged_data_000001\.h5 +\d+ +4 +a match offset is zero$/m);
  assert.match(text, /^255 of 256 frames are good$/m);
  // The three readings of one pixel are one value.
  const readings = [...text.matchAll(/(?:pixel \(96, 96\)|by pick|by frame): (\d+)$/gm)].map(
    ([, value]) => value,
  );
  assert.equal(readings.length, 3);
  assert.equal(new Set(readings).size, 1);
  const bundles = run.cells
    .flatMap(({ outputs }) => outputs)
    .filter((output) => output.output_type === "display_data");
  const pictures = bundles.filter((output) => "data" in output && "image/png" in output.data);
  assert.ok(pictures.length >= 5, `${pictures.length} pictures`);
  // Small without plotly.js, which is inlined once.
  const html = bundles.map((output) => ("data" in output ? String(output.data["text/html"]) : ""));
  assert.equal(html.filter((page) => page.includes("if (!window.Plotly)")).length, 1);
  const small = JSON.stringify(run.notebook).length - Math.max(...html.map((page) => page.length));
  assert.ok(small < 1_000_000, `${small} bytes without plotly.js`);
});
