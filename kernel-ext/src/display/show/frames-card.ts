// Owns: the card of loaded frames: what they are, how they came, one pattern and, for a scan, a virtual image.
// Must not know: how frames are loaded; damage beyond its verdict.
import { basename } from "node:path";
import { dtypeBytes } from "../../pixel-arrays";
import type { Frames } from "../../types";
import { framesLine } from "../summary";
import { bytesText, rateText, secondsText } from "../units";
import { type Bundle, caption, image, shell } from "./bundle";
import { colorTable } from "./colormap";
import { verdictText } from "./damage-card";
import { type AnyArray, gridOf } from "./grid";
import type { CheckedShowOptions } from "./options";
import { type AxisNames, drawPicture, type Picture, SMALL_SIDE } from "./picture";
import { scaleFor } from "./scale";
import { tableHtml, tableText } from "./table";
import { virtualImage } from "./virtual-image";

/** The display of frames. */
export function framesBundle(frames: Frames, options: CheckedShowOptions): Bundle {
  const title = options.title === "" ? basename(frames.source) : options.title;
  const facts = { head: [], rows: factRows(frames) };
  const middle = middleValidFrame(frames.valid);
  const pictures: { picture: Picture; words: string }[] = [];
  if (middle !== null) {
    const names = { x: "column", y: "row", values: options.unit ?? "counts" };
    pictures.push({
      picture: draw(frames.frame(middle), options, names),
      words: `frame ${middle} of the selection`,
    });
  }
  if (frames.shape.length === 4) {
    const { array, every } = virtualImage(frames);
    const names = { x: "scan column", y: "scan row", values: "sum" };
    const how = every === 1 ? "sum of every frame" : `sum of every ${every}th pixel of each frame`;
    pictures.push({ picture: draw(array, { ...options, limits: undefined }, names), words: how });
  }
  const body = tableHtml(facts) + pictures.map(({ picture, words }) => figure(picture, words)).join("");
  const text = `${title}: ${framesLine(frames)}\n${tableText(facts)}`;
  const png = pictures[0]?.picture.png;
  return { text, html: shell(title, body), ...(png === undefined ? {} : { png }) };
}

function factRows(frames: Frames): string[][] {
  const { report, shape, pixelType } = frames;
  const { decoded, stored } = report.bytes;
  // A crop or a bin makes the frames in memory smaller than those that were decoded.
  const held = shape.reduce((product, extent) => product * extent, dtypeBytes(pixelType));
  const ratio = stored > 0 ? `, ${(held / stored).toFixed(1)} times the ${bytesText(stored)} stored` : "";
  return [
    ["file", frames.source],
    ["frames", `${shape.join(" x ")} ${pixelType}`],
    ["memory", `${bytesText(held)}${ratio}`],
    ["decoded by", `${report.backend.name} (${report.backend.device}), ${report.backend.why}`],
    ["time", `${secondsText(report.seconds)}, ${rateText(decoded, report.seconds)}`],
    ["stages", report.stages.map(({ name, ms }) => `${name} ${ms.toFixed(0)} ms`).join(", ")],
    ["state", verdictText(report)],
    ...report.notes.map(({ text }) => ["note", text]),
  ].filter(([, value]) => value !== "") as string[][];
}

/** The valid frame nearest to the middle of the selection: the first of a scan is often a dark edge. */
function middleValidFrame(valid: Uint8Array): number | null {
  const middle = Math.floor(valid.length / 2);
  const after = valid.indexOf(1, middle);
  if (after >= 0) return after;
  const before = valid.lastIndexOf(1, middle);
  return before >= 0 ? before : null;
}

/** Pictures of a card are small and averaged; `show(frames.pick(…))` gives the full and interactive one. */
function draw(array: AnyArray, options: CheckedShowOptions, names: AxisNames): Picture {
  const grid = gridOf(array, SMALL_SIDE);
  return drawPicture(
    grid,
    scaleFor(grid.values, options.log, options.limits),
    colorTable(options.colormap),
    names,
    SMALL_SIDE,
  );
}

function figure({ png, width, height }: Picture, words: string): string {
  return `<div style="display: inline-block; margin-right: 12px; vertical-align: top">${image(png, width, height, words)}${caption(words)}</div>`;
}
