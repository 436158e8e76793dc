// Owns: the executed pages of docs/ in a real browser: they have no script, and each card, picture and table is there.
// Must not know: how the pages are made. Needs Chromium, nothing else: the pages are kept in git.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { colorsOf, colorsOfFile, count, openBrowser, openChecks } from "./chromium.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const shots = join(root, "build", "screenshots");
mkdirSync(shots, { recursive: true });

/** What a reader must find: words of the page, and pictures by the words that stand for them, with colours at least. */
const PAGES = {
  "01-first-look": {
    words: [/<td[^>]*>37<\/td><td[^>]*>2, 5<\/td>/, /DamagedFramesError: Frames 37 to 37/],
    pictures: {
      "frame 37 at \\(2, 5\\), damaged": 20,
      "frame 36 at \\(2, 4\\), good": 20,
      "192 x 192 uint16": 100,
    },
  },
  "02-damaged-frames": {
    words: [
      /<td[^>]*>128<\/td><td[^>]*>8, 0<\/td>/,
      /1 of 256 frames is damaged/,
      /1 of 256 frames is damaged, 84 are missing/,
      /255 good frames compared, 0 pixels differ/,
      /writes 2467 bytes behind the room of its block/,
    ],
    pictures: {
      "the scan, 16 x 16": 3,
      "frame 128 at \\(8, 0\\), damaged: 44 % can be read": 20,
      "frame 127 at \\(7, 15\\), good": 20,
      "sum of every frame": 50,
    },
  },
  "03-explore-a-scan": {
    words: [
      /MemoryLimitError: Loading/,
      /memoryLimit allows 128 MB/,
      /Encoded u16 \[48, 48, 192, 192\], 14\.4 MB for 170 MB/,
    ],
    pictures: {
      "48 x 48 float64": 100,
      "192 x 192 float64, log scale": 100,
      "192 float64": 10,
      "9 float64": 10,
    },
  },
  "04-compare-backends": {
    words: [/cpu: [0-9a-f]{64}/, /reference: [0-9a-f]{64}/, /2 backends, one result/],
    pictures: { "6 float64, 0 to": 10 },
  },
};

const browser = openBrowser();
const { check, end } = openChecks("pages");
try {
  for (const [name, { words, pictures }] of Object.entries(PAGES)) {
    const page = join(root, "docs", `${name}.html`);
    const dom = browser.run(page, "--window-size=1000,6000", "--dump-dom");
    check(`${name}: scripts`, count(dom, /<script/g), (n) => n === 0);
    for (const pattern of words) check(`${name}: ${pattern.source}`, pattern.test(dom), Boolean);
    for (const [alt, colors] of Object.entries(pictures)) {
      const image = new RegExp(`<img alt="${alt}[^"]*"[^>]*src="data:image/png;base64,([^"]+)"`).exec(dom);
      const found = image === null ? 0 : colorsOf(Buffer.from(image[1], "base64"));
      check(`${name}: colours of the picture "${alt}"`, found, (n) => n >= colors);
    }
    const shot = join(shots, `${name}.png`);
    browser.run(page, "--window-size=1000,6000", `--screenshot=${shot}`);
    check(`${name}: colours on the page`, colorsOfFile(shot), (n) => n > 100);
  }
} finally {
  browser.close();
}
end();
