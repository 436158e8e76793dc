// Owns: the thresholds of an acquisition: their names in the file, and which one a load takes.
// Must not know: files, h5wasm, frames. Pure functions.
import { OptionError } from "../errors";
import type { Note } from "../types";
import type { Acquisition } from "./acquisition";

/** Groups of the detector with what belongs to one threshold (or to the difference of two). */
export const CHANNEL_GROUP: RegExp = /^(.+)_channel$/;

/** Names of channel groups in the order of their data: threshold_1, threshold_2, …, then the others. */
export function channelNames(groups: readonly string[]): string[] {
  const names = groups.flatMap((group) => CHANNEL_GROUP.exec(group)?.[1] ?? []);
  const rank = (name: string): number =>
    Number(/^threshold_(\d+)$/.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
  return names.sort((a, b) => (rank(a) === rank(b) ? (a < b ? -1 : 1) : rank(a) - rank(b)));
}

/**
 * The threshold that `asked` means (a number from 1 on, or a name; default the first) among `count`; null where the
 * frames have no axis of thresholds. `named` are lists of names, the best first: one that has another length is none.
 *
 * @throws OptionError with the thresholds that there are.
 */
export function chooseThreshold(
  file: string,
  count: number | null,
  named: readonly (readonly string[] | null)[],
  asked: number | string | undefined,
): { readonly thresholds: Acquisition["thresholds"]; readonly notes: readonly Note[] } {
  const names = named.find((list) => list?.length === (count ?? 1)) ?? null;
  const place = typeof asked === "string" ? (names?.indexOf(asked) ?? -1) : (asked ?? 1) - 1;
  if (place < 0 || place >= (count ?? 1)) throw noSuch(file, count ?? 1, names, asked);
  if (count === null) return { thresholds: null, notes: [] };
  const thresholds = { count, names, chosen: place + 1 };
  if (count === 1) return { thresholds, notes: [] };
  const name = names === null ? "" : ` (${names[place]})`;
  const text = `Threshold ${place + 1} of ${count}${name} was loaded; the option threshold chooses another.`;
  return { thresholds, notes: asked === undefined ? [{ code: "first-threshold", text }] : [] };
}

function noSuch(
  file: string,
  count: number,
  names: readonly string[] | null,
  asked: number | string | undefined,
): OptionError {
  const got = JSON.stringify(asked);
  const listed = names === null ? "without names in the file" : names.map((name) => `"${name}"`).join(", ");
  return new OptionError(
    `Option threshold is ${got}, but ${file} has ${count} threshold${count === 1 ? "" : "s"} (${listed}).`,
    { place: "threshold", expected: `1 … ${count}${names === null ? "" : `, ${listed}`}`, got },
  );
}
