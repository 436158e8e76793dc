// Owns: our notebooks run by nbconvert and written as HTML pages, with scripts and sanitized, in a browser.
// Must not know: how the package draws.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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

async function openPage(name, options) {
  const page = await newPage(browser, options);
  await page.goto(pathToFileURL(join(pages, `${name}.html`)).href, { waitUntil: "domcontentloaded" });
  return page;
}

/** Cells that show something, by their place among the code cells. */
function showing(file) {
  const { cells } = JSON.parse(readFileSync(file, "utf8"));
  const code = cells.filter(({ cell_type }) => cell_type === "code");
  return code.flatMap(({ outputs }, i) => (outputs.length > 0 ? [i] : []));
}

// nbconvert's own `--sanitize-html` lets no <img> pass, whatever its source, and writes refused HTML as text. So a page for
// readers who trust nothing asks for the pictures and the text of each display in place of its HTML.
const SANITIZED = [
  "--sanitize-html",
  "--NbConvertBase.display_data_priority=image/png",
  "--NbConvertBase.display_data_priority=text/plain",
];

/** Runs a notebook by our own runner, which accounts for every cell; gives the executed file. */
function execute(name) {
  const runner = join(root, "scripts", "run-notebook.mjs");
  const source = join(folder, "notebooks", `${name}.ipynb`);
  execFileSync(process.execPath, [runner, source, join(folder, "executed")], {
    cwd: join(folder, "notebooks"),
  });
  return join(folder, "executed", `${name}.ipynb`);
}

for (const name of notebookNames) {
  const executed = `${name}-nbconvert`;
  const file = join(folder, "executed", `${name}.ipynb`);

  test(`${name}: the page that nbconvert makes draws every figure`, async () => {
    execute(name);
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

  test(`${name}: the same page without scripts shows every picture, and the card`, async () => {
    const page = await openPage(`${executed}-trusted`, { javaScriptEnabled: false });
    assert.equal((await figures(page, "body")).drawn, 0);
    const images = await pictures(page, "body");
    assert.equal(images.drawn, images.all);
    if (name === "01-first-look") {
      assert.ok(images.all >= 8, `${images.all} pictures`);
      await hasCard(page);
    }
    await keepShot(page, `${executed}-no-scripts`, { fullPage: true });
    await page.close();
  });

  test(`${name}: the sanitized page has pictures and text, and no script's text`, async () => {
    await convert(file, "html", `${executed}-sanitized`, ...SANITIZED);
    const page = await openPage(`${executed}-sanitized`);
    const images = await pictures(page, "body");
    assert.equal(images.drawn, images.all);
    const text = await textOf(page.locator("body"));
    assert.doesNotMatch(text, /window\.Plotly|getElementById|data:image/);
    if (name === "01-first-look") {
      assert.ok(images.all >= 6, `${images.all} pictures`);
      assert.match(text, /load done/);
      assert.match(text, /load failed .*Frames 37 to 37: a compressed HDF5 chunk is truncated or corrupt/);
    }
    await keepShot(page, `${executed}-sanitized`, { fullPage: true });
    await page.close();
  });
}

test("nbconvert runs the first notebook itself, and nothing of it is lost", async () => {
  await convert(
    join(folder, "notebooks", "01-first-look.ipynb"),
    "notebook",
    "01-first-look-executed",
    "--execute",
  );
  // It keeps no numbers of this kernel's cells, and ends well when cells were skipped.
  const shown = showing(join(pages, "01-first-look-executed.ipynb"));
  assert.ok(shown.length > 5);
  assert.deepEqual(shown, showing(join(folder, "executed", "01-first-look.ipynb")));
});

async function hasCard(page) {
  const text = await textOf(page.locator("body"));
  assert.match(text, /^1 of 256 frames is damaged$/m);
  assert.match(text, /^37\s+2, 5\s+damaged_data_000001\.h5\s+\d+\s+4\s+a match offset is zero$/m);
  assert.match(text, /✓ load done/);
}
