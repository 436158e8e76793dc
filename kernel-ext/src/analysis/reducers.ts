// Owns: running reductions over frames that come one after the other, in one pass.
// Must not know: where frames come from, how they were decoded.
import { type FrameTarget, isSummable, type PatternTarget, type SumPlan } from "../sum-plan";
import type { Dtype, LoadReport, PixelArray, PixelMask } from "../types";
import { CentersOfMass } from "./center-of-mass";
import { FrameSums } from "./frame-sums";
import { type LeftOut, leftOutNotes } from "./left-out";
import { maskPixels } from "./masks";
import { PatternMax } from "./pattern-max";
import { PatternSums } from "./pattern-sums";
import { makeReduced } from "./reduced";
import type { Reduced, Reduction } from "./reduction";

/** The frames that are reduced. */
export interface FrameFacts {
  readonly dtype: Dtype;
  readonly detector: readonly [number, number];
  /** [frames], or [scan rows, scan cols]. */
  readonly leading: readonly number[];
  readonly pixelMask: PixelMask | null;
}

/** Reductions under way. */
export interface Reducers {
  /** Takes frame `index` of the selection, dense; frames that are not good are never given. */
  add(frame: PixelArray, index: number): void;
  /**
   * The same reductions as plain data; null where frames can only be given to `add`. What is added to the arrays of the
   * plan counts when the results are asked for, once.
   */
  plan(): SumPlan | null;
  /** The results so far, by name. */
  results(report: LoadReport): Record<string, Reduced>;
}

/** One reduction: what a frame does to it, and what it has come to. */
interface Open {
  readonly add: (frame: PixelArray, index: number) => void;
  readonly values: () => Float64Array;
  /** Where another adds to a number a frame. */
  readonly target: () => FrameTarget | null;
  /** Values without a measurement, outside the pixel mask. */
  readonly flagged: () => number;
}

/** Opens reductions on frames. @throws OptionError when a mask does not fit the detector. */
export function openReducers(named: Readonly<Record<string, Reduction>>, facts: FrameFacts): Reducers {
  const pixels = facts.detector[0] * facts.detector[1];
  const context: Context = { ...facts, pixels, sums: null, largest: null };
  const opened = Object.entries(named).map(([name, reduction]) => ({
    name,
    reduction,
    open: openReduction(reduction, context),
  }));
  // The mean and the sum of the same frames share their adding.
  const adders = [...new Set(opened.map(({ open }) => open.add))];
  let planned: SumPlan | null = null;
  return {
    add(frame, index) {
      for (const add of adders) add(frame, index);
    },
    plan() {
      planned ??= sumPlan(
        context,
        opened.flatMap(({ open }) => open.target() ?? []),
      );
      return planned;
    },
    results(report) {
      mergePattern(context, planned?.pattern ?? null);
      return Object.fromEntries(
        opened.map(({ name, reduction, open }) => [name, finish(reduction, open, facts, report)]),
      );
    },
  };
}

function sumPlan(context: Context, perFrame: readonly FrameTarget[]): SumPlan | null {
  const { dtype, detector, leading, pixels, sums, largest } = context;
  if (!isSummable(dtype)) return null;
  const pattern = {
    sums: sums && new BigInt64Array(pixels),
    largest: largest && new Float64Array(pixels).fill(Number.NEGATIVE_INFINITY),
    flagged: new Uint32Array(pixels),
    frames: new Float64Array(1),
  };
  return {
    dtype,
    framePixels: pixels,
    width: detector[1],
    results: leading.reduce((product, n) => product * n, 1),
    perFrame,
    pattern: sums || largest ? pattern : null,
  };
}

/** Takes what another has added to patterns. */
function mergePattern({ sums, largest }: Context, pattern: PatternTarget | null): void {
  if (!pattern) return;
  const frames = pattern.frames[0]!;
  if (pattern.sums) sums?.of.addSums(frames, pattern.sums, pattern.flagged);
  if (pattern.largest)
    for (const of of largest ?? []) of.addLargest(frames, pattern.largest, pattern.flagged);
}

/** Most bytes that reductions on frames take. */
export function reducerBytes(named: Readonly<Record<string, Reduction>>, facts: FrameFacts): number {
  const pixels = facts.detector[0] * facts.detector[1];
  const frames = facts.leading.reduce((product, n) => product * n, 1);
  const one = ({ kind }: Reduction): number => {
    if (kind === "virtual-image") return 8 * frames + 4 * pixels;
    if (kind === "center-of-mass") return 16 * frames + 12 * pixels;
    return 36 * pixels; // Three limbs, the flags and the result.
  };
  return Object.values(named).reduce((sum, reduction) => sum + one(reduction), 0);
}

