// Owns: stored dataspace selections (format specification 3.0, VIII.A), as one regular run on every axis.
// Must not know: virtual datasets, what is selected.
import type { Cursor } from "./cursor";

/** `count` blocks of `block` elements, `stride` apart; null = unlimited. */
export interface AxisRun {
  readonly start: number;
  readonly stride: number;
  readonly count: number | null;
  readonly block: number | null;
}

/** What is selected: everything, or a product of one run an axis; `other` says in words what cannot be told so. */
export type Selection =
  | { readonly kind: "all" }
  | { readonly kind: "runs"; readonly axes: readonly AxisRun[] }
  | { readonly kind: "other"; readonly what: string };

const NONE = 0;
const POINTS = 1;
const HYPERSLAB = 2;
const ALL = 3;
/** HDF5's own limit of dimensions. */
const MAX_RANK = 32;

/** Reads one selection; the cursor ends behind it. Selections of single points are refused. */
export function readSelection(cursor: Cursor): Selection {
  const type = cursor.u32();
  const version = cursor.u32();
  switch (type) {
    case NONE:
      cursor.skip(8);
      return { kind: "other", what: "an empty selection" };
    case ALL:
      cursor.skip(8);
      return { kind: "all" };
    case HYPERSLAB:
      return hyperslab(cursor, version);
    case POINTS:
      return cursor.refuse("a selection of whole frames", "a selection of single points");
    default:
      return cursor.refuse("selection type 0 to 3", `type ${type}`);
  }
}

/** Versions 1 (blocks, 4-byte numbers), 2 (regular, 8-byte numbers) and 3 (either, numbers of a stated width). */
function hyperslab(cursor: Cursor, version: number): Selection {
  if (version < 1 || version > 3) cursor.refuse("hyperslab version 1 to 3", `version ${version}`);
  let width = 4;
  let regular = false;
  if (version === 1)
    cursor.skip(8); // reserved, length
  else {
    regular = (cursor.u8() & 1) !== 0;
    if (version === 3) width = cursor.u8();
    else {
      width = 8;
      cursor.skip(4); // length
    }
  }
  if (![2, 4, 8].includes(width)) cursor.refuse("numbers of 2, 4 or 8 bytes", `${width} bytes`);
  const rank = cursor.u32();
  if (rank < 1 || rank > MAX_RANK) cursor.refuse(`1 to ${MAX_RANK} dimensions`, `${rank}`);
  return regular ? regularRuns(cursor, rank, width) : blocks(cursor, rank, width);
}

function regularRuns(cursor: Cursor, rank: number, width: number): Selection {
  const axes = Array.from({ length: rank }, (): AxisRun => {
    const start = cursor.uint(width);
    const stride = cursor.uint(width);
    const count = cursor.optionalUint(width);
    const block = cursor.optionalUint(width);
    if (stride < 1 || count === 0 || block === 0) cursor.refuse("runs of at least one element", "none");
    return { start, stride, count, block };
  });
  return { kind: "runs", axes };
}

/** A list of blocks [first corner, last corner]: the library writes regular selections so in old files. */
function blocks(cursor: Cursor, rank: number, width: number): Selection {
  const count = cursor.uint(width);
  const blockBytes = 2 * rank * width;
  if (count < 1 || count > cursor.left / blockBytes) {
    cursor.refuse(`1 to ${Math.floor(cursor.left / blockBytes)} blocks`, `${count}`);
  }
  const corners = Float64Array.from({ length: count * 2 * rank }, () => cursor.uint(width));
  const axes = Array.from({ length: rank }, (_, axis) => runOf(corners, rank, axis));
  const product = axes.reduce((total, run) => total * (run?.count ?? Number.NaN), 1);
  if (product !== count || !isProduct(corners, rank, axes as AxisRun[])) {
    return { kind: "other", what: `${count} blocks that form no regular pattern` };
  }
  return { kind: "runs", axes: axes as AxisRun[] };
}

/** The run that the blocks' extents on one axis form, or null. */
function runOf(corners: Float64Array, rank: number, axis: number): AxisRun | null {
  const starts = new Set<number>();
  const block = corners[rank + axis]! - corners[axis]! + 1;
  if (block < 1) return null;
  for (let at = 0; at < corners.length; at += 2 * rank) starts.add(corners[at + axis]!);
  const sorted = [...starts].sort((a, b) => a - b);
  const [start, second] = sorted as [number, number?];
  const stride = second === undefined ? block : second - start;
  const even = sorted.every((value, i) => value === start + i * stride);
  return even ? { start, stride, count: sorted.length, block } : null;
}

/** True where the blocks are all those of the runs, in row-major order. */
function isProduct(corners: Float64Array, rank: number, axes: readonly AxisRun[]): boolean {
  const index = new Array<number>(rank).fill(0);
  for (let at = 0; at < corners.length; at += 2 * rank) {
    for (let axis = 0; axis < rank; axis++) {
      const { start, stride, block } = axes[axis]!;
      const first = start + index[axis]! * stride;
      if (corners[at + axis] !== first || corners[at + rank + axis] !== first + block! - 1) return false;
    }
    for (let axis = rank - 1; axis >= 0; axis--) {
      index[axis]! += 1;
      if (index[axis]! < axes[axis]!.count!) break;
      index[axis] = 0;
    }
  }
  return true;
}
