// Owns: `show`: which display a value gets.
// Must not know: how a display is made.

import { type Bundle, display } from "./display/show/bundle";
import { damageBundle } from "./display/show/damage-card";
import { framesBundle } from "./display/show/frames-card";
import type { AnyArray } from "./display/show/grid";
import { imageBundle } from "./display/show/image-view";
import { lineBundle } from "./display/show/line-view";
import { type CheckedShowOptions, checkShowOptions, type ShowOptions } from "./display/show/options";
import { OptionError } from "./errors";
import { indexRange } from "./result/views";
import type { EncodedFrames, Frames, LoadReport, PixelArray } from "./types";

/** What carries a report: `DamagedFramesError`, `MissingFramesError`. */
export interface WithReport {
  readonly report: LoadReport;
}

/** What `show` takes. */
export type Showable = AnyArray | Frames<PixelArray> | LoadReport | WithReport;

/**
 * Shows a value in the notebook, as text where there is none:
 * a 2-D ndarray as a picture, a 1-D one as a line, frames as a card with one pattern and a virtual image,
 * a report, or an error that carries one, as a damage card.
 *
 * @throws OptionError for a value that it does not take, or a bad option.
 * @example
 * show(frames.pick(10, 12), { log: true, title: "Pattern at (10, 12)" });
 * show(frames);
 * show(frames.report);
 */
export function show(value: Showable, options?: ShowOptions): void {
  display(bundleFor(value, checkShowOptions(options)));
}

/** An ndarray's data must hold its shape: what lies outside is no measurement, and no picture. */
function refuseBeyondData({ data, shape, stride, offset }: AnyArray): void {
  const length = (data as Partial<ArrayLike<unknown>> | undefined)?.length;
  if (length === undefined) return;
  const strides = shape.map((_, axis) => stride[axis] ?? 0);
  const [first, last] = indexRange(shape, strides, offset);
  if (length === 0) refuse("an array whose memory was released");
  if (!(first >= 0 && last < length)) {
    refuse(`an array of shape [${shape.join(", ")}] whose data have only ${length} elements`);
  }
}

/** Shape of an ndarray, or null for anything else. */
function arrayShape(value: unknown): readonly number[] | null {
  const { shape, get, stride } = (value ?? {}) as Partial<AnyArray>;
  return Array.isArray(shape) && typeof get === "function" && Array.isArray(stride) ? shape : null;
}

function isReport(value: unknown): value is LoadReport {
  const { damaged, missing, backend } = (value ?? {}) as Partial<LoadReport>;
  return Array.isArray(damaged) && Array.isArray(missing) && typeof backend === "object";
}

function bundleFor(value: unknown, options: CheckedShowOptions): Bundle {
  const shape = arrayShape(value);
  if (shape !== null) {
    if (shape.some((length) => length === 0)) refuse(`an empty array of shape [${shape.join(", ")}]`);
    refuseBeyondData(value as AnyArray);
    if (shape.length > 2 && typeof (value as Partial<Frames>).frame === "function") {
      return framesBundle(value as Frames, options);
    }
    if (shape.length === 2) return imageBundle(value as AnyArray, options);
    if (shape.length === 1) return lineBundle(value as AnyArray, options);
    refuse(`an array of shape [${shape.join(", ")}]; pick one frame of it, as in show(frames.pick(0))`);
  }
  if (isReport(value)) return damageBundle(value, options.title);
  const { report } = (value ?? {}) as Partial<WithReport>;
  if (isReport(report)) return damageBundle(report, options.title);
  if ((value as Partial<EncodedFrames> | null)?.representation === "encoded") {
    refuse("encoded frames; decode what you want to see, as in show(await frames.frame(0))");
  }
  const isPromise = typeof (value as PromiseLike<unknown> | null)?.then === "function";
  refuse(isPromise ? "a promise; await it first" : describe(value));
}

function describe(value: unknown): string {
  if (value === null || typeof value !== "object") return String(value);
  return `an object of class ${value.constructor?.name ?? "Object"}`;
}

function refuse(got: string): never {
  const expected = "frames, a 1-D or 2-D ndarray, a report, or an error that carries a report";
  throw new OptionError(`show takes ${expected}, but got ${got}.`, { place: "value", expected, got });
}
