// Owns: ndarrays whose views stay right past 2^31 elements.
// Must not know: acquisitions, reports.
//
// scijs ndarray keeps an offset as a 32-bit integer in its constructor, `pick` and `lo`, so that on large arrays they
// show other elements than asked for. Views made here rebase instead: the data become a subarray that starts at the
// view's first element. Where a single view still spans more than 2^31 elements, it gets its offset set exactly and
// the same view methods.
import ndarray from "ndarray";
import type { PixelArray } from "../types";
import type { PixelStore } from "./pixels";

type Data = PixelArray | PixelStore;
type View = ndarray.NdArray<PixelArray>;

/** Largest index that scijs ndarray's own arithmetic keeps exact. */
const EXACT_INDEX = 2 ** 31 - 1;

/** An ndarray over `data`; its `pick`, `lo`, `hi`, `step` and `transpose` are right at any size. */
export function exactView(
  data: Data,
  shape: readonly number[],
  stride: readonly number[],
  offset: number,
): View {
  const [first, last] = indexRange(shape, stride, offset);
  if (last <= EXACT_INDEX) return makeView(data, shape, stride, offset);
  if (first > 0) return exactView(data.subarray(first, last + 1), shape, stride, offset - first);
  return withExactViews(makeView(data, shape, stride, offset), data);
}

/** C-order strides of a shape, in elements. */
export function denseStride(shape: readonly number[]): number[] {
  const stride = new Array<number>(shape.length);
  let size = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    stride[axis] = size;
    size *= shape[axis];
  }
  return stride;
}

function makeView(data: Data, shape: readonly number[], stride: readonly number[], offset: number): View {
  const view = ndarray(data as PixelArray, [...shape], [...stride], 0);
  view.offset = offset;
  return view;
}

/** The smallest and the largest index of a view's elements; its offset twice where it has none. */
export function indexRange(
  shape: readonly number[],
  stride: readonly number[],
  offset: number,
): readonly [number, number] {
  let first = offset;
  let last = offset;
  for (let axis = 0; axis < shape.length; axis++) {
    const reach = stride[axis] * (shape[axis] - 1);
    if (shape[axis] === 0) return [offset, offset];
    if (reach < 0) first += reach;
    else last += reach;
  }
  return [first, last];
}

const isIndex = (i: unknown): i is number => typeof i === "number" && i >= 0;

/** Replaces the view methods by ones with 64-bit arithmetic; they take the same arguments as ndarray's. */
function withExactViews(view: View, data: Data): View {
  const rebuild = (shape: readonly number[], stride: readonly number[], offset: number): View =>
    exactView(data, shape, stride, offset);
  const methods = {
    pick(...at: (number | null | undefined)[]): View {
      const left = view.shape.map((_, axis) => axis).filter((axis) => !isIndex(at[axis]));
      const offset = at.reduce<number>(
        (sum, i, axis) => (isIndex(i) ? sum + view.stride[axis] * Math.trunc(i) : sum),
        view.offset,
      );
      return rebuild(
        left.map((axis) => view.shape[axis]),
        left.map((axis) => view.stride[axis]),
        offset,
      );
    },
    lo(...at: (number | null | undefined)[]): View {
      const skip = view.shape.map((_, axis) => {
        const i = at[axis];
        return isIndex(i) ? Math.trunc(i) : 0;
      });
      const offset = skip.reduce((sum, i, axis) => sum + view.stride[axis] * i, view.offset);
      return rebuild(
        view.shape.map((n, axis) => n - skip[axis]),
        view.stride,
        offset,
      );
    },
    hi(...at: (number | null | undefined)[]): View {
      const shape = view.shape.map((n, axis) => {
        const i = at[axis];
        return isIndex(i) ? Math.trunc(i) : n;
      });
      return rebuild(shape, view.stride, view.offset);
    },
    step(...by: (number | null | undefined)[]): View {
      const steps = view.shape.map((_, axis) => (typeof by[axis] === "number" ? Math.trunc(by[axis]) : 1));
      const offset = steps.reduce(
        (sum, step, axis) => (step < 0 ? sum + view.stride[axis] * (view.shape[axis] - 1) : sum),
        view.offset,
      );
      return rebuild(
        view.shape.map((n, axis) => Math.ceil(n / Math.abs(steps[axis]))),
        view.stride.map((n, axis) => n * steps[axis]),
        offset,
      );
    },
    transpose(...order: (number | undefined)[]): View {
      const axes = view.shape.map((_, axis) => order[axis] ?? axis);
      return rebuild(
        axes.map((axis) => view.shape[axis]),
        axes.map((axis) => view.stride[axis]),
        view.offset,
      );
    },
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(view, name, { value });
  return view;
}
