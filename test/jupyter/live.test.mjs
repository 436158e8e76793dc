// Owns: work that runs while JupyterLab looks: the bar moves, the stop button and a signal end it, a flood arrives whole.
// Must not know: how the package does it. Work is long because it is much, never because something sleeps.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  cellEnds,
  codeCell,
  keepShot,
  kernelIs,
  openNotebook,
  startBrowser,
  startCell,
  textOf,
} from "./browser.mjs";
import { startLab } from "./server.mjs";

// Frames of the demo over and over, a corner of each: minutes of native decoding in 256 MB.
const ENDLESS = `frames: Array.from({ length: 2_000_000 }, (_, i) => i % 256),
  detector: { rows: [0, 8], cols: [0, 8] }, backend: "cpu"`;

const CELLS = {
  setup: `import { load } from "framelab";
const path = "../demo/demo_master.h5";
let outcome = "nothing";`,
  slow: `const slow = await load(path, {
  frames: Array.from({ length: 2048 }, (_, i) => i % 256), backend: "reference",
});
slow.valid.length`,
  flood: `for (let i = 0; i < 600; i++) console.log("line " + i);`,
  interrupted: `const work = load(path, {
  ${ENDLESS} });
work.catch((error) => { outcome = error.name + " " + error.code; });
await work;`,
  afterwards: `const before = process.cpuUsage();
await new Promise((end) => setTimeout(end, 1000));
const { user, system } = process.cpuUsage(before);
console.log(outcome);
console.log("busy:", user + system > 300_000);
(await load(path, { frames: [0, 1] })).valid.length`,
  unwatched: `outcome = "nothing";
const control = new AbortController();
const aborted = load(path, {
  ${ENDLESS}, signal: control.signal });
aborted.catch((error) => { outcome = error.name + " " + error.code; });
"started"`,
  abort: `control.abort();
await aborted.catch(() => {});
outcome`,
};
const names = Object.keys(CELLS);
const at = (name) => names.indexOf(name);

function notebook() {
  const cells = Object.entries(CELLS).map(([id, source]) => ({
    cell_type: "code",
    id,
    metadata: {},
    execution_count: null,
    outputs: [],
    source,
  }));
  const kernelspec = { name: "framelab", display_name: "TypeScript (FrameLab)", language: "typescript" };
  return { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 };
}

let lab;
let browser;
let page;
before(async () => {
  lab = await startLab();
  writeFileSync(join(lab.notebooks, "live.ipynb"), JSON.stringify(notebook()));
  browser = await startBrowser();
  page = await openNotebook(browser, lab.url("notebooks/live.ipynb"));
  await startCell(page, at("setup"));
  await cellEnds(page, at("setup"));
});
after(async () => {
  await browser?.close();
  await lab?.close();
});

const bar = (name) => codeCell(page, at(name)).locator("progress");

/** Waits until the bar of a cell stands above 0. */
async function barMoves(name) {
  await bar(name).waitFor();
  const handle = await codeCell(page, at(name)).elementHandle();
  await page.waitForFunction((cell) => {
    const found = cell.querySelector("progress");
    return found !== null && /[1-9][\d,]* \/ /.test(found.parentElement.textContent);
  }, handle);
}

test("the bar of a load moves in its place and ends in one line", async () => {
  const cell = codeCell(page, at("slow"));
  await cell.evaluate((element) => {
    window.seen = [];
    new MutationObserver(() => {
      const value = element.querySelector("progress")?.value;
      if (value !== undefined && value !== window.seen.at(-1)) window.seen.push(value);
    }).observe(element, { childList: true, subtree: true, attributes: true });
  });
  await startCell(page, at("slow"));
  await barMoves("slow");
  await keepShot(cell, "live-bar");
  const text = await cellEnds(page, at("slow"));
  const seen = await page.evaluate(() => window.seen);
  assert.ok(new Set(seen).size >= 3, `states of the bar: ${seen.join(", ")}`);
  assert.deepEqual(
    seen,
    [...seen].sort((a, b) => a - b),
  );
  assert.match(
    text,
    /^✓ load done · Frames u16 \[2048, 192, 192\] reference [\d.]+ GB\/s, 0 damaged · [\d.]+ s\n+2048\s*$/,
  );
  assert.equal(await bar("slow").count(), 0);
  await keepShot(cell, "live-done");
});

test("a flood of 600 lines arrives whole", async () => {
  await startCell(page, at("flood"));
  const text = await cellEnds(page, at("flood"));
  assert.deepEqual(
    text.trim().split(/\n+/),
    Array.from({ length: 600 }, (_, i) => `line ${i}`),
  );
});

test("the stop button ends native work; the widget says so, and the kernel runs the next cell", async () => {
  await startCell(page, at("interrupted"));
  await barMoves("interrupted");
  await page.getByRole("button", { name: "Interrupt the kernel" }).click();
  const cell = codeCell(page, at("interrupted"));
  await cell.getByText("■ load cancelled").waitFor();
  await kernelIs(page, "Idle");
  await keepShot(cell, "live-interrupted");
  const [done, total] = framesOf(await textOf(cell));
  assert.equal(total, 2_000_000);
  assert.ok(done > 0 && done < total, `${done} frames done`);
  // The kernel skips what arrives within 200 ms after a failed cell.
  await page.waitForTimeout(500);
  await startCell(page, at("afterwards"));
  const text = await cellEnds(page, at("afterwards"));
  assert.match(text, /^AbortError aborted\nbusy: false$/m);
  assert.match(text, /\n2\s*$/);
});

test("a signal ends native work that nobody awaits, and its widget in another cell says so", async () => {
  await startCell(page, at("unwatched"));
  await barMoves("unwatched");
  await startCell(page, at("abort"));
  assert.match(await cellEnds(page, at("abort")), /AbortError aborted/);
  const cell = codeCell(page, at("unwatched"));
  await cell.getByText("■ load cancelled").waitFor();
  await keepShot(cell, "live-aborted");
  assert.deepEqual(page.faults, []);
});

/** Frames done and of how many, as a widget says it. */
function framesOf(text) {
  const [, done, total] = /([\d,]+) \/ ([\d,]+) frames/.exec(text);
  return [done, total].map((number) => Number(number.replaceAll(",", "")));
}
