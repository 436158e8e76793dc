// Owns: detector masks: which pixels a virtual detector sums: a disk, an annulus, or an image of one's own.
// Must not know: frames, files, flagged pixels.
import type { Data, NdArray } from "ndarray";
import { OptionError } from "../errors";

/** Which pixels of a detector belong. Made by `disk`, `annulus` or `fromImage`. */
export interface DetectorMask {
  readonly kind: "disk" | "annulus" | "image";
  /** For people: `disk around [96, 96], radius 20`. */
  readonly label: string;
  /** The detector that it is for, [rows, cols]; null = any. */
  readonly shape: readonly [number, number] | null;
  /** Whether the pixel at this row and column belongs. */
  contains(row: number, col: number): boolean;
}

/**
 * A disk: pixels whose centre lies less than `radius` pixels from `center` [row, col] (fractions are welcome; pixel 0
 * has its centre at 0).
 * @throws OptionError
 * @example
 * const bright = await virtualImage("demo/demo_master.h5", disk({ center: [96, 96], radius: 20 }));
 */
export function disk(options: {
  readonly center: readonly [number, number];
  readonly radius: number;
}): DetectorMask {
  const { center, radius } = record("disk", options, ["center", "radius"]);
  const [row, col] = point("disk", center);
  if (!(isNumber(radius) && radius > 0))
    throw refused("disk", "radius", radius, "a number of pixels above 0");
  return mask("disk", `disk around [${row}, ${col}], radius ${radius}`, null, (y, x) =>
    nearer(y - row, x - col, radius),
  );
}

/**
 * A ring: pixels whose centre lies `inner` pixels or more, and less than `outer`, from `center` [row, col].
 * @throws OptionError
 * @example
 * const dark = annulus({ center: [96, 96], inner: 30, outer: 80 });
 */
export function annulus(options: {
  readonly center: readonly [number, number];
  readonly inner: number;
  readonly outer: number;
}): DetectorMask {
  const { center, inner, outer } = record("annulus", options, ["center", "inner", "outer"]);
  const [row, col] = point("annulus", center);
  if (!(isNumber(inner) && inner >= 0)) {
    throw refused("annulus", "inner", inner, "a number of pixels, 0 or more");
  }
  if (!(isNumber(outer) && outer > inner)) throw refused("annulus", "outer", outer, "a number above inner");
  const label = `annulus around [${row}, ${col}], ${inner} to ${outer}`;
  return mask(
    "annulus",
    label,
    null,
    (y, x) => nearer(y - row, x - col, outer) && !nearer(y - row, x - col, inner),
  );
}

/** A picture of the detector: an ndarray [rows, cols], or rows of numbers or booleans. */
export type MaskImage = NdArray<Data<number>> | readonly (readonly (number | boolean)[])[];

/**
 * The pixels of a picture [rows, cols] that are neither 0 nor NaN nor false. The picture is copied.
 * @throws OptionError
 * @example
 * const corner = fromImage([[1, 1, 0], [1, 0, 0], [0, 0, 0]]);
 */
export function fromImage(image: MaskImage): DetectorMask {
  const { rows, cols, at } = picture(image);
  const inside = new Uint8Array(rows * cols);
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const value = Number(at(row, col));
      inside[row * cols + col] = value !== 0 && !Number.isNaN(value) ? 1 : 0;
    }
  }
  return mask("image", `image of [${rows}, ${cols}]`, [rows, cols], (y, x) => inside[y * cols + x] === 1);
}

/** Whether a value is a mask of one of the makers above. */
export function isMask(value: unknown): value is DetectorMask {
  return typeof value === "object" && value !== null && MADE.has(value);
}

/**
 * Row-major numbers of the pixels of a mask on a detector [rows, cols], in ascending order.
 * @throws OptionError when the mask is of another shape, or no pixel belongs.
 */
export function maskPixels(chosen: DetectorMask, [rows, cols]: readonly [number, number]): Uint32Array {
  const { shape, label } = chosen;
  const detector = `[${rows}, ${cols}]`;
  if (shape && (shape[0] !== rows || shape[1] !== cols)) {
    throw new OptionError(`The mask is an ${label}, but the frames are ${detector}.`, {
      place: "mask",
      expected: detector,
      got: `[${shape.join(", ")}]`,
      todo: "Make the mask from an image of the detector's shape.",
    });
  }
  const pixels: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) if (chosen.contains(row, col)) pixels.push(row * cols + col);
  }
  if (pixels.length > 0) return Uint32Array.from(pixels);
  throw new OptionError(`The mask (${label}) covers no pixel of frames of ${detector}.`, {
    place: "mask",
    expected: `at least one pixel of ${detector}`,
    got: label,
    todo: "Give center as [row, col], in pixels.",
  });
}

const MADE = new WeakSet<object>();

function mask(
  kind: DetectorMask["kind"],
  label: string,
  shape: DetectorMask["shape"],
  contains: DetectorMask["contains"],
): DetectorMask {
  const made = { kind, label, shape, contains };
  Object.defineProperty(made, Symbol.for("nodejs.util.inspect.custom"), { value: () => `Mask: ${label}` });
  MADE.add(made);
  return Object.freeze(made);
}

/** Squares are compared, as NumPy code does: a root would round. */
const nearer = (dy: number, dx: number, radius: number): boolean => dy * dy + dx * dx < radius * radius;

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

function record<T extends object>(maker: string, value: T, names: readonly string[]): T {
  const ok = typeof value === "object" && value !== null;
  if (!ok) throw refused(maker, "options", value, `an object with ${names.join(", ")}`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return value;
  throw refused(maker, unknown, "given", `only ${names.join(", ")}`);
}

function point(maker: string, value: unknown): readonly [number, number] {
  if (Array.isArray(value) && value.length === 2 && value.every(isNumber)) return [value[0], value[1]];
  throw refused(maker, "center", value, "[row, col], two numbers in pixels");
}

function refused(maker: string, name: string, value: unknown, allowed: string): OptionError {
  const got = Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
  return new OptionError(`Option ${name} of ${maker} is ${got}; allowed: ${allowed}.`, {
    place: name,
    expected: allowed,
    got,
  });
}

interface Picture {
  readonly rows: number;
  readonly cols: number;
  at(row: number, col: number): number | boolean | undefined;
}

function picture(image: MaskImage): Picture {
  const allowed = "an ndarray [rows, cols], or rows of numbers, all equally long";
  if (Array.isArray(image)) {
    const lines = image as readonly (readonly (number | boolean)[])[];
    const cols = Array.isArray(lines[0]) ? lines[0].length : 0;
    if (cols > 0 && lines.every((line) => Array.isArray(line) && line.length === cols)) {
      return { rows: lines.length, cols, at: (row, col) => lines[row]?.[col] };
    }
    throw refused("fromImage", "image", "a list", allowed);
  }
  const array = image as Partial<NdArray<Data<number>>> | null;
  const shape = array?.shape;
  if (!array || !Array.isArray(shape) || shape.length !== 2 || typeof array.get !== "function") {
    throw refused("fromImage", "image", Array.isArray(shape) ? shape : typeof image, allowed);
  }
  return { rows: shape[0], cols: shape[1], at: (row, col) => array.get?.(row, col) };
}
