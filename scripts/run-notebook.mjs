// Owns: `node scripts/run-notebook.mjs notebook.ipynb [folder]`: runs a notebook in a fresh kernel, without Jupyter, and
// writes the executed notebook and its HTML page. Must not know: what the notebook does.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { notebookPage } from "./notebook-page.mjs";
import { root } from "./run-step.mjs";

const require = createRequire(import.meta.url);

/** Runs the notebook and writes both files into `folder`. Gives their paths and the run. */
export async function runToFiles(path, folder) {
  const { runNotebook } = require("../dist/cli/notebook/run.js");
  const { writeNotebook } = require("../dist/cli/notebook/nbformat.js");
  const run = await runNotebook(path);
  mkdirSync(folder, { recursive: true });
  const executed = join(folder, basename(path));
  const page = executed.replace(/\.ipynb$/, ".html");
  writeNotebook(executed, run.notebook);
  writeFileSync(page, notebookPage(run.notebook, basename(path, ".ipynb")));
  return { run, executed, page };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path, folder = join(root, "build", "notebooks")] = process.argv.slice(2);
  if (path === undefined) {
    console.error(
      "usage: node scripts/run-notebook.mjs notebook.ipynb [folder for the executed notebook and its page]",
    );
    process.exit(2);
  }
  const { runFaults } = require("../dist/cli/notebook/run.js");
  const { run, executed, page } = await runToFiles(resolve(path), resolve(folder));
  for (const fault of runFaults(run)) console.error(fault);
  console.log(`${relative(process.cwd(), executed)}\n${relative(process.cwd(), page)}`);
  process.exit(run.ok ? 0 : 1);
}
