// Owns: the result of a reduction as an ndarray with its axes, unit, notes and report.
// Must not know: how its values were computed.
import ndarray from "ndarray";
import { printAs } from "../printed";
import type { LoadReport, Note } from "../types";
import type { Reduced, Reduction, ReductionKind } from "./reduction";

/** What a result is made of. */
export interface ReducedParts {
  readonly reduction: Reduction;
  readonly values: Float64Array;
  readonly shape: readonly number[];
  readonly axes: readonly string[];
  readonly notes: readonly Note[];
  readonly report: LoadReport;
}

const WORDS: Readonly<Record<ReductionKind, string>> = {
  "virtual-image": "Virtual image",
  "mean-pattern": "Mean pattern",
  "sum-pattern": "Sum pattern",
  "max-pattern": "Max pattern",
  "center-of-mass": "Centre of mass",
};

/** Builds a result. */
export function makeReduced({ reduction, values, shape, axes, notes, report }: ReducedParts): Reduced {
  const view = ndarray(values, [...shape]);
  const unit = reduction.kind === "center-of-mass" ? "pixels" : "counts";
  const extras = { axes: Object.freeze([...axes]), unit, notes: Object.freeze([...notes]), report };
  for (const [name, value] of Object.entries(extras)) {
    Object.defineProperty(view, name, { value, enumerable: true });
  }
  const of = reduction.mask ? ` (${reduction.mask.label})` : "";
  const noted = notes.length > 0 ? `; ${notes.map(({ text }) => text).join(" ")}` : "";
  const line = `${WORDS[reduction.kind]}${of} f64 [${shape.join(", ")}] in ${unit}${noted}`;
  printAs(view, () => line);
  return view as Reduced;
}
