// Owns: `FRAMELAB_REAL_FILES=… node scripts/files-table.mjs`: loads every real file and writes the table of docs/files.md.
// Must not know: how files are loaded; what is expected of them is in their PROVENANCE.md. Needs `npm run build` before.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { root } from "./run-step.mjs";

const folder = process.env.FRAMELAB_REAL_FILES;
if (folder === undefined) {
  console.error("FRAMELAB_REAL_FILES names no folder of real files.");
  process.exit(1);
}
const require = createRequire(join(root, "package.json"));
const { inspect, load } = require(root);
const { expectedRows, facts } = require(join(root, "build", "test", "real", "provenance.js"));
const rows = expectedRows(folder);
const START = "<!-- table: node scripts/files-table.mjs -->";
const END = "<!-- end of the table -->";

const sha = (bytes) => createHash("sha1").update(bytes).digest("hex").slice(0, 12);
const oneLine = (text) => text.replaceAll(`${folder}/`, "").replaceAll("|", "\\|").replace(/\s+/g, " ");

/** Whether frames [first, first + count) of loaded frames are the whole stack that PROVENANCE.md has of their file. */
function isExpected(frames, { file, dataset, firstFrame, frames: count }) {
  const expected = rows.find((row) => row.file === file && row.dataset === dataset);
  if (expected === undefined || expected.shape[0] !== count) return false;
  const { data } = frames.frame(0);
  const frameBytes = data.byteLength;
  const bytes = Buffer.concat(
    Array.from({ length: count }, (_, i) => {
      const { data: one } = frames.frame(firstFrame + i);
      return Buffer.from(one.buffer, one.byteOffset, frameBytes);
    }),
  );
  return sha(bytes) === expected.sha;
}

/** What a plain load of a file gives. */
async function plainLoad(file) {
  const options = { progress: false, scanShape: null };
  try {
    const about = await inspect(file);
    const isShort = about.frames !== null && about.files.some(({ problem }) => problem !== null);
    const frames = await load(file, isShort ? { ...options, onMissing: "fill" } : options);
    const present = about.files.filter(({ problem }) => problem === null);
    if (!present.every((part) => isExpected(frames, part))) return { verdict: "DIFFERS", said: "" };
    const shape = `${frames.pixelType} [${frames.shape.join(", ")}]`;
    if (!isShort) return { verdict: "exact", said: shape };
    const error = await load(file, options).catch((e) => e);
    return { verdict: `exact with \`onMissing\`, else \`${error.name}\``, said: oneLine(error.message) };
  } catch (error) {
    return { verdict: `refused: \`${error.name}\``, said: oneLine(error.message) };
  }
}

/** How many datasets of a file PROVENANCE.md lists, and how many are exact through the option dataset. */
async function byDataset(file) {
  const listed = rows.filter((row) => row.file === file);
  let exact = 0;
  for (const { dataset, file: _, ...expected } of listed) {
    const frames = await load(file, { dataset, progress: false, scanShape: null });
    if (JSON.stringify(facts(frames)) === JSON.stringify(expected)) exact += 1;
  }
  return { exact, listed: listed.length };
}

const files = readdirSync(folder, { recursive: true })
  .map((name) => join(folder, String(name)))
  .filter((name) => name.endsWith(".h5"))
  .sort();
const lines = [
  "| file | plain `load` | what it is, or what the error says | stacks by `dataset` |",
  "|---|---|---|---|",
];
let wrong = 0;
for (const file of files) {
  const { verdict, said } = await plainLoad(file);
  const { exact, listed } = await byDataset(file);
  if (verdict === "DIFFERS" || exact !== listed) wrong += 1;
  const datasets = listed === 0 ? "" : `${exact} of ${listed} exact`;
  lines.push(`| \`${relative(folder, file)}\` | ${verdict} | ${said} | ${datasets} |`);
}
const page = join(root, "docs", "files.md");
const text = readFileSync(page, "utf8");
const [before, rest] = text.split(START);
const after = rest.split(END)[1];
writeFileSync(page, `${before}${START}\n${lines.join("\n")}\n${END}${after}`);
console.log(`${files.length - wrong} passed, ${wrong} failed`);
process.exitCode = wrong === 0 ? 0 : 1;
