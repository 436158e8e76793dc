// Owns: the way from values to a colour or a length: limits from quantiles, linear or logarithmic, and its ticks.
// Must not know: arrays, pictures.

/** Shares of the valid values that lie below the lower and the upper limit: a few hot pixels must not set the scale. */
const LOW_QUANTILE = 0.005;
const HIGH_QUANTILE = 0.998;

/** A map of values to 0 … 1. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly log: boolean;
  /** 0 at `low` and below, 1 at `high` and above; NaN stays NaN. */
  position(value: number): number;
  /** Round values between the limits, with their labels. */
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
}

/** A scale over `values` (NaN left out), or between given limits. */
export function scaleFor(values: Float64Array, log: boolean, limits?: readonly [number, number]): Scale {
  const [low, high] = limits ?? quantileLimits(values, log);
  // A logarithm needs a floor: values at and below zero are drawn like it.
  const floor = log ? (low > 0 ? low : high > 0 ? Math.min(1, high / 10) : 1) : low;
  const top = high > floor ? high : floor + (log ? 9 * floor : 1);
  const at = log ? (value: number) => Math.log10(Math.max(value, floor)) : (value: number) => value;
  const [from, to] = [at(floor), at(top)];
  return {
    low: floor,
    high: top,
    log,
    position: (value) => Math.min(1, Math.max(0, (at(value) - from) / (to - from))),
    ticks: log ? logTicks(floor, top) : linearTicks(floor, top),
  };
}

/** A value of a caption: four digits are what an eye takes from a picture. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function quantileLimits(values: Float64Array, log: boolean): [number, number] {
  const valid = values.filter((value) => (log ? value > 0 : !Number.isNaN(value))).sort();
  if (valid.length === 0) return log ? [1, 10] : [0, 1];
  const at = (share: number): number => valid[Math.round(share * (valid.length - 1))]!;
  // Zeros are drawn like the floor: half the least count, so that one electron stands out from none.
  const least = values.some((value) => value <= 0) ? valid[0]! / 2 : valid[0]!;
  const [low, high] = [log ? least : at(LOW_QUANTILE), at(HIGH_QUANTILE)];
  // Sparse pictures: nearly all values equal, the rest above the quantile.
  return high > low ? [low, high] : [valid[0]!, valid[valid.length - 1]!];
}

const WANTED_TICKS = 5;

/** Ticks at multiples of 1, 2 or 5 times a power of ten. */
export function linearTicks(low: number, high: number): { value: number; label: string }[] {
  const rough = (high - low) / WANTED_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const ticks: { value: number; label: string }[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    const value = i * step;
    ticks.push({ value, label: tickLabel(value, step) });
  }
  return ticks;
}

/** Ticks at powers of ten, or linear ones where the limits hold fewer than two. */
function logTicks(low: number, high: number): { value: number; label: string }[] {
  const ticks: { value: number; label: string }[] = [];
  for (let power = Math.ceil(Math.log10(low) - 1e-9); 10 ** power <= high * (1 + 1e-9); power++) {
    ticks.push({ value: 10 ** power, label: tickLabel(10 ** power, 10 ** power) });
  }
  return ticks.length >= 2 ? ticks : linearTicks(low, high);
}

function tickLabel(value: number, step: number): string {
  if (value === 0) return "0";
  const size = Math.max(Math.abs(value), step);
  if (size >= 1e5 || size < 1e-3) {
    const [digits, exponent] = value.toExponential(2).split("e");
    return `${Number(digits)}e${Number(exponent)}`;
  }
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}
