// Owns: what is wrong with a run in itself, whatever is expected: cells that failed or never ran, late errors, names used twice.
// Must not know: expectations.
import { type Cell, hasTag, RAISES_TAG } from "../notebook/nbformat";
import { type CellResult, cellText, type NotebookRun } from "../notebook/run";
import { plainLines } from "./masks";
import type { SeenCell } from "./observed";

/** Lines of a failed cell's text that are shown: the last ones hold the error. */
const LISTED = 20;

/** Faults of one cell. */
export function cellFaults(
  result: CellResult,
  cell: Cell,
  run: NotebookRun,
  seen: readonly SeenCell[],
): string[] {
  const late = run.asyncErrors.filter(({ index }) => index === result.index);
  const faults = late.map(({ text }) => shortened(text));
  const begun = run.unfinished === result.index;
  const fault = result.ok ? null : begun ? "began and did not end" : statusFault(result, cell);
  if (fault !== null) faults.push(fault);
  const earlier = seen.slice(0, result.index);
  const { values, repeated } = seen[result.index]!;
  const again = Object.keys(values).filter((name) => earlier.some((one) => Object.hasOwn(one.values, name)));
  for (const name of new Set([...again, ...repeated])) {
    faults.push(`the name ${JSON.stringify(name)} is checked more than once; a name stands for one value`);
  }
  return faults;
}

function statusFault(result: CellResult, cell: Cell): string {
  if (result.status === "ok" && hasTag(cell, RAISES_TAG))
    return "ended well, but its tag raises-exception expects an error";
  if (result.status === "error") return `failed:\n${shortened(cellText(result))}`;
  return result.status === "abort" ? "was skipped by the kernel" : "did not run";
}

/** Without the stack, the last lines only. */
function shortened(text: string): string {
  const tail = plainLines(text).slice(-LISTED);
  return tail.map((line) => (line.length > 300 ? `${line.slice(0, 299)}…` : line)).join("\n");
}

/** Faults of the run as a whole. */
export function wholeFaults(run: NotebookRun): string[] {
  return run.died === null ? [] : [`ended early: ${run.died}`];
}
