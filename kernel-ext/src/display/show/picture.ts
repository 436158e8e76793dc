// Owns: the static picture of a 2-D grid: pixels in colour, axes, colour bar, as a PNG.
// Must not know: notebooks.
import type { ColorTable } from "./colormap";
import type { Grid } from "./grid";
import { Raster, type Rgb, textWidth } from "./raster";
import { linearTicks, type Scale } from "./scale";
import { hasGlyphs } from "./stroke-font";

/** What the axes and the colours count. The picture leaves `values` out where the stroke font lacks a character. */
export interface AxisNames {
  readonly x: string;
  readonly y: string;
  readonly values: string;
}

/** A drawn picture. It has twice the pixels of the size it is shown at, for sharp screens. */
export interface Picture {
  readonly png: Buffer;
  /** Size to show it at, in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

const DENSITY = 2;
/** Pixels of the longer side of the image itself. */
export const LARGE_SIDE = 768;
export const SMALL_SIDE = 384;
const MARGIN = { left: 116, top: 16, right: 210, bottom: 96 } as const;
const BAR = { gap: 32, width: 28 } as const;
const TICK = 10;
const TEXT = 19;
const INK: Rgb = [68, 68, 68];
/** Pixels without a measurement: a grey that no colour map's light or dark end has. */
const FLAGGED: Rgb = [176, 176, 176];

/** Draws a grid; `side` is the most that its longer side takes, as far as whole pixels allow. */
export function drawPicture(
  grid: Grid,
  scale: Scale,
  colors: ColorTable,
  names: AxisNames,
  side: number = LARGE_SIDE,
): Picture {
  const zoom = Math.max(1, Math.floor(side / Math.max(grid.rows, grid.cols)));
  const width = grid.cols * zoom;
  const height = grid.rows * zoom;
  // A low picture still needs room for its colour bar.
  const tall = Math.max(height, 200);
  const raster = new Raster(MARGIN.left + width + MARGIN.right, MARGIN.top + tall + MARGIN.bottom);
  drawPixels(raster, grid, scale, colors, zoom);
  raster.frame(MARGIN.left, MARGIN.top, width, height, 2, INK);
  drawAxes(raster, grid, zoom, names);
  drawBar(raster, scale, colors, MARGIN.left + width + BAR.gap, tall, names.values);
  return { png: raster.png(), width: raster.width / DENSITY, height: raster.height / DENSITY };
}

function drawPixels(raster: Raster, grid: Grid, scale: Scale, colors: ColorTable, zoom: number): void {
  for (let row = 0; row < grid.rows; row++) {
    for (let col = 0; col < grid.cols; col++) {
      const position = scale.position(grid.values[row * grid.cols + col]!);
      const color = Number.isNaN(position) ? FLAGGED : colorAt(colors, position);
      raster.fill(MARGIN.left + col * zoom, MARGIN.top + row * zoom, zoom, zoom, color);
    }
  }
}

function colorAt(colors: ColorTable, position: number): Rgb {
  const at = 3 * Math.round(position * (colors.length / 3 - 1));
  return [colors[at]!, colors[at + 1]!, colors[at + 2]!];
}

/** Ticks stand at the centres of the pixels that they name. */
function drawAxes(raster: Raster, grid: Grid, zoom: number, names: AxisNames): void {
  const bottom = MARGIN.top + grid.rows * zoom;
  for (const { value, label } of pixelTicks(grid.cols, grid.binned)) {
    const x = MARGIN.left + Math.round(((value + 0.5) / grid.binned) * zoom);
    raster.fill(x - 1, bottom + 2, 2, TICK, INK);
    raster.text(label, x, bottom + TICK + 18, TEXT, INK, "middle");
  }
  for (const { value, label } of pixelTicks(grid.rows, grid.binned)) {
    const y = MARGIN.top + Math.round(((value + 0.5) / grid.binned) * zoom);
    raster.fill(MARGIN.left - TICK - 2, y - 1, TICK, 2, INK);
    raster.text(label, MARGIN.left - TICK - 10, y, TEXT, INK, "end");
  }
  raster.text(names.x, MARGIN.left + (grid.cols * zoom) / 2, bottom + 68, TEXT, INK, "middle");
  raster.text(names.y, 22, MARGIN.top + (grid.rows * zoom) / 2, TEXT, INK, "middle", true);
}

/** Whole pixel numbers of the source, from 0. */
function pixelTicks(length: number, binned: number): { value: number; label: string }[] {
  const last = length * binned - 1;
  if (last < 1) return [{ value: 0, label: "0" }];
  return linearTicks(0, last).filter(({ value }) => Number.isInteger(value));
}

function drawBar(
  raster: Raster,
  scale: Scale,
  colors: ColorTable,
  left: number,
  height: number,
  name: string,
): void {
  for (let y = 0; y < height; y++) {
    const color = colorAt(colors, 1 - y / (height - 1));
    raster.fill(left, MARGIN.top + y, BAR.width, 1, color);
  }
  raster.frame(left, MARGIN.top, BAR.width, height, 2, INK);
  const right = left + BAR.width;
  for (const { value, label } of scale.ticks) {
    const y = MARGIN.top + Math.round((1 - scale.position(value)) * (height - 1));
    raster.fill(right + 2, y - 1, TICK, 2, INK);
    raster.text(label, right + TICK + 10, y, TEXT, INK, "start");
  }
  if (!hasGlyphs(name)) return; // The caption has it whole.
  const longest = Math.max(0, ...scale.ticks.map(({ label }) => textWidth(label, TEXT)));
  raster.text(name, right + TICK + 10 + longest + 26, MARGIN.top + height / 2, TEXT, INK, "middle", true);
}
