// Owns: the executed first notebook's page in a real browser: figures are drawn, the card is there, a page without
// scripts still shows every picture. Must not know: how the page is made. Needs `npm start` before, and Chromium.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PNG } from "pngjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const page = join(root, "build", "notebooks", "01-first-look.html");
const shots = join(root, "build", "screenshots");
const scratch = mkdtempSync(join(tmpdir(), "framelab-browser-"));
mkdirSync(shots, { recursive: true });

/** Runs Chromium on a page until its scripts have had `budgetMs` of their own time. */
function chromium(file, ...args) {
  const common = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--virtual-time-budget=20000",
  ];
  const profile = `--user-data-dir=${join(scratch, "profile")}`;
  const options = { encoding: "utf8", maxBuffer: 1 << 28, timeout: 120_000 };
  const run = spawnSync(
    process.env.CHROMIUM ?? "chromium",
    [...common, profile, ...args, pathToFileURL(file).href],
    options,
  );
  if (run.status !== 0) throw new Error(`Chromium ended with ${run.status ?? run.error}: ${run.stderr}`);
  return run.stdout;
}

/** Colours in a screenshot: a blank or broken page has a handful. */
function colorsOf(path) {
  const { data } = PNG.sync.read(readFileSync(path));
  const colors = new Set();
  for (let i = 0; i < data.length; i += 4) colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return colors.size;
}

const count = (text, pattern) => [...text.matchAll(pattern)].length;
let passed = 0;
let failed = 0;
function check(name, found, isRight) {
  const right = isRight(found);
  if (right) passed += 1;
  else failed += 1;
  console.log(`${right ? "ok" : "FAILED"}  ${name}: ${found}`);
}

try {
  const dom = chromium(page, "--window-size=1000,6000", "--dump-dom");
  check("figures drawn by plotly.js", count(dom, /class="[^"]*\bjs-plotly-plot\b/g), (n) => n === 3);
  check("heat maps among them", count(dom, /class="hm"/g), (n) => n === 3);
  check("the damage card's row", /<td[^>]*>37<\/td><td[^>]*>2, 5<\/td>/.test(dom), Boolean);
  check("loads that ended", count(dom, />(?:✓ load done|✗ load failed)</g), (n) => n === 3);
  const shot = join(shots, "first-look.png");
  chromium(page, "--window-size=1000,6000", `--screenshot=${shot}`);
  check("colours on the page", colorsOf(shot), (n) => n > 200);

  // What a mail program or an untrusted notebook leaves.
  const plain = join(scratch, "plain.html");
  writeFileSync(plain, readFileSync(page, "utf8").replace(/<script[\s\S]*?<\/script>/g, ""));
  const plainDom = chromium(plain, "--window-size=1000,6000", "--dump-dom");
  check("pictures without scripts", count(plainDom, /<img [^>]*src="data:image\/png/g), (n) => n >= 8);
  check("plotly.js without scripts", count(plainDom, /js-plotly-plot/g), (n) => n === 0);
  const plainShot = join(shots, "first-look-without-scripts.png");
  chromium(plain, "--window-size=1000,6000", `--screenshot=${plainShot}`);
  check("colours without scripts", colorsOf(plainShot), (n) => n > 200);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`browser: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
