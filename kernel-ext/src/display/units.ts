// Owns: numbers as people read them: bytes, rates, durations, counts.
// Must not know: where they are shown.

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Bytes in decimal units: `18.9 MB`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit]}`;
}

/** Decoded bytes per second in GB/s; 0 when no time has passed. */
export function rateText(bytes: number, seconds: number): string {
  const rate = seconds > 0 ? bytes / seconds / 1e9 : 0;
  return gigabytesPerSecond(rate);
}

/** `0.1 GB/s`; below 0.1 with one digit that counts (`0.004 GB/s`), so that a slow backend does not read as none. */
export function gigabytesPerSecond(rate: number): string {
  return `${rate >= 0.095 || rate === 0 ? rate.toFixed(1) : Number(rate.toPrecision(1))} GB/s`;
}

/** Seconds as `0.12 s`, `8.3 s`, `2 min 05 s`. */
export function secondsText(seconds: number): string {
  if (seconds < 1) return `${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

/** An integer in groups of three: `262,144`. */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 frame`, `2 frames`. */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}
