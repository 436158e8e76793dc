// Owns: lists of frame numbers that stay arithmetic where they can: a range of 262,144 frames is three numbers.
// Must not know: acquisitions, files.

/** An immutable list of frame numbers. */
export interface FrameList {
  readonly count: number;
  at(i: number): number;
}

/** One axis of a scan selection: indices start, start + step, … (count of them). */
export interface AxisChoice {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

/** Frames from, from + step, … (count of them). */
export function frameRange(from: number, count: number, step = 1): FrameList {
  return { count, at: (i) => from + i * step };
}

/** Frames as listed. */
export function frameArray(list: readonly number[]): FrameList {
  return { count: list.length, at: (i) => list[i] };
}

/** The chosen rows and columns of a scan that is `cols` wide and whose positions, row by row, hold `base`. */
export function frameGrid(
  base: FrameList,
  cols: number,
  rowAxis: AxisChoice,
  colAxis: AxisChoice,
): FrameList {
  return {
    count: rowAxis.count * colAxis.count,
    at: (i) => {
      const row = rowAxis.start + Math.floor(i / colAxis.count) * rowAxis.step;
      const col = colAxis.start + (i % colAxis.count) * colAxis.step;
      return base.at(row * cols + col);
    },
  };
}
