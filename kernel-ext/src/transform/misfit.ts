// Owns: the error for a measured value that the asked-for element type cannot hold.
// Must not know: how it was found.
import { OptionError } from "../errors";
import type { Dtype, ScanPosition } from "../types";
import type { Misfit } from "./bin";
import { measurable } from "./element";
import type { Transform } from "./transform";

/** A value that does not fit: the frame of its batch, and the stage that refused it with the type of that stage. */
export interface FrameMisfit extends Misfit {
  readonly frame: number;
  readonly stage: "bin" | "dtype";
  readonly dtype: Dtype;
}

/** The error. `frame` is the frame of the acquisition, `file` what was loaded. */
export function misfitError(
  { to, region, bin }: Transform,
  { stage, dtype, at, value }: FrameMisfit,
  file: string,
  frame: number,
  scan: ScanPosition | null,
): OptionError {
  const row = region.top + Math.floor(at / to.detector[1]) * (bin ?? 1);
  const col = region.left + (at % to.detector[1]) * (bin ?? 1);
  const holds = bin
    ? `the ${bin} x ${bin} pixels from [${row}, ${col}] on sum to ${value}`
    : `pixel [${row}, ${col}] holds ${value}`;
  const where = scan ? `frame ${frame} (scan position [${scan.row}, ${scan.col}])` : `frame ${frame}`;
  return new OptionError(
    `Option ${stage}: in ${where} of ${file}, ${holds}; ${dtype} takes ${range(dtype)}.`,
    {
      place: stage,
      expected: range(dtype),
      got: `frame ${frame}, ${bin ? "pixels from" : "pixel"} [${row}, ${col}]: ${value}`,
      todo: todo(stage),
    },
  );
}

function range(dtype: Dtype): string {
  const limits = measurable(dtype);
  const sentinels = dtype === "u16" || dtype === "u32" ? " (the two values above mark flagged pixels)" : "";
  return `whole numbers ${limits?.lowest} … ${limits?.highest}${sentinels}`;
}

function todo(stage: FrameMisfit["stage"]): string {
  return stage === "bin"
    ? "Load without bin, or select frames or detector pixels without it."
    : "Load without dtype, or select frames or detector pixels without it.";
}
