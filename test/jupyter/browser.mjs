// Owns: headless Chromium, and a notebook in JupyterLab as a person uses it: by menus, buttons and the mouse.
// Must not know: what the notebooks show.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { root } from "./server.mjs";

/** Screenshots, to be looked at. */
const shots = join(root, "build", "browser");
/** Longest wait for anything on a page; a busy machine needs seconds. */
export const PATIENCE_MS = 90_000;

/** Starts the system's Chromium. It ends with this process: its only wire is a pipe. */
export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
}

/** A page that keeps what went wrong in it, in `page.faults`. Nothing outside this machine is asked for. */
export async function newPage(browser, options = {}) {
  const page = await browser.newPage({ ...options, viewport: { width: 1280, height: 1000 } });
  page.setDefaultTimeout(PATIENCE_MS);
  page.faults = [];
  page.outside = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  await page.route(/^https?:\/\/(?!127\.0\.0\.1[:/])/, (route) => {
    page.outside.push(route.request().url());
    return route.abort();
  });
  return page;
}

/** Keeps a screenshot of the page or of an element: `build/browser/NAME.png`. */
export async function keepShot(target, name, options = {}) {
  mkdirSync(shots, { recursive: true });
  await target.screenshot({ ...options, path: join(shots, `${name}.png`) });
}

/** Opens a notebook and waits until its kernel is ready. */
export async function openNotebook(browser, url) {
  const page = await newPage(browser);
  await page.goto(url);
  await kernelIs(page, "Idle");
  return page;
}

/** Waits for the state that the status bar names, of the project's kernel. */
export function kernelIs(page, state) {
  return page.getByText(`TypeScript (FrameLab) | ${state}`, { exact: true }).waitFor();
}

/** Chooses an entry of the menu bar. */
export async function choose(page, menu, entry) {
  await page.getByRole("menuitem", { name: menu, exact: true }).click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}

/** The `n`-th code cell of the open notebook. */
export function codeCell(page, n) {
  return page.locator(".jp-Notebook .jp-CodeCell").nth(n);
}

/** Runs one cell by Shift+Enter, without waiting for its end. */
export async function startCell(page, n) {
  await codeCell(page, n).locator(".jp-InputArea-editor").click();
  await page.keyboard.press("Shift+Enter");
}

/** Text of an element as it is read: with its line breaks. */
export function textOf(locator) {
  // biome-ignore lint/performance/useDomNodeTextContent: what a person sees is asked for, not what the nodes hold
  return locator.innerText();
}

/** Waits for the end of a cell and gives the text of its outputs, as it stands on the page. */
export async function cellEnds(page, n) {
  await codeCell(page, n)
    .locator(".jp-InputPrompt", { hasText: /^\[\d+\]:$/ })
    .waitFor();
  await kernelIs(page, "Idle");
  return textOf(codeCell(page, n).locator(".jp-OutputArea").first());
}

/** What stands before each code cell: `[3]:`, `[*]:` while it runs, `[ ]:` when it has not run. */
export function prompts(page) {
  return page.$$eval(".jp-Notebook .jp-CodeCell", (cells) =>
    cells.map((cell) => cell.querySelector(".jp-InputPrompt")?.textContent ?? ""),
  );
}

/** Runs all cells by the menu and waits until none is waiting any more, run or skipped. */
export async function runAllCells(page) {
  await choose(page, "Run", "Run All Cells");
  await page.waitForFunction(() => {
    const found = [...document.querySelectorAll(".jp-Notebook .jp-CodeCell .jp-InputPrompt")];
    const texts = found.map(({ textContent }) => textContent);
    return texts.some((text) => /\d/.test(text)) && !texts.includes("[*]:");
  });
  await kernelIs(page, "Idle");
}

/**
 * Scrolls through the notebook as a reader does, keeps a screenshot of every code cell that shows something, and gives the
 * text of all outputs. JupyterLab lays out only what is in view.
 */
export async function readThrough(page, name) {
  const texts = [];
  const count = await page.locator(".jp-Notebook .jp-CodeCell").count();
  for (let n = 0; n < count; n++) {
    const cell = codeCell(page, n);
    if ((await cell.locator(".jp-OutputArea-child").count()) === 0) continue;
    await cell.scrollIntoViewIfNeeded();
    await keepShot(cell, `${name}-cell-${String(n + 1).padStart(2, "0")}`);
    texts.push(await textOf(cell.locator(".jp-OutputArea").first()));
  }
  return texts.join("\n");
}

/** Pictures under a selector: how many, and how many of them have pixels. */
export function pictures(page, selector) {
  return page.$$eval(`${selector} img`, async (images) => {
    await Promise.all(images.map((image) => image.decode().catch(() => {})));
    return { all: images.length, drawn: images.filter(({ naturalWidth }) => naturalWidth > 0).length };
  });
}

/** Figures under a selector: places for them, and how many plotly.js has drawn with an axis and pixels or a line. */
export function figures(page, selector) {
  return page.$$eval(`${selector} div[id^="framelab-"]`, (places) => ({
    all: places.length,
    drawn: places.filter(
      (place) =>
        place.matches(".js-plotly-plot") &&
        place.querySelector(".xtick") &&
        place.querySelector(".hm image, .scatterlayer path"),
    ).length,
  }));
}

/** Moves the mouse to a pixel of a drawn picture and gives the counts that its label shows there. */
export async function countsUnderMouse(page, figure, column, row) {
  await figure.scrollIntoViewIfNeeded();
  const [left, top] = await figure.evaluate(
    (plot, [x, y]) => {
      const area = plot.querySelector(".nsewdrag").getBoundingClientRect();
      const { xaxis, yaxis } = plot._fullLayout;
      return [area.left + xaxis.l2p(x), area.top + yaxis.l2p(y)];
    },
    [column, row],
  );
  await page.mouse.move(left - 20, top - 20);
  await page.mouse.move(left, top, { steps: 4 });
  // The label follows the mouse a moment later: waits for the one of this pixel.
  const words = new RegExp(`^column ${column}row ${row}(\\d+) counts`);
  const label = figure.locator(".hoverlayer .hovertext", { hasText: words }).first();
  return words.exec(await label.textContent())[1];
}
