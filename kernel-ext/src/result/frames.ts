// Owns: the Frames object: an ndarray over the decoded output with frame(), valid, report, release and its one-line text.
// Must not know: how frames were decoded, notebooks (the text comes in as a function).
import type { NdArray } from "ndarray";
import { outOfRange, SelectionError } from "../errors";
import { dtypeBytes, pixelArray } from "../pixel-arrays";
import { printAs } from "../printed";
import type { Dtype, Frames, LoadReport, NumberPixelArray, PixelArray, PixelMask } from "../types";
import { pixels } from "./pixels";
import { denseStride, exactView } from "./views";

/** What a Frames object is made of. */
export interface FramesParts {
  readonly dtype: Dtype;
  readonly leading: readonly number[];
  readonly detector: readonly [number, number];
  /** Output memory: frames in order from `start` on. */
  readonly buffer: ArrayBuffer;
  readonly start: number;
  readonly valid: Uint8Array;
  readonly report: LoadReport;
  readonly source: string;
  readonly pixelMask: PixelMask | null;
  /** One line for a notebook's last expression; never pixel values. */
  readonly line: (frames: Frames) => string;
  /** Gives the memory back. */
  readonly release: () => void;
}

/** Builds the result of a load. */
export function makeFrames(parts: FramesParts): Frames {
  const { dtype, leading, detector, buffer, start } = parts;
  const shape = [...leading, ...detector];
  const frameElements = detector[0] * detector[1];
  const count = leading.reduce((product, n) => product * n, 1);
  const stepBytes = frameElements * dtypeBytes(dtype);
  const data = pixels(dtype, buffer, start, count * frameElements);
  const view = exactView(data, shape, denseStride(shape), 0);
  const frame = (i: number): NdArray<PixelArray> => {
    if (!Number.isInteger(i) || i < 0 || i >= count) {
      throw outOfRange(`frame(${i})`, `the array holds frames 0 … ${count - 1}`);
    }
    if (buffer.byteLength === 0) throw released(parts.source);
    const one = pixelArray(dtype, buffer, start + i * stepBytes, frameElements);
    return exactView(one, detector, denseStride(detector), 0);
  };
  const { valid, report, source, pixelMask, release } = parts;
  const extras = { frame, pixelType: dtype, valid, report, source, pixelMask, release };
  for (const [name, value] of Object.entries(extras)) {
    Object.defineProperty(view, name, { value, enumerable: true });
  }
  const frames = view as Frames<NumberPixelArray>;
  printAs(frames, () => (buffer.byteLength === 0 ? `${parts.line(frames)}, released` : parts.line(frames)));
  return frames;
}

function released(source: string): SelectionError {
  return new SelectionError(`The frames of ${source} were released.`, {
    place: source,
    todo: "Load them again.",
  });
}
