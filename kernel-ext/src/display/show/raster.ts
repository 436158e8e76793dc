// Owns: a small RGB canvas: rectangles, smooth strokes, text, and its PNG.
// Must not know: what is drawn.
import { PNG } from "pngjs";
import { ADVANCE, DIGIT_HEIGHT, GLYPH_WIDTH, glyph } from "./stroke-font";

/** Red, green, blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

type Point = readonly [number, number];

/** Where text stands relative to its point: its start, middle or end. Vertical: always its middle. */
export type Anchor = "start" | "middle" | "end";

export class Raster {
  readonly rgb: Uint8Array;

  constructor(
    readonly width: number,
    readonly height: number,
    background: Rgb = [255, 255, 255],
  ) {
    this.rgb = new Uint8Array(3 * width * height);
    this.fill(0, 0, width, height, background);
  }

  /** Fills the part of a rectangle that lies on the canvas. Whole pixels. */
  fill(left: number, top: number, width: number, height: number, color: Rgb): void {
    const right = Math.min(this.width, left + width);
    const bottom = Math.min(this.height, top + height);
    for (let y = Math.max(0, top); y < bottom; y++) {
      for (let x = Math.max(0, left); x < right; x++) this.rgb.set(color, 3 * (y * this.width + x));
    }
  }

  /** The outline of a rectangle, `line` pixels thick, outside of it. */
  frame(left: number, top: number, width: number, height: number, line: number, color: Rgb): void {
    this.fill(left - line, top - line, width + 2 * line, line, color);
    this.fill(left - line, top + height, width + 2 * line, line, color);
    this.fill(left - line, top, line, height, color);
    this.fill(left + width, top, line, height, color);
  }

  /** A smooth polyline with round ends. */
  stroke(points: readonly Point[], width: number, color: Rgb): void {
    const reach = width / 2 + 1;
    const left = Math.max(0, Math.floor(Math.min(...points.map(([x]) => x)) - reach));
    const right = Math.min(this.width - 1, Math.ceil(Math.max(...points.map(([x]) => x)) + reach));
    const top = Math.max(0, Math.floor(Math.min(...points.map(([, y]) => y)) - reach));
    const bottom = Math.min(this.height - 1, Math.ceil(Math.max(...points.map(([, y]) => y)) + reach));
    for (let y = top; y <= bottom; y++) {
      for (let x = left; x <= right; x++) {
        const cover = width / 2 + 0.5 - distanceTo(points, x, y);
        if (cover > 0) this.#blend(x, y, color, Math.min(1, cover));
      }
    }
  }

  /** Text of the characters that the stroke font has, `height` pixels high; `upward` turns it to read upward. */
  text(
    words: string,
    x: number,
    y: number,
    height: number,
    color: Rgb,
    anchor: Anchor,
    upward = false,
  ): void {
    const unit = height / DIGIT_HEIGHT;
    const length = textWidth(words, height);
    const begin = anchor === "start" ? 0 : anchor === "middle" ? -length / 2 : -length;
    for (const [index, char] of [...words].entries()) {
      for (const stroke of glyph(char)) {
        const points = stroke.map(([gx, gy]): Point => {
          const along = begin + (index * ADVANCE + gx) * unit;
          const across = (gy - DIGIT_HEIGHT / 2) * unit;
          return upward ? [x - across, y - along] : [x + along, y - across];
        });
        this.stroke(points, 0.16 * height, color);
      }
    }
  }

  /** The canvas as a PNG file. */
  png(): Buffer {
    const image = new PNG({ width: this.width, height: this.height });
    for (let pixel = 0; pixel < this.width * this.height; pixel++) {
      image.data.set(this.rgb.subarray(3 * pixel, 3 * pixel + 3), 4 * pixel);
      image.data[4 * pixel + 3] = 255;
    }
    // Unfiltered, so that the repeats of enlarged pixels and rows stay repeats for the compressor (48 kB, not 230).
    return PNG.sync.write(image, { colorType: 2, filterType: 0, deflateLevel: 9, deflateStrategy: 0 });
  }

  #blend(x: number, y: number, color: Rgb, cover: number): void {
    const at = 3 * (y * this.width + x);
    for (let channel = 0; channel < 3; channel++) {
      const under = this.rgb[at + channel]!;
      this.rgb[at + channel] = Math.round(under + (color[channel]! - under) * cover);
    }
  }
}

/** Width in pixels of words in digits of `height`: all characters are equally wide. */
export function textWidth(words: string, height: number): number {
  return (words.length * ADVANCE - (ADVANCE - GLYPH_WIDTH)) * (height / DIGIT_HEIGHT);
}

/** Distance of a pixel's centre to a polyline; a line of one point is a dot. */
function distanceTo(points: readonly Point[], x: number, y: number): number {
  let nearest = Math.hypot(x - points[0]![0], y - points[0]![1]);
  for (let i = 1; i < points.length; i++) {
    const [x0, y0] = points[i - 1]!;
    const [x1, y1] = points[i]!;
    const [dx, dy] = [x1 - x0, y1 - y0];
    const squared = dx * dx + dy * dy;
    const along = squared > 0 ? Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / squared)) : 0;
    nearest = Math.min(nearest, Math.hypot(x - x0 - along * dx, y - y0 - along * dy));
  }
  return nearest;
}
