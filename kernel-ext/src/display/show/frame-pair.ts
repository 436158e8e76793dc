// Owns: the damaged frame as far as it can be read, beside a good one near it, as two small pictures with their words.
// Must not know: how the frames were read.
import type { Evidence, FramePicture } from "../../damage/evidence";
import { type ColorTable, colorTable } from "./colormap";
import type { Picture } from "./picture";
import { Raster, type Rgb } from "./raster";
import { type Scale, scaleFor } from "./scale";

/** A picture with the line that stands below it, and in its place where no pictures are shown. */
export interface Figure {
  readonly picture: Picture;
  readonly words: string;
}

const DENSITY = 2;
/** Pixels of the longer side, as far as whole pixels allow. */
const SIDE = 384;
const BORDER = 2;
const INK: Rgb = [68, 68, 68];
/** Stripes over what cannot be read: colours that no colour map has side by side. */
const STRIPES: readonly [Rgb, Rgb] = [
  [179, 21, 27],
  [246, 222, 222],
];
/** Pixels of a stripe, along the row. */
const STRIPE = 6;

/** Both frames on one scale, so that their counts can be compared: the limits are those of the good frame. */
export function framePair({ damaged, neighbour }: Evidence): Figure[] {
  const colors = colorTable("blue-yellow");
  const scale = scaleFor(knownValues(neighbour ?? damaged), false);
  const figures = [{ picture: draw(damaged, scale, colors), words: damagedWords(damaged) }];
  if (neighbour !== null) {
    figures.push({ picture: draw(neighbour, scale, colors), words: `${name(neighbour)}, good` });
  }
  return figures;
}

function knownValues({ values, known }: FramePicture): Float64Array {
  return values.map((value, i) => (known[i] === 1 ? value : Number.NaN));
}

function name({ frame, scan }: FramePicture): string {
  return scan === null ? `frame ${frame}` : `frame ${frame} at (${scan.row}, ${scan.col})`;
}

function damagedWords(picture: FramePicture): string {
  if (picture.share === 0) return `${name(picture)}, damaged: nothing of it can be read`;
  // Rounded down: a frame with one lost pixel is not read as a whole.
  const percent = Math.min(99, Math.floor(100 * picture.share));
  return `${name(picture)}, damaged: ${percent} % can be read, the rest is striped`;
}

function draw({ rows, cols, values, known }: FramePicture, scale: Scale, colors: ColorTable): Picture {
  const zoom = Math.max(1, Math.floor(SIDE / Math.max(rows, cols)));
  const [width, height] = [cols * zoom, rows * zoom];
  const raster = new Raster(width + 2 * BORDER, height + 2 * BORDER);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = Math.floor(y / zoom) * cols + Math.floor(x / zoom);
      const color =
        known[at] === 1
          ? colorAt(colors, scale.position(values[at]!))
          : STRIPES[Math.floor((x + y) / STRIPE) % 2]!;
      raster.fill(BORDER + x, BORDER + y, 1, 1, color);
    }
  }
  raster.frame(BORDER, BORDER, width, height, BORDER, INK);
  return { png: raster.png(), width: raster.width / DENSITY, height: raster.height / DENSITY };
}

function colorAt(colors: ColorTable, position: number): Rgb {
  const at = Number.isNaN(position) ? 0 : 3 * Math.round(position * (colors.length / 3 - 1));
  return [colors[at]!, colors[at + 1]!, colors[at + 2]!];
}
