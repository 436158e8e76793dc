// Owns: what of a run differs from what is expected, cell by cell.
// Must not know: files, how cells run, how differences look on paper.
import { recordedText } from "../../recorded-value";
import { lineDiff } from "./diff";
import type { ExpectedCell } from "./expectations";
import type { Observed } from "./observed";
import { valueDifferences } from "./values";

/** Differences of one cell, each a line or more; empty when there are none. */
export function cellDifferences(expected: Observed, got: Observed): string[] {
  const faults: string[] = [];
  const lines = lineDiff(expected.text, got.text);
  if (lines.length > 0) faults.push(["output differs (- expected, + got)", ...lines].join("\n"));
  const names = new Set([...Object.keys(expected.values), ...Object.keys(got.values)]);
  for (const name of names) {
    const was = own(expected.values, name);
    const is = own(got.values, name);
    const said = `value ${JSON.stringify(name)}`;
    if (was === undefined) faults.push(`${said} is new: got ${recordedText(is!.value)}; --update expects it`);
    else if (is === undefined) faults.push(`${said} was not checked: expected ${recordedText(was.value)}`);
    else faults.push(...valueDifferences(was, is).map((line) => `${said} differs: ${line}`));
  }
  return faults;
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The expected cell of each code cell (null: none), and how many expected cells the notebook no longer has. */
export function pairCells(
  ids: readonly (string | null)[],
  expected: readonly ExpectedCell[],
): { readonly pairs: readonly (ExpectedCell | null)[]; readonly gone: number } {
  const known = new Map(expected.map((cell) => [cell.id, cell]));
  const distinct = (all: readonly (string | null)[]): boolean =>
    !all.includes(null) && new Set(all).size === all.length;
  // By id where there are ids, so that a new cell does not shift all others; else by position.
  const pairs =
    distinct(ids) && distinct(expected.map(({ id }) => id))
      ? ids.map((id) => known.get(id) ?? null)
      : ids.map((_, index) => expected[index] ?? null);
  return { pairs, gone: expected.length - pairs.filter((cell) => cell !== null).length };
}
