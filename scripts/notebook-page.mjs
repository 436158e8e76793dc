// Owns: an executed notebook as one self-contained HTML page, made without Jupyter or Python.
// Must not know: how notebooks run, what they show.
import hljs from "highlight.js/lib/core";
import typescript from "highlight.js/lib/languages/typescript";
import { marked } from "marked";

hljs.registerLanguage("typescript", typescript);

const joined = (text) => (Array.isArray(text) ? text.join("") : String(text ?? ""));
const escapeHtml = (text) =>
  text.replace(/[&<>"]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[char]);
/** Terminal colour codes have no meaning on a page. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what it removes
const plain = (text) => text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "");

const STYLE = `
:root { color-scheme: light; }
body { margin: 0; background: #f6f8fa; color: #24292f; font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 900px; margin: 0 auto; padding: 32px 40px 64px; background: #fff; min-height: 100vh; box-sizing: border-box; }
h1 { font-size: 32px; line-height: 1.2; margin: 8px 0 16px; } h2 { margin: 40px 0 8px; font-size: 22px; }
th, td { padding: 4px 16px 4px 0; text-align: left; vertical-align: top; }
p, ul { margin: 8px 0 12px; } a { color: #0550ae; }
code { font: 0.87em/1.5 ui-monospace, "DejaVu Sans Mono", monospace; background: #f0f2f5; padding: 1px 5px; border-radius: 4px; }
.cell { margin: 14px 0; }
.code { position: relative; border: 1px solid #d0d7de; border-radius: 6px; background: #f6f8fa; overflow-x: auto; }
.code pre { margin: 0; padding: 12px 48px 12px 16px; white-space: pre-wrap; overflow-wrap: anywhere; } .code code { background: none; padding: 0; }
.count { position: absolute; right: 10px; top: 8px; color: #8c959f; font: 12px ui-monospace, monospace; }
.output { padding: 6px 0 0 16px; border-left: 3px solid #d8dee4; margin: 8px 0 0 2px; overflow-x: auto; }
.output pre { margin: 4px 0; white-space: pre-wrap; font: 14px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
.stderr { color: #a40e26; } .output img { max-width: 100%; }
.hljs-keyword { color: #cf222e; } .hljs-string { color: #0a3069; } .hljs-number, .hljs-literal { color: #0550ae; }
.hljs-comment { color: #6e7781; } .hljs-title, .hljs-built_in { color: #8250df; } .hljs-subst { color: #24292f; }
`;

function outputHtml(output) {
  if (output.output_type === "stream") {
    return `<pre class="${output.name}">${escapeHtml(plain(joined(output.text)))}</pre>`;
  }
  const { data = {} } = output;
  if (data["text/html"]) return joined(data["text/html"]);
  if (data["image/png"])
    return `<img alt="" src="data:image/png;base64,${joined(data["image/png"]).trim()}">`;
  return data["text/plain"] ? `<pre>${escapeHtml(plain(joined(data["text/plain"])))}</pre>` : "";
}

/** What a page shows of a cell's source. */
export function sourceHtml(cell) {
  const source = joined(cell.source);
  if (cell.cell_type === "markdown") return marked.parse(source, { async: false });
  if (cell.cell_type !== "code") return `<pre>${escapeHtml(source)}</pre>`;
  return `<pre><code>${hljs.highlight(source, { language: "typescript" }).value}</code></pre>`;
}

function cellHtml(cell) {
  const source = sourceHtml(cell);
  if (cell.cell_type !== "code") return `<section class="cell">${source}</section>`;
  const outputs = (cell.outputs ?? [])
    .map(outputHtml)
    .filter((html) => html !== "")
    .join("");
  const count = cell.execution_count ?? " ";
  const shown = outputs === "" ? "" : `<div class="output">${outputs}</div>`;
  return `<section class="cell"><div class="code"><span class="count">[${count}]</span>${source}</div>${shown}</section>`;
}

/** The page of a notebook object; `fallbackTitle` where no cell has a heading. */
export function notebookPage(notebook, fallbackTitle) {
  const headings = notebook.cells
    .filter(({ cell_type }) => cell_type === "markdown")
    .map(({ source }) => joined(source));
  const title = headings.map((text) => /^# (.+)$/m.exec(text)?.[1]).find(Boolean) ?? fallbackTitle;
  const body = notebook.cells.map(cellHtml).join("\n");
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>
${body}
</main></body>
</html>
`;
}
