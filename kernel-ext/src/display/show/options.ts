// Owns: the options of `show` and their checks.
// Must not know: what is shown.
import { OptionError } from "../../errors";
import { COLORMAPS, type ColormapName } from "./colormap";

/** Options of `show`. All are optional; an unknown name is an error. */
export interface ShowOptions {
  /** Stands above the display. */
  title?: string;
  /** Logarithmic scale. Default: false. */
  log?: boolean;
  /**
   * Values at the two ends of the scale. Default: the 0.5 % and 99.8 % quantiles of the valid pixels; a logarithmic scale
   * begins at the least positive value, or at half of it where there are zeros.
   */
  limits?: readonly [number, number];
  /** Colours of a picture, each readable with every kind of colour vision. Default: `"blue-yellow"`. */
  colormap?: ColormapName;
  /** What the values count, beside the colours and under the mouse. Default: `"counts"`, or the unit of a reduction. */
  unit?: string;
}

/** Options with defaults filled in. */
export interface CheckedShowOptions {
  readonly title: string;
  readonly log: boolean;
  readonly limits: readonly [number, number] | undefined;
  readonly colormap: ColormapName;
  readonly unit: string | undefined;
}

const NAMES: readonly (keyof ShowOptions)[] = ["title", "log", "limits", "colormap", "unit"];

function refuse(name: string, value: unknown, allowed: string): never {
  const got = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw new OptionError(`The option ${name} of show is ${got}, but must be ${allowed}.`, {
    place: name,
    got,
    expected: allowed,
  });
}

/** Checks the options of `show`. @throws OptionError naming the option, its value and what is allowed. */
export function checkShowOptions(options: ShowOptions = {}): CheckedShowOptions {
  if (typeof options !== "object" || options === null) refuse("options", options, "an object");
  for (const name of Object.keys(options)) {
    if ((NAMES as readonly string[]).includes(name)) continue;
    const expected = NAMES.join(", ");
    throw new OptionError(`There is no option ${name} of show; known: ${expected}.`, {
      place: name,
      got: name,
      expected,
    });
  }
  const { title = "", log = false, limits, colormap = "blue-yellow", unit } = options;
  if (typeof title !== "string") refuse("title", title, "a text");
  if (typeof log !== "boolean") refuse("log", log, "true or false");
  if (limits !== undefined && !isLimits(limits)) refuse("limits", limits, "[low, high] with low < high");
  if (log && limits !== undefined && limits[0] <= 0) {
    refuse("limits", limits, "above 0 on a logarithmic scale");
  }
  if (!COLORMAPS.includes(colormap)) refuse("colormap", colormap, `one of ${COLORMAPS.join(", ")}`);
  if (unit !== undefined && typeof unit !== "string") refuse("unit", unit, "a text");
  return { title, log, limits, colormap, unit };
}

function isLimits(limits: unknown): limits is readonly [number, number] {
  if (!Array.isArray(limits) || limits.length !== 2) return false;
  return limits.every((value) => Number.isFinite(value)) && limits[0] < limits[1];
}
