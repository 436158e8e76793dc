// Owns: that every display keeps to markup that all front ends show, those included that cannot run in a test (VS Code).
// Must not know: how a display is made.
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { test } from "node:test";
import type { ProgressEvent } from "framelab";
import ndarray from "ndarray";
import { runNotebook } from "#framelab/cli/notebook/run";
import { progressHtml } from "#framelab/display/progress-view";
import { imageBundle } from "#framelab/display/show/image-view";
import { lineBundle } from "#framelab/display/show/line-view";
import { checkShowOptions } from "#framelab/display/show/options";

const ROOT = resolve(__dirname, "../../..");

/** Elements that sanitisers keep, and `script`, which they remove without harm. */
const ELEMENTS =
  "a b br code div img li ol p pre progress script span strong table tbody td th thead tr ul".split(" ");

const SCRIPTS = /<script\b([^>]*)>([\s\S]*?)<\/script>/g;

/** What is wrong with a piece of HTML for a front end that runs outputs in a closed frame, or strips them. */
function faultsOf(html: string): string[] {
  const faults: string[] = [];
  const scripts = [...html.matchAll(SCRIPTS)];
  for (const [, attributes, code] of scripts) {
    // A module is loaded later and has a scope of its own; a source would be fetched.
    if (attributes!.trim() !== "") faults.push(`script with attributes:${attributes}`);
    // plotly.js itself can fetch maps and fonts: what it is asked to draw does not.
    if (code!.startsWith("if (!window.Plotly)")) continue;
    const words = /\b(import|fetch|XMLHttpRequest|require|define|eval|localStorage|parent|top)\b/.exec(code!);
    if (words !== null) faults.push(`script uses ${words[0]}`);
  }
  const still = html.replace(SCRIPTS, "");
  for (const [tag, name] of still.matchAll(/<([a-z][\w-]*)\b[^>]*>/gi)) {
    if (!ELEMENTS.includes(name!.toLowerCase())) faults.push(`element ${name}`);
    if (/\son\w+\s*=/i.test(tag)) faults.push(`event attribute in ${tag.slice(0, 80)}`);
    if (/\s(?:href|src|srcset|action|data)\s*=\s*"(?!data:image\/png;base64,)/i.test(tag))
      faults.push(`outside source in ${tag.slice(0, 80)}`);
    if (/url\(|@import|position:\s*(?:fixed|absolute)/i.test(tag))
      faults.push(`style in ${tag.slice(0, 80)}`);
  }
  return faults;
}

test("the rules refuse what they are for", () => {
  const bad = {
    '<script type="module">1</script>': /attributes/,
    '<script src="https://a.b/c.js"></script>': /attributes/,
    "<script>import('x')</script>": /import/,
    '<iframe srcdoc=""></iframe>': /element iframe/,
    '<link href="a.css">': /element link/,
    "<svg></svg>": /element svg/,
    '<img src="https://a.b/c.png">': /outside source/,
    '<img src="data:image/svg+xml;base64,AA">': /outside source/,
    '<div onclick="a()">': /event attribute/,
    '<div style="background: url(a.png)">': /style/,
  };
  for (const [html, fault] of Object.entries(bad)) assert.match(faultsOf(html).join(), fault, html);
});

test("progress in every state", () => {
  const event = {
    task: "load",
    path: "a.h5",
    framesDone: 5,
    framesTotal: 9,
    damaged: 1,
    decodedBytes: 1e9,
    seconds: 2,
  };
  for (const state of ["running", "done", "cancelled", "failed"] as const) {
    const html = progressHtml({ ...event, state, backend: "cpu", message: "Said." } as ProgressEvent);
    assert.deepEqual(faultsOf(html), []);
  }
});

test("pictures and lines", () => {
  const options = checkShowOptions({ title: "counts" });
  const values = Uint16Array.from({ length: 12 }, (_, i) => i);
  assert.deepEqual(faultsOf(imageBundle(ndarray(values, [3, 4]), options).html), []);
  assert.deepEqual(faultsOf(lineBundle(ndarray(values, [12]), options).html), []);
});

test("every display of the first notebook, the damage card among them", async () => {
  const run = await runNotebook(join(ROOT, "notebooks", "01-first-look.ipynb"));
  const pages = run.cells
    .flatMap(({ outputs }) => outputs)
    .flatMap((output) =>
      "data" in output && "text/html" in output.data ? [String(output.data["text/html"])] : [],
    );
  assert.ok(pages.some((html) => html.includes("1 of 256 frames is damaged")));
  for (const html of pages) assert.deepEqual(faultsOf(html), []);
});
