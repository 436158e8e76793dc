// Owns: Chromium without a window on a page, and counting what was found there.
// Must not know: the pages.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PNG } from "pngjs";

/** A browser with a profile of its own, in a folder that `close` removes. */
export function openBrowser() {
  const scratch = mkdtempSync(join(tmpdir(), "framelab-browser-"));
  const common = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--virtual-time-budget=20000",
    `--user-data-dir=${join(scratch, "profile")}`,
  ];
  /** Runs Chromium on a file until its scripts have had 20 s of their own time; gives what it printed. */
  const run = (file, ...args) => {
    const options = { encoding: "utf8", maxBuffer: 1 << 28, timeout: 120_000 };
    const program = process.env.CHROMIUM ?? "chromium";
    const ended = spawnSync(program, [...common, ...args, pathToFileURL(file).href], options);
    if (ended.status !== 0)
      throw new Error(`Chromium ended with ${ended.status ?? ended.error}: ${ended.stderr}`);
    return ended.stdout;
  };
  return { scratch, run, close: () => rmSync(scratch, { recursive: true, force: true }) };
}

/** Colours of a PNG: a blank or broken picture has a handful. */
export function colorsOf(png) {
  const { data } = PNG.sync.read(png);
  const colors = new Set();
  for (let i = 0; i < data.length; i += 4) colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return colors.size;
}

/** Colours of a screenshot. */
export function colorsOfFile(path) {
  return colorsOf(readFileSync(path));
}

export const count = (text, pattern) => [...text.matchAll(pattern)].length;

/** Checks one by one; `end` prints how many passed and ends the process. */
export function openChecks(part) {
  let passed = 0;
  let failed = 0;
  return {
    check(name, found, isRight) {
      const right = isRight(found);
      if (right) passed += 1;
      else failed += 1;
      console.log(`${right ? "ok" : "FAILED"}  ${name}: ${found}`);
    },
    end() {
      console.log(`${part}: ${passed} passed, ${failed} failed`);
      process.exit(failed > 0 ? 1 : 0);
    },
  };
}
