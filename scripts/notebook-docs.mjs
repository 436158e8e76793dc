// Owns: `node scripts/notebook-docs.mjs [name ...]`: runs the notebooks and writes their pages to docs/, with static
// pictures and without a trace of this machine. Must not know: what notebooks do, how pages look.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runToFiles } from "./run-notebook.mjs";
import { root } from "./run-step.mjs";

/** Most bytes of a page: it is kept in git. */
const MOST_BYTES = 1_000_000;

const require = createRequire(import.meta.url);
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The page with paths of this machine as a reader's would be, and elements numbered: two runs differ in numbers only. */
function withoutMachine(page) {
  const ids = [...new Set(page.match(/framelab-[0-9a-f]{12}/g) ?? [])];
  return page
    .replaceAll(root, "/home/you/framelab")
    .replace(new RegExp(`${escaped(tmpdir())}/([\\w-]+)-\\w{6}/`, "g"), "/tmp/$1/")
    .replace(/framelab-[0-9a-f]{12}/g, (id) => `framelab-${ids.indexOf(id) + 1}`);
}

process.env.FRAMELAB_INTERACTIVE = "0"; // The kernel's process gets it from here.
const { runFaults } = require("../dist/cli/notebook/run.js");
const wanted = process.argv.slice(2);
for (const file of readdirSync(join(root, "notebooks")).filter((name) => name.endsWith(".ipynb"))) {
  const name = file.replace(/\.ipynb$/, "");
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { run, page } = await runToFiles(join(root, "notebooks", file), join(root, "build", "docs"));
  if (!run.ok) throw new Error(`${file} did not run as it should:\n${runFaults(run).join("\n")}`);
  const html = withoutMachine(readFileSync(page, "utf8"));
  if (html.length > MOST_BYTES)
    throw new Error(`The page of ${file} has ${html.length} bytes, more than ${MOST_BYTES}.`);
  writeFileSync(join(root, "docs", `${name}.html`), html);
  console.log(`docs/${name}.html: ${(html.length / 1000).toFixed(0)} kB`);
}
