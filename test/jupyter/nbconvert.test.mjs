// Owns: our notebooks run by nbconvert and written as HTML pages, with scripts and sanitized, in a browser.
// Must not know: how the package draws.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { figures, keepShot, newPage, pictures, startBrowser, textOf } from "./browser.mjs";
import { copyProject, notebookNames, root, runJupyter } from "./server.mjs";

const pages = join(root, "build", "browser");
const folder = mkdtempSync(join(tmpdir(), "framelab-nbconvert-"));
let browser;
before(async () => {
  copyProject(folder);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** nbconvert of `path`; the result is `NAME.EXTENSION` in build/browser. */
function convert(path, to, name, ...options) {
  return runJupyter("jupyter-nbconvert", [
    "--to",
    to,
    "--output-dir",
    pages,
    "--output",
    name,
    ...options,
    path,
  ]);
}

async function openPage(name) {
  const page = await newPage(browser);
  await page.goto(pathToFileURL(join(pages, `${name}.html`)).href, { waitUntil: "domcontentloaded" });
  return page;
}

for (const name of notebookNames) {
  const executed = `${name}-nbconvert`;
  const file = join(pages, `${executed}.ipynb`);

  test(`${name}: nbconvert runs every cell and its page draws every figure`, async () => {
    await convert(join(folder, "notebooks", `${name}.ipynb`), "notebook", executed, "--execute");
    const { cells } = JSON.parse(readFileSync(file, "utf8"));
    const counts = cells.filter(({ cell_type }) => cell_type === "code").map((cell) => cell.execution_count);
    assert.deepEqual(
      counts,
      counts.map((_, i) => i + 1),
    );
    await convert(file, "html", `${executed}-trusted`);
    const page = await openPage(`${executed}-trusted`);
    const found = await figures(page, "body");
    assert.equal(found.drawn, found.all);
    const images = await pictures(page, "body");
    assert.equal(images.drawn, images.all);
    if (name === "01-first-look") {
      assert.equal(found.drawn, 3);
      await hasCard(page);
    }
    await keepShot(page, `${executed}-trusted`, { fullPage: true });
    await page.close();
  });

  test(`${name}: the sanitized page shows the pictures and the text, and runs no script`, async () => {
    await convert(file, "html", `${executed}-sanitized`, "--sanitize-html");
    const page = await openPage(`${executed}-sanitized`);
    assert.equal((await figures(page, "body")).drawn, 0);
    const images = await pictures(page, "body");
    assert.equal(images.drawn, images.all);
    const text = await textOf(page.locator("body"));
    assert.doesNotMatch(text, /window\.Plotly|getElementById/, "no script's text");
    await keepShot(page, `${executed}-sanitized`, { fullPage: true });
    if (name === "01-first-look") {
      assert.ok(images.all >= 8, `${images.all} pictures`);
      await hasCard(page);
    }
    await page.close();
  });
}

async function hasCard(page) {
  const text = await textOf(page.locator("body"));
  assert.match(text, /^1 of 256 frames is damaged$/m);
  assert.match(text, /^37\s+2, 5\s+damaged_data_000001\.h5\s+\d+\s+4\s+a match offset is zero$/m);
  assert.match(text, /✓ load done/);
}