interface Context extends FrameFacts {
  readonly pixels: number;
  /** The sums that every mean and sum of these frames share. */
  sums: { readonly of: PatternSums; readonly add: Open["add"] } | null;
  /** The maxima of these frames. */
  largest: PatternMax[] | null;
}

function openReduction({ kind, mask }: Reduction, context: Context): Open {
  const { dtype, detector, leading, pixelMask, pixels } = context;
  const frames = leading.reduce((product, n) => product * n, 1);
  if (kind === "virtual-image" || kind === "center-of-mass") {
    const all = mask ? maskPixels(mask, detector) : Uint32Array.from({ length: pixels }, (_, p) => p);
    const good = pixelMask ? all.filter((pixel) => pixelMask.data[pixel] === 0) : all;
    const of =
      kind === "virtual-image"
        ? new FrameSums(dtype, good, frames)
        : new CentersOfMass(dtype, good, detector[1], frames);
    const target = of.target(dtype, detector[1]);
    return {
      add: (frame, index) => of.add(frame, index),
      target: () => target,
      values: () => of.values,
      flagged: () => of.flagged + (target?.flagged[0] ?? 0),
    };
  }
  if (kind === "max-pattern") {
    const of = new PatternMax(dtype, pixels);
    context.largest = [...(context.largest ?? []), of];
    return {
      target: () => null,
      add: (frame) => of.add(frame),
      values: () => unmasked(of.values(), pixelMask),
      flagged: () => flaggedOutside(of.flagged, pixelMask),
    };
  }
  context.sums ??= openSums(dtype, pixels);
  const { of, add } = context.sums;
  return {
    add,
    target: () => null,
    values: () => unmasked(patternValues(of, kind === "mean-pattern"), pixelMask),
    flagged: () => flaggedOutside(of.flagged, pixelMask),
  };
}

function openSums(dtype: Dtype, pixels: number): NonNullable<Context["sums"]> {
  const of = new PatternSums(dtype, pixels);
  return { of, add: (frame) => of.add(frame) };
}

/** Sums, or means over the frames in which a pixel was measured; NaN where it never was. */
function patternValues(of: PatternSums, mean: boolean): Float64Array {
  const values = of.values();
  for (let pixel = 0; pixel < values.length; pixel++) {
    const frames = of.frames - of.flagged[pixel]!;
    if (frames === 0) values[pixel] = Number.NaN;
    else if (mean) values[pixel]! /= frames;
  }
  return values;
}

function unmasked(values: Float64Array, mask: PixelMask | null): Float64Array {
  if (mask)
    for (let pixel = 0; pixel < values.length; pixel++) if (mask.data[pixel]) values[pixel] = Number.NaN;
  return values;
}

function flaggedOutside(flagged: Uint32Array, mask: PixelMask | null): number {
  return flagged.reduce((sum, frames, pixel) => (mask?.data[pixel] ? sum : sum + frames), 0);
}

function finish(reduction: Reduction, open: Open, facts: FrameFacts, report: LoadReport): Reduced {
  const { kind } = reduction;
  const isPattern = kind !== "virtual-image" && kind !== "center-of-mass";
  const scan = facts.leading.length === 2 ? ["scan row", "scan column"] : ["frame"];
  const last = kind === "center-of-mass" ? [2] : [];
  const left: LeftOut = { masked: maskedPixels(reduction, facts), values: open.flagged() };
  return makeReduced({
    reduction,
    values: open.values(),
    shape: isPattern ? facts.detector : [...facts.leading, ...last],
    axes: isPattern
      ? ["detector row", "detector column"]
      : [...scan, ...(last.length > 0 ? ["row, column"] : [])],
    notes: leftOutNotes(left, report, isPattern ? "left out" : "NaN"),
    report,
  });
}

/** Pixels of the pixel mask among those that take part. */
function maskedPixels({ mask }: Reduction, { detector, pixelMask }: FrameFacts): number {
  if (!pixelMask) return 0;
  if (!mask) return pixelMask.data.reduce((sum, flag) => sum + (flag === 0 ? 0 : 1), 0);
  return maskPixels(mask, detector).reduce((sum, pixel) => sum + (pixelMask.data[pixel] ? 1 : 0), 0);
}
