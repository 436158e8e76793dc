// Owns: the notebook runner accounts for every cell: failures, skips, late errors, late displays, a dead kernel, a time limit.
// Must not know: our notebooks.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readNotebook } from "#framelab/cli/notebook/nbformat";
import { cellText, type NotebookRun, runFaults, runNotebook } from "#framelab/cli/notebook/run";

const folder = mkdtempSync(join(tmpdir(), "framelab-runner-"));
after(() => rmSync(folder, { recursive: true }));

interface Source {
  readonly source: string;
  readonly tags?: readonly string[];
}

async function runCells(cells: readonly Source[], timeoutMs?: number): Promise<NotebookRun> {
  const path = join(folder, "a notebook ä.ipynb");
  const whole = cells.map(({ source, tags }) => ({
    ...{ cell_type: "code", metadata: tags === undefined ? {} : { tags }, source: source.split(/(?<=\n)/) },
    ...{ execution_count: null, outputs: [] },
  }));
  const text = { cell_type: "markdown", metadata: {}, source: ["# Text"] };
  writeFileSync(
    path,
    JSON.stringify({ cells: [text, ...whole], metadata: {}, nbformat: 4, nbformat_minor: 5 }),
  );
  return await runNotebook(path, timeoutMs === undefined ? {} : { timeoutMs });
}

test("outputs, counts, working directory, and displays updated later from another cell", async () => {
  const run = await runCells([
    {
      source: `import * as tslab from "tslab";\nconst d = tslab.newDisplay(); d.text("old"); console.log(process.cwd());`,
    },
    { source: `console.error("to stderr"); d.text("new"); const x = await Promise.resolve(41);\nx + 1` },
  ]);
  assert.deepEqual(runFaults(run), []);
  assert.equal(run.ok, true);
  assert.equal(cellText(run.cells[0]!), `new\n${folder}\n`);
  assert.deepEqual(run.cells[1]!.outputs, [
    { output_type: "stream", name: "stderr", text: "to stderr\n" },
    { output_type: "stream", name: "stdout", text: "42\n" },
  ]);
  assert.deepEqual(
    run.notebook.cells.map((cell) => cell.execution_count),
    [undefined, 1, 2],
  );
});

test("a display updated thousands of times from a later cell costs no report of its whole cell each time", async () => {
  const run = await runCells([
    {
      source: `import * as tslab from "tslab";
const d = tslab.newDisplay(); d.text("old"); tslab.display.html("x".repeat(4_000_000));`,
    },
    { source: `for (let i = 0; i < 20_000; i++) d.text("state " + i);` },
    { source: `process.kill(process.pid, "SIGKILL");` },
  ]);
  assert.equal(run.unfinished, 2);
  assert.equal(run.cells[1]!.status, "ok");
  assert.match(
    cellText(run.cells[0]!),
    /^state 19999\n/,
    "the last state arrives before the next cell begins",
  );
});

test("a failed cell fails the run, and the cells behind it run all the same", async () => {
  const run = await runCells([
    { source: `throw new Error("first");` },
    { source: `console.log("second");` },
    { source: `const wrong: number = "text";` },
    { source: `throw new Error("wanted");`, tags: ["raises-exception"] },
    { source: `1`, tags: ["raises-exception"] },
  ]);
  assert.deepEqual(
    run.cells.map(({ status, ok }) => [status, ok]),
    [
      ["error", false],
      ["ok", true],
      ["error", false],
      ["error", true],
      ["ok", false],
    ],
  );
  assert.match(
    runFaults(run).join("\n"),
    /Cell 1: error\n[\s\S]*Error: first[\s\S]*Cell 3: error[\s\S]*not assignable/,
  );
});

test("an error that no cell waits for fails the run", async () => {
  const run = await runCells([
    {
      source: `setTimeout(() => { Promise.reject(new Error("late")); }, 10);\nawait new Promise((r) => setTimeout(r, 60));\n1`,
    },
  ]);
  assert.equal(run.cells[0]!.ok, true);
  assert.equal(run.ok, false);
  assert.deepEqual(
    run.asyncErrors.map(({ index }) => index),
    [0],
  );
  assert.match(run.asyncErrors[0]!.text, /^Unhandled rejection: Error: late/);
});

test("a kernel that ends early and one that hangs are told apart, and cells that never ran are named", async () => {
  const dead = await runCells([{ source: `1` }, { source: `process.exit(3)` }, { source: `2` }]);
  assert.match(dead.died!, /ended in cell 2 with status 3/);
  assert.deepEqual(
    dead.cells.map(({ status }) => status),
    ["ok", "not-run", "not-run"],
  );
  const hung = await runCells([{ source: `for (;;);` }], 6000);
  assert.match(hung.died!, /cell 1 was still running after 6 s/);
  assert.equal(hung.ok, false);
});

test("what is no notebook is refused with its path", () => {
  const path = join(folder, "text.ipynb");
  writeFileSync(path, "not json");
  assert.throws(() => readNotebook(path), /text\.ipynb is not a readable notebook/);
  writeFileSync(path, JSON.stringify({ nbformat: 3, worksheets: [] }));
  assert.throws(() => readNotebook(path), /not a notebook of format 4, but of format 3/);
});
