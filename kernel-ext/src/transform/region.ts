// Owns: the part of the detector that a load returns, and cutting it out of a frame.
// Must not know: dtypes, flags, how frames were decoded.
import { SelectionError } from "../errors";
import type { PixelArray, PixelRange } from "../types";

/** A rectangle of detector pixels. */
export interface Region {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/** Ranges of detector rows and columns; one that is not given means all. */
export interface DetectorRanges {
  readonly rows: PixelRange | undefined;
  readonly cols: PixelRange | undefined;
}

/** Resolves ranges on a detector [rows, cols]. @throws SelectionError when one reaches outside. */
export function regionOf(ranges: DetectorRanges, [rows, cols]: readonly [number, number]): Region {
  const [top, bottom] = within("rows", ranges.rows ?? [0, rows], rows);
  const [left, right] = within("cols", ranges.cols ?? [0, cols], cols);
  return { top, left, height: bottom - top, width: right - left };
}

/** True where a region is all of a detector. */
export function isWhole({ height, width }: Region, detector: readonly [number, number]): boolean {
  return height === detector[0] && width === detector[1];
}

/** Copies a region of a frame that is `frameWidth` pixels wide to `output`, row by row. */
export function cropFrame<T extends PixelArray>(
  frame: T,
  frameWidth: number,
  region: Region,
  output: T,
): void {
  const { top, left, height, width } = region;
  for (let row = 0; row < height; row++) {
    const from = (top + row) * frameWidth + left;
    // Same kind of array on both sides, which the union of their `set` methods cannot say.
    (output as Uint8Array).set(frame.subarray(from, from + width) as Uint8Array, row * width);
  }
}

function within(name: "rows" | "cols", range: PixelRange, extent: number): PixelRange {
  if (range[1] <= extent) return range;
  const got = `[${range[0]}, ${range[1]})`;
  throw new SelectionError(
    `Option detector.${name} asks for ${got}, but the detector has ${extent} ${name}.`,
    {
      place: `detector.${name}`,
      expected: `0 … ${extent}`,
      got,
      todo: `Choose within 0 … ${extent}.`,
    },
  );
}
