// Owns: our notebooks in JupyterLab, run by its menu and seen on its page; the same without trust.
// Must not know: how the package draws. Screenshots of every cell are kept in build/browser/.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  countsUnderMouse,
  figures,
  keepShot,
  newPage,
  openNotebook,
  pictures,
  prompts,
  readThrough,
  runAllCells,
  startBrowser,
} from "./browser.mjs";
import { notebookNames, root, startLab } from "./server.mjs";

/** The damage card's row: frame, scan position, file, byte, block, reason. */
const CARD = /^37\s+2, 5\s+damaged_data_000001\.h5\s+\d+\s+4\s+a match offset is zero$/m;
const OUTPUTS = ".jp-Notebook .jp-OutputArea-output";
let lab;
let browser;
before(async () => {
  lab = await startLab();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await lab?.close();
});

for (const name of notebookNames) {
  test(`${name}: every cell runs, and every figure is drawn by plotly.js`, async () => {
    const page = await openNotebook(browser, lab.url(`notebooks/${name}.ipynb`));
    await runAllCells(page);
    const found = await prompts(page);
    assert.deepEqual(
      found,
      found.map((_, i) => `[${i + 1}]:`),
    );
    const { all, drawn } = await figures(page, OUTPUTS);
    assert.equal(drawn, all);
    const images = await pictures(page, OUTPUTS);
    assert.equal(images.drawn, images.all);
    const text = await readThrough(page, name);
    if (name === "01-first-look") await firstLook(page, text);
    assert.deepEqual(page.faults, []);
    assert.deepEqual(page.outside, []);
    await page.close();
  });
}

/** What the first notebook promises: figures with counts under the mouse, the card of the damaged frame. */
async function firstLook(page, text) {
  assert.deepEqual(await figures(page, OUTPUTS), { all: 3, drawn: 3 });
  // The notebook prints the value of one pixel; the mouse at the pixel must find it, on both scales.
  const counts = /pixel \(96, 96\): (\d+)$/m.exec(text)[1];
  for (const n of [0, 1]) {
    const figure = page.locator(`${OUTPUTS} .js-plotly-plot`).nth(n);
    assert.equal(await countsUnderMouse(page, figure, 96, 96), counts);
    await keepShot(page, `01-first-look-hover-${n + 1}`);
  }
  assert.match(text, CARD);
  assert.match(text, /✗ load failed/);
}

test("an executed notebook that is not trusted shows every picture and the card, and runs no script", async () => {
  const script = join(root, "scripts", "run-notebook.mjs");
  const source = join(lab.notebooks, "01-first-look.ipynb");
  // Run by our own runner into the served folder: JupyterLab has not signed it.
  execFileSync(process.execPath, [script, source, join(lab.project, "untrusted")], { cwd: lab.notebooks });
  const page = await newPage(browser);
  await page.goto(lab.url("untrusted/01-first-look.ipynb"));
  await page.getByText("1 of 256 frames is damaged").first().waitFor();
  const { drawn } = await figures(page, OUTPUTS);
  const images = await pictures(page, OUTPUTS);
  assert.equal(drawn, 0);
  assert.ok(images.all >= 8, `${images.all} pictures`);
  assert.equal(images.drawn, images.all);
  assert.equal(await page.locator(`${OUTPUTS} script`).count(), 0);
  const text = await readThrough(page, "untrusted");
  assert.match(text, /✓ load done/);
  assert.match(text, CARD);
  assert.doesNotMatch(text, /Plotly|function \(/, "no script's text");
  // A bar that stopped on the way is still a bar.
  assert.ok((await page.locator(`${OUTPUTS} progress`).count()) >= 1);
  assert.deepEqual(page.faults, []);
  await page.close();
});
