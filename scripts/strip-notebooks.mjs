// Owns: `node scripts/strip-notebooks.mjs`: takes outputs and execution counts out of notebooks/, as they are kept in git.
// Must not know: what a notebook does.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-step.mjs";

const folder = join(root, "notebooks");
for (const name of readdirSync(folder).filter((file) => file.endsWith(".ipynb"))) {
  const path = join(folder, name);
  const before = readFileSync(path, "utf8");
  const notebook = JSON.parse(before);
  for (const cell of notebook.cells.filter(({ cell_type }) => cell_type === "code")) {
    Object.assign(cell, { execution_count: null, outputs: [] });
  }
  const after = `${JSON.stringify(notebook, null, 1)}\n`;
  if (after === before) continue;
  writeFileSync(path, after);
  console.log(`Stripped ${name}`);
}
