// Owns: the reductions by name: each a description for `reduce`, or, given a source, run at once.
// Must not know: how any stage works.
import { type DetectorMask, isMask } from "./analysis/masks";
import { describeReduction, type Reduced, type Reduction, type ReductionKind } from "./analysis/reduction";
import { OptionError } from "./errors";
import type { LoadedReduceOptions, ReduceOptions } from "./options";
import { reduce } from "./reduce";
import type { EncodedFrames, Frames, PixelArray } from "./types";

/** What `load` gave, with counts or encoded. */
export type Loaded = Frames<PixelArray> | EncodedFrames<PixelArray>;

/**
 * The sum of the pixels of a mask in every frame: a bright-field image with a disk, a dark-field image with an annulus.
 *
 * With a mask alone it is a description for `reduce`; with a path or loaded frames it runs at once.
 * @returns 64-bit floats [scan rows, scan cols], or [frames] without a scan shape, in counts, exact up to 2^53 for
 *   integers. NaN: the frame is damaged or missing, or all its pixels under the mask are flagged.
 * @throws as `reduce`.
 * @example
 * const bright = await virtualImage("demo/demo_master.h5", disk({ center: [96, 96], radius: 20 }));
 * bright.get(3, 4); // counts under the disk at scan row 3, column 4
 */
export function virtualImage(mask: DetectorMask): Reduction;
export function virtualImage(source: string, mask: DetectorMask, options?: ReduceOptions): Promise<Reduced>;
export function virtualImage(
  source: Loaded,
  mask: DetectorMask,
  options?: LoadedReduceOptions,
): Promise<Reduced>;
export function virtualImage(
  ...args: [DetectorMask] | [Source, DetectorMask, ReduceOptions?]
): Reduction | Promise<Reduced> {
  if (args.length === 1 || isMask(args[0])) return describe("virtual-image", args[0]);
  const [source, mask, options] = args as [Source, DetectorMask, ReduceOptions?];
  return run(source, describe("virtual-image", mask), options);
}

/**
 * The mean of every pixel over all good frames in which it was measured.
 *
 * Without arguments it is a description for `reduce`; with a path or loaded frames it runs at once.
 * @returns 64-bit floats [detector rows, detector cols], in counts a frame: the exact sum, divided. NaN: never measured.
 * @throws as `reduce`.
 * @example
 * const mean = await meanPattern("demo/demo_master.h5");
 * mean.shape; // [192, 192]
 */
export function meanPattern(): Reduction;
export function meanPattern(source: string, options?: ReduceOptions): Promise<Reduced>;
export function meanPattern(source: Loaded, options?: LoadedReduceOptions): Promise<Reduced>;
export function meanPattern(source?: Source, options?: ReduceOptions): Reduction | Promise<Reduced> {
  return describedOrRun("mean-pattern", source, options);
}

/**
 * The sum of every pixel over all good frames in which it was measured.
 *
 * Without arguments it is a description for `reduce`; with a path or loaded frames it runs at once.
 * @returns 64-bit floats [detector rows, detector cols], in counts, exact up to 2^53 for integers (rounded once above).
 *   NaN: never measured.
 * @throws as `reduce`.
 * @example
 * const sum = await sumPattern("demo/demo_master.h5");
 * sum.get(96, 96); // counts of the pixel in the whole scan
 */
export function sumPattern(): Reduction;
export function sumPattern(source: string, options?: ReduceOptions): Promise<Reduced>;
export function sumPattern(source: Loaded, options?: LoadedReduceOptions): Promise<Reduced>;
export function sumPattern(source?: Source, options?: ReduceOptions): Reduction | Promise<Reduced> {
  return describedOrRun("sum-pattern", source, options);
}

/**
 * The largest value of every pixel over all good frames in which it was measured.
 *
 * Without arguments it is a description for `reduce`; with a path or loaded frames it runs at once.
 * @returns 64-bit floats [detector rows, detector cols], in counts. NaN: never measured.
 * @throws as `reduce`.
 * @example
 * const max = await maxPattern("demo/demo_master.h5");
 * max.get(96, 96); // the most counts of the pixel in any frame
 */
export function maxPattern(): Reduction;
export function maxPattern(source: string, options?: ReduceOptions): Promise<Reduced>;
export function maxPattern(source: Loaded, options?: LoadedReduceOptions): Promise<Reduced>;
export function maxPattern(source?: Source, options?: ReduceOptions): Reduction | Promise<Reduced> {
  return describedOrRun("max-pattern", source, options);
}

/**
 * The centre of mass of every frame, of all pixels or of those of a mask: the mean of their rows and columns, weighted by
 * their counts.
 *
 * Without a source it is a description for `reduce`; with a path or loaded frames it runs at once.
 * @returns 64-bit floats [scan rows, scan cols, 2], or [frames, 2]: row, then column, in detector pixels (pixel 0 has its
 *   centre at 0). NaN: the frame is damaged or missing, or its counts sum to 0.
 * @throws as `reduce`.
 * @example
 * const com = await centerOfMass("demo/demo_master.h5");
 * show(com.pick(null, null, 0)); // its row at every scan position
 */
export function centerOfMass(mask?: DetectorMask): Reduction;
export function centerOfMass(source: string, options?: ReduceOptions): Promise<Reduced>;
export function centerOfMass(source: string, mask: DetectorMask, options?: ReduceOptions): Promise<Reduced>;
export function centerOfMass(source: Loaded, options?: LoadedReduceOptions): Promise<Reduced>;
export function centerOfMass(
  source: Loaded,
  mask: DetectorMask,
  options?: LoadedReduceOptions,
): Promise<Reduced>;
export function centerOfMass(
  source?: Source | DetectorMask,
  second?: DetectorMask | ReduceOptions,
  third?: ReduceOptions,
): Reduction | Promise<Reduced> {
  if (source === undefined) return describeReduction("center-of-mass", null);
  if (isMask(source)) return describe("center-of-mass", source);
  if (isMask(second)) return run(source as Source, describe("center-of-mass", second), third);
  return run(source as Source, describeReduction("center-of-mass", null), second as ReduceOptions);
}

type Source = string | Loaded;

function describedOrRun(
  kind: ReductionKind,
  source: Source | undefined,
  options: ReduceOptions | undefined,
): Reduction | Promise<Reduced> {
  const reduction = describeReduction(kind, null);
  return source === undefined ? reduction : run(source, reduction, options);
}

function describe(kind: ReductionKind, mask: unknown): Reduction {
  if (isMask(mask)) return describeReduction(kind, mask);
  const expected = "disk({ center, radius }), annulus({ center, inner, outer }) or fromImage(array)";
  throw new OptionError(`The mask is ${typeof mask}; allowed: ${expected}.`, { place: "mask", expected });
}

async function run(
  source: Source,
  reduction: Reduction,
  options: ReduceOptions | undefined,
): Promise<Reduced> {
  // Both overloads take these; which options fit is checked at run time.
  const { result } = await reduce(source as string, { result: reduction }, options);
  return result;
}
