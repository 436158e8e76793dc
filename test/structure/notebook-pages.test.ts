// Owns: the executed pages in docs/ are those of the notebooks: same cells, small, static, without a trace of a machine.
// Must not know: what the notebooks do, what came out of them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { type Cell, readNotebook } from "#framelab/cli/notebook/nbformat";

const ROOT = resolve(__dirname, "../../..");
const NAMES = readdirSync(join(ROOT, "notebooks"))
  .filter((name) => name.endsWith(".ipynb"))
  .map((name) => name.replace(/\.ipynb$/, ""));
const UPDATE = "run node scripts/notebook-docs.mjs";

const pageOf = (name: string): string => readFileSync(join(ROOT, "docs", `${name}.html`), "utf8");

async function sourcesOf(name: string): Promise<string[]> {
  const maker = pathToFileURL(join(ROOT, "scripts", "notebook-page.mjs")).href;
  const { sourceHtml } = (await import(maker)) as { sourceHtml: (cell: Cell) => string };
  return readNotebook(join(ROOT, "notebooks", `${name}.ipynb`)).cells.map(sourceHtml);
}

test("every notebook has a page with its cells, in order and no others", async () => {
  assert.ok(NAMES.length >= 4);
  for (const name of NAMES) {
    const page = pageOf(name);
    const sources = await sourcesOf(name);
    let from = 0;
    for (const source of sources) {
      const at = page.indexOf(source, from);
      assert.ok(at >= 0, `docs/${name}.html is not of this notebook, ${UPDATE}: ${source.slice(0, 80)}`);
      from = at + source.length;
    }
    assert.equal([...page.matchAll(/<section class="cell">/g)].length, sources.length, `${name}: ${UPDATE}`);
  }
});

test("a page is below 1 MB, has pictures with words in their place, and needs no script", () => {
  for (const name of NAMES) {
    const page = pageOf(name);
    assert.ok(page.length < 1_000_000, `${name} has ${page.length} bytes`);
    assert.doesNotMatch(page, /<script|Plotly/, name);
    const images = [...page.matchAll(/<img [^>]*>/g)].map(([tag]) => tag);
    assert.ok(images.length >= 2, `${name} has ${images.length} pictures`);
    for (const image of images)
      assert.match(image, /^<img alt="[^"]+" [^>]*src="data:image\/png;base64,/, name);
    assert.doesNotMatch(page, /class="stderr"/, `${name} shows an error of its own making`);
  }
});

test("a page says nothing of the machine that made it", () => {
  const allowed = /^\/(home\/you\/framelab\/demo|tmp\/damaged-scan)\//;
  for (const name of NAMES) {
    const text = pageOf(name).replace(/src="data:[^"]*"/g, "");
    const paths = [...text.matchAll(/(?<![\w.<"/)\]])\/(?:[\w.-]+\/)+[\w.-]+\.\w+/g)].map(([path]) => path);
    assert.deepEqual(
      paths.filter((path) => !allowed.test(path)),
      [],
      name,
    );
  }
});
