// Owns: which frames of a source one mapping of a virtual dataset means, whole frames in order only.
// Must not know: files, how mappings are stored. Pure functions.
import type { AxisRun, Selection } from "./hdf5/selection";

/** The frames of a virtual dataset that one mapping fills, for one threshold. */
export interface TargetRun {
  readonly first: number;
  /** null = as many as the source holds. */
  readonly frames: number | null;
  /** Thresholds that the mapping holds for each image, and the place of the wanted one among them. */
  readonly perImage: number;
  readonly at: number;
}

/** Frame k of a mapping is frame `start + k * step` of the source, counted over its leading axes; `frames` exist. */
export interface SourceRun {
  readonly start: number;
  readonly step: number;
  readonly frames: number;
}

/** Numbers `start + i * step` with i below `length`; null = unlimited. */
interface Progression {
  readonly start: number;
  readonly step: number;
  readonly length: number | null;
}

/**
 * Frames that a mapping fills in a virtual dataset of `shape`: [images, rows, cols], or [images, thresholds, rows, cols]
 * with the wanted `threshold`, counted from 0. null = none of that threshold; a string says why it cannot be told.
 */
export function targetRun(
  selection: Selection,
  shape: readonly number[],
  threshold: number,
): TargetRun | null | string {
  const axes = runsOf(selection, shape);
  if (typeof axes === "string") return axes;
  const images = progression(axes[0]!);
  if (images === null || images.step !== 1) return "frames that do not follow each other";
  const thresholds = shape.length === 4 ? progression(axes[1]!) : { start: 0, step: 1, length: 1 };
  if (thresholds === null) return "thresholds in no regular order";
  const at = (threshold - thresholds.start) / thresholds.step;
  const perImage = thresholds.length ?? shape[1]! - thresholds.start;
  if (!Number.isInteger(at) || at < 0 || at >= perImage) return null;
  return { first: images.start, frames: images.length, perImage, at };
}

/** The source's frames behind `target`, in a source of `shape`; a string says why they are no whole frames in order. */
export function sourceRun(
  selection: Selection,
  shape: readonly number[],
  target: TargetRun,
): SourceRun | string {
  const axes = runsOf(selection, shape);
  if (typeof axes === "string") return axes;
  const images = progression(axes[0]!);
  const thresholds = shape.length === 4 ? progression(axes[1]!) : { start: 0, step: 1, length: 1 };
  if (images === null || thresholds === null) return "frames in no regular order";
  const perSource = shape.length === 4 ? shape[1]! : 1;
  const taken = thresholds.length ?? perSource - thresholds.start;
  if (taken < 1 || thresholds.start + (taken - 1) * thresholds.step >= perSource) {
    return `thresholds past the source's ${perSource}`;
  }
  const { perImage, at, frames } = target;
  if (frames !== null && images.length !== null && frames * perImage !== images.length * taken) {
    return `${images.length * taken} frames of the source for ${frames * perImage} of its own`;
  }
  let start: number;
  let step: number;
  if (taken === perImage) {
    start = images.start * perSource + thresholds.start + at * thresholds.step;
    step = images.step * perSource;
  } else if (taken === 1) {
    start = (images.start + at * images.step) * perSource + thresholds.start;
    step = images.step * perImage * perSource;
  } else return `${taken} thresholds of the source for ${perImage} of its own`;
  const present = shape[0]! * perSource;
  const held = start >= present ? 0 : Math.floor((present - 1 - start) / step) + 1;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(step)) return "frames past 2^53";
  return { start, step, frames: frames === null ? held : Math.min(held, frames) };
}

/** One run an axis, where the last two are whole frames. */
function runsOf(selection: Selection, shape: readonly number[]): readonly AxisRun[] | string {
  if (selection.kind === "other") return selection.what;
  const axes =
    selection.kind === "runs"
      ? selection.axes
      : shape.map((extent) => ({ start: 0, stride: 1, count: 1, block: extent }));
  if (axes.length !== shape.length) return `a selection of ${axes.length} axes`;
  for (const axis of [-2, -1]) {
    const span = progression(axes.at(axis)!);
    const whole = span?.start === 0 && span.step === 1 && (span.length ?? shape.at(axis)) === shape.at(axis);
    if (!whole) return "parts of frames";
  }
  return axes;
}

function progression({ start, stride, count, block }: AxisRun): Progression | null {
  if (count === 1) return { start, step: 1, length: block };
  if (block === null) return null;
  if (stride === block) return { start, step: 1, length: count === null ? null : count * block };
  return block === 1 ? { start, step: stride, length: count } : null;
}
