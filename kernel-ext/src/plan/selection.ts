// Owns: which frames a load returns and in which shape: scan shape, scan and frame selections, short and long scans.
// Must not know: chunks, bytes, files. Pure: acquisition facts and checked options in, a selection out.
import { OptionError, ScanShapeError, SelectionError } from "../errors";
import type { CheckedOptions } from "../options";
import type { Acquisition } from "../source/acquisition";
import type { AxisRange, Note, ScanPosition } from "../types";
import { type AxisChoice, type FrameList, frameArray, frameGrid, frameRange } from "./frame-list";

type Shape2 = readonly [number, number];

/** The frames of a load, in output order. */
export interface Selection {
  /** Source frame of each output frame. May lie past the frames found: such frames are missing. */
  readonly frames: FrameList;
  /** Leading axes of the output: [frames] or [rows, cols]. */
  readonly leading: readonly [number] | Shape2;
  /** Rows and columns of the whole scan, whatever part of it is selected; null without a scan. */
  readonly scanShape: Shape2 | null;
  /** Scan position of a source frame, or null where there is none. */
  scanOf(frame: number): ScanPosition | null;
  readonly notes: readonly Note[];
}

/** Resolves the selection. @throws ScanShapeError, SelectionError, OptionError. */
export function selectFrames(acquisition: Acquisition, options: CheckedOptions): Selection {
  const extent = Math.max(acquisition.planned, framesCovered(acquisition));
  const chosen = chooseFrames(options, extent);
  const scan = scanShape(acquisition, options, chosen);
  if (scan === null) {
    if (options.scan) throw noScanShape(acquisition, options);
    const frames = chosen ?? frameRange(0, extent);
    const shape = options.scanShape === null ? null : (acquisition.scan?.shape ?? null);
    const notes = extraFrames(acquisition);
    return { frames, leading: [frames.count], scanShape: shape, scanOf: scanPositions(shape), notes };
  }
  const [rows, cols] = scan.shape;
  const base = chosen ?? frameRange(0, rows * cols);
  const rowAxis = axis("rows", options.scan?.rows, rows);
  const colAxis = axis("cols", options.scan?.cols, cols);
  return {
    frames: options.scan ? frameGrid(base, cols, rowAxis, colAxis) : base,
    leading: [rowAxis.count, colAxis.count],
    scanShape: scan.shape,
    scanOf: chosen ? listedPositions(chosen, cols) : scanPositions(scan.shape),
    notes: scan.notes,
  };
}

/** Frames for which the acquisition has a place, present or not. */
function framesCovered(acquisition: Acquisition): number {
  const last = acquisition.segments.at(-1);
  return last ? last.firstFrame + last.frames : 0;
}

function chooseFrames(options: CheckedOptions, extent: number): FrameList | null {
  const choice = options.frames;
  if (choice.kind === "all") return null;
  if (options.scan && !options.scanShape) {
    throw new OptionError(
      "Options frames and scan both choose frames; together they need scanShape, which says how the listed frames form a scan.",
      { place: "scan", expected: "frames, or scan, or both with scanShape" },
    );
  }
  if (choice.kind === "list") {
    const outside = choice.list.find((frame) => frame >= extent);
    if (outside !== undefined) throw outOfRange(String(outside), `0 … ${extent - 1}`, extent);
    return frameArray(choice.list);
  }
  const { from, to, step } = choice;
  if (to > extent) throw outOfRange(`{ from: ${from}, to: ${to} }`, `0 … ${extent}`, extent);
  return frameRange(from, Math.ceil((to - from) / step), step);
}

function outOfRange(got: string, expected: string, extent: number): SelectionError {
  return new SelectionError(`Option frames asks for ${got}, but the acquisition has ${extent} frames.`, {
    place: "frames",
    expected,
    got,
    todo: `Choose within ${expected}.`,
  });
}

interface ScanDecision {
  readonly shape: Shape2;
  readonly notes: readonly Note[];
}

function scanShape(
  acquisition: Acquisition,
  options: CheckedOptions,
  chosen: FrameList | null,
): ScanDecision | null {
  if (options.scanShape === null) return null;
  if (options.scanShape) return fitShape(acquisition, options, options.scanShape, "asked for", chosen);
  if (chosen || !acquisition.scan) return null;
  const origin = acquisition.scan.from === "attribute" ? "in the file" : "of the frames planned";
  return fitShape(acquisition, options, acquisition.scan.shape, origin, null);
}

