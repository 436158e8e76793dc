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

/** Rows and columns of the scan of a report. */
export interface ScanShape {
  readonly rows: number;
  readonly cols: number;
}

const MAP_SIDE = 480;
const STRIP = { width: 1000, height: 48 } as const;
const DENSITY = 2;
const LINE: Rgb = [110, 119, 129];

/**
 * The scan's shape, from any entry that is below the first scan row: frame = row * cols + col. Null when no entry
 * says it: without a scan, or with all entries in the first row.
 */
export function scanShape(report: LoadReport): ScanShape | null {
  const entries: readonly { frame: number; scan: ScanPosition | null }[] = [
    ...report.damaged,
    ...report.missing,
  ];
  const below = entries.find(({ scan }) => scan !== null && scan.row > 0);
  if (below?.scan == null) return null;
  const cols = (below.frame - below.scan.col) / below.scan.row;
  if (!Number.isInteger(cols) || cols < 1) return null;
  return { rows: Math.ceil(report.frames.planned / cols), cols };
}

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
  const states = frameStates(report);
  const scan = scanShape(report);
  return scan === null ? drawStrip(states, report.frames.planned) : drawScan(states, scan);
}

function drawScan(states: ReadonlyMap<number, FrameState>, { rows, cols }: ScanShape): Picture {
  const binned = Math.max(1, Math.ceil(Math.max(rows, cols) / MAP_SIDE));
  const [outRows, outCols] = [Math.ceil(rows / binned), Math.ceil(cols / binned)];
  const cell = Math.max(1, Math.floor(MAP_SIDE / Math.max(outRows, outCols)));
  const raster = new Raster(outCols * cell + 4, outRows * cell + 4, rgb("good"));
  const worst = worstByCell(states, (frame) => {
    const row = Math.floor(frame / cols / binned);
    return row * outCols + Math.floor((frame % cols) / binned);
  });
  if (cell >= 8) drawGridLines(raster, cell);
  for (const [at, state] of worst) {
    raster.fill(2 + (at % outCols) * cell, 2 + Math.floor(at / outCols) * cell, cell, cell, rgb(state));
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
