// Owns: `show` of a 2-D array: the picture, its caption and its interactive form.
// Must not know: frames, reports.
import { countText, plural } from "../units";
import { type Bundle, caption, elementId, image, shell } from "./bundle";
import { type ColorTable, colorTable, hexColor } from "./colormap";
import { type AnyArray, type Grid, gridOf } from "./grid";
import { packNumbers, TOOLBAR, upgradeScripts } from "./interactive";
import type { CheckedShowOptions } from "./options";
import { type AxisNames, drawPicture } from "./picture";
import { type Scale, scaleFor, shortNumber } from "./scale";

/** The display of a 2-D array. */
export function imageBundle(array: AnyArray, options: CheckedShowOptions): Bundle {
  const names = { x: "column", y: "row", values: options.unit ?? unitOf(array) };
  const grid = gridOf(array);
  const scale = scaleFor(grid.values, options.log, options.limits);
  const colors = colorTable(options.colormap);
  const picture = drawPicture(grid, scale, colors, names);
  const words = describe(array, grid, scale, options);
  const id = elementId();
  const { width, height } = picture;
  // The height is fixed, so that the page does not jump when the interactive form comes.
  const holder = `<div id="${id}" style="width: ${width}px; height: ${height + TOOLBAR}px">${image(picture.png, width, height, words)}</div>`;
  const figure = interactiveFigure(grid, scale, colors, names, { width, height: height + TOOLBAR });
  const html =
    shell(options.title, `${holder}${caption(words)}`) + upgradeScripts({ id, figure, draw: DRAW });
  const text = options.title === "" ? words : `${options.title}: ${words}`;
  return { text, html, png: picture.png };
}

/** Results of reductions know their unit; other arrays are taken for detector data. */
function unitOf(array: AnyArray): string {
  const { unit } = array as { readonly unit?: unknown };
  return typeof unit === "string" ? unit : "counts";
}

/** One line that says what is seen: shape, type, limits, and what is left out. */
function describe(array: AnyArray, grid: Grid, scale: Scale, options: CheckedShowOptions): string {
  const quantiles = scale.log ? " (to the 99.8 % quantile)" : " (quantiles 0.5 % and 99.8 %)";
  const unit = options.unit === undefined ? "" : ` ${options.unit}`;
  const limits = options.limits === undefined ? quantiles : "";
  const parts = [`${array.shape.join(" x ")} ${array.dtype}`];
  parts.push(
    `${scale.log ? "log " : ""}scale ${shortNumber(scale.low)} to ${shortNumber(scale.high)}${unit}${limits}`,
  );
  if (grid.flagged > 0) parts.push(`${plural(grid.flagged, "flagged pixel")} in grey`);
  if (grid.binned > 1)
    parts.push(`averaged over ${countText(grid.binned)} x ${countText(grid.binned)} pixels`);
  return parts.join(", ");
}

const COLOR_STOPS = 16;

function interactiveFigure(
  grid: Grid,
  scale: Scale,
  colors: ColorTable,
  names: AxisNames,
  size: { width: number; height: number },
): unknown {
  const stops = Array.from({ length: COLOR_STOPS }, (_, i) => {
    const at = i / (COLOR_STOPS - 1);
    return [at, hexColor(colors, Math.round(255 * at))];
  });
  const { rows, cols, binned } = grid;
  const { low, high, log, ticks } = scale;
  return { rows, cols, binned, values: packNumbers(grid.values), stops, low, high, log, ticks, names, size };
}

// Hover shows the counts themselves, also on a logarithmic scale. NaN becomes null: a hole that shows the grey ground.
const DRAW = `var f = figure, flat = numbers(f.values), counts = [], z = [], floor = f.low;
for (var r = 0; r < f.rows; r++) {
  var row = Array.from(flat.subarray(r * f.cols, (r + 1) * f.cols), function (v) { return v === v ? v : null; });
  counts.push(row);
  z.push(f.log ? row.map(function (v) { return v === null ? null : Math.log10(Math.max(v, floor)); }) : row);
}
var at = f.log ? Math.log10 : function (v) { return v; };
var first = (f.binned - 1) / 2;
var axis = function (name, more) { return Object.assign({ title: { text: name }, showgrid: false, zeroline: false, ticks: "outside", constrain: "domain" }, more); };
element.textContent = "";
Plotly.newPlot(element, [{
  type: "heatmap", z: z, customdata: counts, x0: first, dx: f.binned, y0: first, dy: f.binned,
  zmin: at(f.low), zmax: at(f.high), colorscale: f.stops,
  hovertemplate: f.names.x + " %{x}<br>" + f.names.y + " %{y}<br><b>%{customdata}</b> " + f.names.values + "<extra></extra>",
  colorbar: { title: { text: f.names.values, side: "right" }, thickness: 14, outlinewidth: 1,
    tickvals: f.ticks.map(function (t) { return at(t.value); }), ticktext: f.ticks.map(function (t) { return t.label; }) }
}], {
  width: f.size.width, height: f.size.height, margin: { l: 58, r: 12, t: 34, b: 48 }, plot_bgcolor: "#b0b0b0",
  font: { family: "system-ui, sans-serif", size: 12 },
  xaxis: axis(f.names.x), yaxis: axis(f.names.y, { autorange: "reversed", scaleanchor: "x" })
}, { displaylogo: false, displayModeBar: "hover" });`;