/** Accepts a shape that fits exactly, or as a short scan; everything else is refused with both numbers. */
function fitShape(
  acquisition: Acquisition,
  options: CheckedOptions,
  shape: Shape2,
  origin: string,
  chosen: FrameList | null,
): ScanDecision {
  const needs = shape[0] * shape[1];
  const covered = framesCovered(acquisition);
  if (chosen) {
    if (chosen.count !== needs) throw misfit(shape, origin, chosen.count, "were selected");
    return { shape, notes: covered > needs ? [longScan(covered, shape)] : [] };
  }
  const shortScan = needs === acquisition.planned || options.onMissing !== "throw";
  if (needs === covered || (shortScan && needs > covered)) return { shape, notes: [] };
  const short = acquisition.found < covered ? `were planned (${acquisition.found} found)` : "are there";
  throw misfit(shape, origin, covered, covered > needs ? "were recorded" : short);
}

function misfit(shape: Shape2, origin: string, frames: number, what: string): ScanShapeError {
  const needs = shape[0] * shape[1];
  const text = `[${shape.join(", ")}]`;
  const long = `To cut the acquisition pass { frames: { from: 0, to: ${needs} }, scanShape: ${text} }`;
  const short = 'For a scan that was stopped early pass onMissing: "fill" or "trim"';
  return new ScanShapeError(
    `The scan shape ${origin}, ${text}, needs ${needs} frames, but ${frames} ${what}.`,
    {
      place: "scanShape",
      expected: `${frames} frames`,
      got: `${text} = ${needs} frames`,
      todo: `${frames > needs ? long : short}; scanShape: null loads plain [frames, height, width].`,
    },
  );
}

function longScan(covered: number, shape: Shape2): Note {
  const text = `${covered} frames were recorded; ${shape[0] * shape[1]} of them form the scan [${shape.join(", ")}].`;
  return { code: "scan-cut", text };
}

function extraFrames(acquisition: Acquisition): Note[] {
  const covered = framesCovered(acquisition);
  if (covered <= acquisition.planned) return [];
  const text = `${acquisition.planned} frames were planned and ${covered} recorded.`;
  return [{ code: "extra-frames", text }];
}

function noScanShape(acquisition: Acquisition, options: CheckedOptions): SelectionError {
  const why = options.scanShape === null ? "scanShape is null" : "the file gives no scan shape";
  return new SelectionError(`Option scan needs a scan shape, but ${why}.`, {
    place: "scan",
    expected: "a scan shape",
    got: `${acquisition.planned} frames planned`,
    todo: "Pass scanShape: [rows, cols], or choose by frames: { from, to }.",
  });
}

function scanPositions(shape: Shape2 | null): (frame: number) => ScanPosition | null {
  if (shape === null) return () => null;
  const [rows, cols] = shape;
  return (frame) => (frame < rows * cols ? { row: Math.floor(frame / cols), col: frame % cols } : null);
}

/** Listed frames fill the scan in list order; a frame listed twice is named at its first place. */
function listedPositions(chosen: FrameList, cols: number): (frame: number) => ScanPosition | null {
  let places: Map<number, number> | null = null;
  return (frame) => {
    if (places === null) {
      places = new Map();
      for (let i = chosen.count - 1; i >= 0; i--) places.set(chosen.at(i), i);
    }
    const place = places.get(frame);
    return place === undefined ? null : { row: Math.floor(place / cols), col: place % cols };
  };
}

/** One axis of a scan cut to a range. @throws SelectionError when it reaches outside. */
export function axis(name: "rows" | "cols", range: AxisRange | undefined, extent: number): AxisChoice {
  const [start, stop, step = 1] = range ?? [0, extent];
  if (stop > extent) {
    const got = `[${start}, ${stop})`;
    throw new SelectionError(`Option scan.${name} asks for ${got}, but the scan has ${extent} ${name}.`, {
      place: `scan.${name}`,
      expected: `0 … ${extent}`,
      got,
      todo: `Choose within 0 … ${extent}.`,
    });
  }
  return { start, step, count: Math.ceil((stop - start) / step) };
}
