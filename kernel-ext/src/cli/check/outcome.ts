// Owns: what came of one notebook, as a value and as text for people.
// Must not know: how it was reached; exit codes.
import { printable } from "../table";

/**
 * `same`: as expected. `differs`: a cell failed or is not as expected, or nothing is expected.
 * `unusable`: no notebook that can be run. `updated`: what is expected was written.
 */
export type Verdict = "same" | "updated" | "differs" | "unusable";

export interface CellOutcome {
  /** `cell 3`: its number among the code cells, from 1. */
  readonly label: string;
  /** The first line of its source. */
  readonly source: string;
  /** What is wrong, each a line or more; empty when nothing is. */
  readonly faults: readonly string[];
}

export interface Outcome {
  readonly path: string;
  readonly verdict: Verdict;
  readonly seconds: number;
  readonly cells: readonly CellOutcome[];
  /** What is wrong with the notebook as a whole. */
  readonly faults: readonly string[];
  /** What was compared, what was not, what was written. */
  readonly notes: readonly string[];
}

const TINTS: Readonly<Record<Verdict, number>> = { same: 32, updated: 33, differs: 31, unusable: 31 };

/** A line with the verdict, then what is to be said: faults by cell, notes. */
export function outcomeText(outcome: Outcome, color: boolean): string {
  const { path, verdict, seconds, cells, faults, notes } = outcome;
  const word = color ? `\x1b[${TINTS[verdict]}m${verdict}\x1b[0m` : verdict;
  const lines = [`${printable(path)}: ${word} (${seconds.toFixed(1)} s)`];
  for (const fault of faults) lines.push(...indented(fault, 2));
  for (const cell of cells.filter((one) => one.faults.length > 0)) {
    lines.push(`  ${printable(cell.label)}: ${printable(cell.source)}`.trimEnd());
    for (const fault of cell.faults) lines.push(...indented(fault, 4));
  }
  return [...lines, ...notes.map((note) => `  note: ${printable(note)}`)].join("\n");
}

function indented(text: string, columns: number): string[] {
  return text.split("\n").map((line) => `${" ".repeat(columns)}${printable(line)}`.trimEnd());
}

/** `3 notebooks: 2 same, 1 differs`. */
export function summaryText(outcomes: readonly Outcome[]): string {
  const parts = (["same", "updated", "differs", "unusable"] as const).flatMap((verdict) => {
    const count = outcomes.filter((outcome) => outcome.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  return `${outcomes.length} notebook${outcomes.length === 1 ? "" : "s"}: ${parts.join(", ")}`;
}
