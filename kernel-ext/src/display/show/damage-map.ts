// Owns: the map of damaged, missing and suspect frames: the scan as a small picture, or a strip without a scan.
// Must not know: how damage is found or told in words.
import type { LoadReport, ScanPosition } from "../../types";
import type { Picture } from "./picture";
import { Raster, type Rgb } from "./raster";

/** States of a frame, the worst last: a cell that stands for many frames shows the worst. */
export const STATES = ["good", "suspect", "missing", "damaged"] as const;
export type FrameState = (typeof STATES)[number];

/** Told apart by lightness as well as by hue. */
export const STATE_COLORS: Readonly<Record<FrameState, string>> = {
  good: "#dbe4ee",
  suspect: "#8e6bbf",
  missing: "#e8a33d",
  damaged: "#b3151b",
};

const MAP_SIDE = 480;
const STRIP = { width: 1000, height: 48 } as const;
const DENSITY = 2;
const LINE: Rgb = [110, 119, 129];

/** The state of every frame that is not good. */
export function frameStates(report: LoadReport): Map<number, FrameState> {
  const states = new Map<number, FrameState>();
  for (const { frame } of report.suspect) states.set(frame, "suspect");
  for (const { frame } of report.missing) states.set(frame, "missing");
  for (const { frame } of report.damaged) states.set(frame, "damaged");
  return states;
}

/** Draws the map. A cell stands for one frame, or for several where there are more frames than room. */
export function drawDamageMap(report: LoadReport): Picture {
  const { scanShape, frames } = report;
  // Frames behind the end of the scan have no cell.
  if (scanShape !== null) return drawScan(placesOf(report, scanShape[1]), scanShape);
  return drawStrip(frameStates(report), Math.max(frames.planned, frames.found));
}

/** The worst state at each scan position, counted row by row: a listed frame need not stand where its number says. */
function placesOf(report: LoadReport, cols: number): Map<number, FrameState> {
  const places = new Map<number, FrameState>();
  const mark = (entries: readonly { readonly scan: ScanPosition | null }[], state: FrameState): void => {
    for (const { scan } of entries) if (scan !== null) places.set(scan.row * cols + scan.col, state);
  };
  mark(report.suspect, "suspect");
  mark(report.missing, "missing");
  mark(report.damaged, "damaged");
  return places;
}

/** Least side of a mark in pixels: one bad position of 512 x 512 must be seen. */
const LEAST_MARK = 6;

function drawScan(places: ReadonlyMap<number, FrameState>, [rows, cols]: readonly [number, number]): Picture {
  const binned = Math.max(1, Math.ceil(Math.max(rows, cols) / MAP_SIDE));
  const [outRows, outCols] = [Math.ceil(rows / binned), Math.ceil(cols / binned)];
  const cell = Math.max(1, Math.floor(MAP_SIDE / Math.max(outRows, outCols)));
  const [width, height] = [outCols * cell, outRows * cell];
  const raster = new Raster(Math.max(LEAST_MARK, width) + 4, Math.max(LEAST_MARK, height) + 4, rgb("good"));
  const worst = worstByCell(places, (place) => {
    const row = Math.floor(place / cols / binned);
    return row * outCols + Math.floor((place % cols) / binned);
  });
  if (cell >= 8) drawGridLines(raster, cell);
  const mark = Math.max(cell, LEAST_MARK);
  const from = (at: number, extent: number): number =>
    2 + Math.max(0, Math.min(extent - mark, at * cell - Math.floor((mark - cell) / 2)));
  for (const [at, state] of worst) {
    raster.fill(from(at % outCols, width), from(Math.floor(at / outCols), height), mark, mark, rgb(state));
  }
  return finish(raster);
}

function drawStrip(states: ReadonlyMap<number, FrameState>, frames: number): Picture {
  const raster = new Raster(STRIP.width + 4, STRIP.height + 4, rgb("good"));
  const wide = Math.max(2, Math.floor(STRIP.width / Math.max(1, frames)));
  const worst = worstByCell(states, (frame) => Math.floor((frame / frames) * STRIP.width));
  // At least two pixels wide, so that one bad frame of many is seen.
  for (const [at, state] of worst)
    raster.fill(2 + at, 2, Math.min(wide, STRIP.width - at), STRIP.height, rgb(state));
  return finish(raster);
}

/** Cells to draw with their worst state, mildest first, so that the worst is drawn on top. */
function worstByCell(
  states: ReadonlyMap<number, FrameState>,
  cellOf: (frame: number) => number,
): [number, FrameState][] {
  const cells = new Map<number, FrameState>();
  for (const [frame, state] of states) {
    const cell = cellOf(frame);
    const known = cells.get(cell);
    if (known === undefined || STATES.indexOf(known) < STATES.indexOf(state)) cells.set(cell, state);
  }
  return [...cells].sort(([, a], [, b]) => STATES.indexOf(a) - STATES.indexOf(b));
}

function drawGridLines(raster: Raster, cell: number): void {
  for (let x = 2 + cell; x < raster.width - 2; x += cell)
    raster.fill(x, 0, 1, raster.height, [255, 255, 255]);
  for (let y = 2 + cell; y < raster.height - 2; y += cell)
    raster.fill(0, y, raster.width, 1, [255, 255, 255]);
}

function finish(raster: Raster): Picture {
  raster.frame(2, 2, raster.width - 4, raster.height - 4, 2, LINE);
  return { png: raster.png(), width: raster.width / DENSITY, height: raster.height / DENSITY };
}

function rgb(state: FrameState): Rgb {
  const [red, green, blue] = Buffer.from(STATE_COLORS[state].slice(1), "hex");
  return [red!, green!, blue!];
}
