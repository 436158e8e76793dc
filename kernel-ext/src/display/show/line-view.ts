// Owns: `show` of a 1-D array: a line with axes, its caption and its interactive form.
// Must not know: pictures of two dimensions, frames, reports.
import { type Bundle, caption, elementId, image, shell } from "./bundle";
import { colorTable } from "./colormap";
import { type AnyArray, isFlagged, numberAt } from "./grid";
import { packNumbers, TOOLBAR, upgradeScripts } from "./interactive";
import type { CheckedShowOptions } from "./options";
import { Raster, type Rgb } from "./raster";
import { linearTicks, type Scale, scaleFor } from "./scale";

const DENSITY = 2;
const PLOT = { left: 150, top: 24, width: 900, height: 400 } as const;
const SIZE = { width: 1080, height: 520 } as const;
const TEXT = 19;
const TICK = 10;
const INK: Rgb = [68, 68, 68];
const GRID: Rgb = [232, 232, 232];
/** Stroke width of the line, in pixels. */
const LINE = 2.6;

/** The display of a 1-D array: all of its range unless limits are given, because a line has room for peaks. */
export function lineBundle(array: AnyArray, options: CheckedShowOptions): Bundle {
  const count = array.shape[0]!;
  const skip = isFlagged(array.dtype);
  const values = Float64Array.from({ length: count }, (_, i) => {
    const value = numberAt(array, i);
    return skip(value) ? Number.NaN : value;
  });
  const limits = options.limits ?? range(values, options.log);
  const scale = scaleFor(values, options.log, limits);
  const [red, green, blue] = colorTable(options.colormap).subarray(3 * 90, 3 * 90 + 3);
  const color: Rgb = [red!, green!, blue!];
  const png = drawLine(values, scale, color);
  const flagged = values.filter((value) => Number.isNaN(value)).length;
  const words = `${count} ${array.dtype}, ${extent(limits[0])} to ${extent(limits[1])}${options.unit === undefined ? "" : ` ${options.unit}`}${flagged > 0 ? `, ${flagged} flagged left out` : ""}`;
  const [width, height] = [SIZE.width / DENSITY, SIZE.height / DENSITY];
  const id = elementId();
  const holder = `<div id="${id}" style="width: ${width}px; height: ${height + TOOLBAR}px">${image(png, width, height, words)}</div>`;
  const figure = {
    values: packNumbers(values),
    log: options.log,
    width,
    height,
    color: `rgb(${color.join(",")})`,
  };
  const html =
    shell(options.title, `${holder}${caption(words)}`) + upgradeScripts({ id, figure, draw: DRAW });
  return { text: options.title === "" ? words : `${options.title}: ${words}`, html, png };
}

/** A line's caption names its least and largest value: whole ones as they are. */
function extent(value: number): string {
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
}

function range(values: Float64Array, log: boolean): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (Number.isNaN(value) || (log && value <= 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return log ? [1, 10] : [0, 1];
  return high > low ? [low, high] : [low, low + 1];
}

function drawLine(values: Float64Array, scale: Scale, color: Rgb): Buffer {
  const raster = new Raster(SIZE.width, SIZE.height);
  const { left, top, width, height } = PLOT;
  const last = Math.max(1, values.length - 1);
  const x = (index: number): number => left + (index / last) * width;
  const y = (value: number): number => top + (1 - scale.position(value)) * height;
  for (const { value, label } of scale.ticks) {
    raster.fill(left, Math.round(y(value)), width, 1, GRID);
    raster.text(label, left - TICK - 10, y(value), TEXT, INK, "end");
  }
  for (const { value, label } of linearTicks(0, last).filter((tick) => Number.isInteger(tick.value))) {
    raster.fill(Math.round(x(value)), top, 1, height, GRID);
    raster.text(label, x(value), top + height + 24, TEXT, INK, "middle");
  }
  raster.frame(left, top, width, height, 2, INK);
  for (let i = 1; i < values.length; i++) {
    const [before, after] = [values[i - 1]!, values[i]!];
    if (Number.isNaN(before) || Number.isNaN(after)) continue;
    raster.stroke(
      [
        [x(i - 1), y(before)],
        [x(i), y(after)],
      ],
      LINE,
      color,
    );
  }
  raster.text("index", left + width / 2, top + height + 66, TEXT, INK, "middle");
  return raster.png();
}

const DRAW = `var f = figure;
var y = Array.from(numbers(f.values), function (v) { return v === v ? v : null; });
element.textContent = "";
Plotly.newPlot(element, [{ type: "scatter", mode: "lines", y: y, line: { color: f.color, width: 1.5 } }], {
  width: f.width, height: f.height, margin: { l: 70, r: 12, t: 34, b: 44 },
  font: { family: "system-ui, sans-serif", size: 12 },
  xaxis: { title: { text: "index" } }, yaxis: { type: f.log ? "log" : "linear" }
}, { displaylogo: false, displayModeBar: "hover" });`;
