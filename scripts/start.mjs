// Owns: `npm start`: from a fresh clone to an executed first notebook, and the few lines that say what it found.
// Must not know: how a part is built.
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { build } from "./build.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { linkNotebooks } from "./link-notebooks.mjs";
import { nodeStep, root } from "./run-step.mjs";

const require = createRequire(import.meta.url);

ensurePackages();
await build();
nodeStep("", ["scripts/make-demo.mjs"]);
linkNotebooks();

console.log("Running notebooks/01-first-look.ipynb");
// Imported only now: it needs what was installed and built above.
const { runToFiles } = await import("./run-notebook.mjs");
const { cellText, runFaults } = require("../dist/cli/notebook/run.js");
const notebook = join(root, "notebooks", "01-first-look.ipynb");
const { run, executed, page } = await runToFiles(notebook, join(root, "build", "notebooks"));
if (!run.ok) {
  for (const fault of runFaults(run)) console.error(fault);
  console.error(`The notebook did not run as it should: ${executed}`);
  process.exit(1);
}

const text = run.cells.map(cellText).join("\n");
const loaded = /^Frames \w+ \[([\d, ]+)\] (\w+) (\S+ GB\/s), 0 damaged$/m.exec(text);
const damaged = /^(\d+) +(\d+), (\d+) +(\S+) +(\d+) +(\d+) +(.+)$/m.exec(text);
if (loaded === null || damaged === null) {
  console.error(`The notebook ran, but does not say what it loaded and which frame is damaged: ${executed}`);
  process.exit(1);
}
const [, shape, backend, speed] = loaded;
const [scanRows, scanCols] = shape.split(", ").map(Number);
const [, frame, row, col, file, offset, block, reason] = damaged;
console.log(`
Executed notebook  ${relative(process.cwd(), executed)}
HTML page          ${relative(process.cwd(), page)}
Backend            ${backend}
Frames             ${scanRows * scanCols} (${scanRows} x ${scanCols} scan positions), ${speed}
Damaged frame      ${frame} (scan row ${row}, column ${col}) of the damaged copy: ${file}, byte ${offset}, block ${block}: ${reason}`);
