// Owns: what all checks of options share: kinds of values, and the error that names option, value and what is allowed.
// Must not know: which options there are.
import { OptionError } from "./errors";

/** A whole number, 0 or more, that a float holds exactly. */
export const isCount: (value: unknown) => value is number = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** The error for a bad value. */
export function badOption(name: string, value: unknown, allowed: string): OptionError {
  const got = printable(value);
  return new OptionError(`Option ${name} is ${got}; allowed: ${allowed}.`, {
    place: name,
    expected: allowed,
    got,
  });
}

/** A value as one short line, for messages; never throws. */
function printable(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}…` : value);
  if (typeof value === "function") return "a function";
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return String(value);
  try {
    const text = plainJson(value) ?? "an object";
    return text.length > 80 ? `${text.slice(0, 77)}…` : text;
  } catch {
    return "an object";
  }
}

/** JSON in which numbers that JSON cannot hold stand as they are written: NaN, Infinity, 1n. */
function plainJson(value: object): string | undefined {
  const odd = (part: unknown) =>
    typeof part === "bigint" || (typeof part === "number" && !Number.isFinite(part));
  const text = JSON.stringify(value, (_, part: unknown) =>
    odd(part) ? `${String(part)}${typeof part === "bigint" ? "n" : ""}` : part,
  );
  return text?.replace(/"(NaN|-?Infinity|-?\d+n)"/g, "$1");
}

/** An object with known names only. @throws OptionError. */
export function asRecord(name: string, value: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badOption(name, value, `an object with ${names.join(", ")}`);
  }
  for (const key of Object.keys(value)) {
    if (!names.includes(key)) {
      const place = name === "options" ? key : `${name}.${key}`;
      throw new OptionError(`There is no option ${place}; known: ${names.join(", ")}.`, {
        place,
        got: key,
        expected: names.join(", "),
      });
    }
  }
  return value as Record<string, unknown>;
}

/** One of a few values, or the fallback for undefined. @throws OptionError. */
export function oneOf<const T extends string | number, F extends T | undefined>(
  name: string,
  value: unknown,
  allowed: readonly T[],
  fallback: F,
): T | F {
  if (value === undefined) return fallback;
  if (allowed.includes(value as T)) return value as T;
  throw badOption(name, value, allowed.map((word) => JSON.stringify(word)).join(", "));
}

/** Refuses what names no file on a disk; a URL with a hint, since file pickers and web tools hand them out. */
export function requirePath(path: unknown): asserts path is string {
  const allowed = "the path of an HDF5 file as a string";
  const url = path instanceof URL ? path.href : path;
  if (typeof url === "string" && /^file:/i.test(url)) {
    throw badOption("path", url, `${allowed}, not a URL: fileURLToPath of node:url makes one of it`);
  }
  if (typeof url === "string" && /^[a-z][a-z0-9+.-]+:\/\//i.test(url)) {
    throw badOption("path", url, `${allowed}; files of other computers are copied or mounted first`);
  }
  if (typeof path !== "string" || path.length === 0 || path.includes("\0")) {
    throw badOption("path", path, allowed);
  }
}
