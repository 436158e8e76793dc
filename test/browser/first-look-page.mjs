// Owns: the executed first notebook's page in a real browser: figures are drawn, the card is there, a page without
// scripts still shows every picture. Must not know: how the page is made. Needs `npm start` before, and Chromium.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { colorsOfFile, count, openBrowser, openChecks } from "./chromium.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const page = join(root, "build", "notebooks", "01-first-look.html");
const shots = join(root, "build", "screenshots");
mkdirSync(shots, { recursive: true });
const { scratch, run: chromium, close } = openBrowser();
const { check, end } = openChecks("browser");

try {
  const dom = chromium(page, "--window-size=1000,6000", "--dump-dom");
  check("figures drawn by plotly.js", count(dom, /class="[^"]*\bjs-plotly-plot\b/g), (n) => n === 3);
  check("heat maps among them", count(dom, /class="hm"/g), (n) => n === 3);
  check("the damage card's row", /<td[^>]*>37<\/td><td[^>]*>2, 5<\/td>/.test(dom), Boolean);
  check("loads that ended", count(dom, />(?:✓ load done|✗ load failed)</g), (n) => n === 3);
  const shot = join(shots, "first-look.png");
  chromium(page, "--window-size=1000,6000", `--screenshot=${shot}`);
  check("colours on the page", colorsOfFile(shot), (n) => n > 200);

  // What a mail program or an untrusted notebook leaves.
  const plain = join(scratch, "plain.html");
  writeFileSync(plain, readFileSync(page, "utf8").replace(/<script[\s\S]*?<\/script>/g, ""));
  const plainDom = chromium(plain, "--window-size=1000,6000", "--dump-dom");
  check("pictures without scripts", count(plainDom, /<img [^>]*src="data:image\/png/g), (n) => n >= 8);
  check("plotly.js without scripts", count(plainDom, /js-plotly-plot/g), (n) => n === 0);
  const plainShot = join(shots, "first-look-without-scripts.png");
  chromium(plain, "--window-size=1000,6000", `--screenshot=${plainShot}`);
  check("colours without scripts", colorsOfFile(plainShot), (n) => n > 200);
} finally {
  close();
}
end();
