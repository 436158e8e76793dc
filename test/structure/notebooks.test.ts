// Owns: how notebooks are kept: valid, in order, without outputs, for the project's kernel.
// Must not know: what they do.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { readNotebook } from "#framelab/cli/notebook/nbformat";

const FOLDER = resolve(__dirname, "../../../notebooks");

test("notebooks are stored without outputs, with unique cell ids and our kernel", () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".ipynb"));
  assert.ok(names.includes("01-first-look.ipynb"));
  for (const name of names) {
    const notebook = readNotebook(join(FOLDER, name));
    const code = notebook.cells.filter((cell) => cell.cell_type === "code");
    const full = code.filter((cell) => cell.outputs?.length !== 0 || cell.execution_count !== null);
    assert.equal(full.length, 0, `${name} has outputs: run node scripts/strip-notebooks.mjs`);
    const ids = notebook.cells.map((cell) => (cell as { id?: string }).id);
    assert.equal(new Set(ids).size, notebook.cells.length, `${name} needs unique cell ids`);
    assert.equal((notebook.metadata.kernelspec as { name?: string }).name, "framelab", name);
  }
});
