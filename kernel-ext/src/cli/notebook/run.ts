// Owns: running a notebook in a fresh kernel process and accounting for every cell.
// Must not know: tslab (kernel-process.ts), processes (child.ts), where the result is written.
import { dirname, resolve } from "node:path";
import { runChild } from "./child";
import type { CellStatus } from "./messages";
import {
  type Cell,
  codeCells,
  hasTag,
  joined,
  type Notebook,
  type Output,
  RAISES_TAG,
  readNotebook,
  textOf,
} from "./nbformat";

/** How one code cell ended. */
export interface CellResult {
  /** Index among the code cells, from 0. */
  readonly index: number;
  readonly status: CellStatus;
  readonly outputs: readonly Output[];
  /** False when the cell failed, was skipped or never ran, unless its tag `raises-exception` wants the failure. */
  readonly ok: boolean;
}

/** A rejection that nobody handled, or an exception outside of cells, and the cell that ran when it came. */
export interface AsyncError {
  readonly index: number;
  readonly text: string;
}

export interface NotebookRun {
  /** The notebook with outputs and execution counts. */
  readonly notebook: Notebook;
  readonly cells: readonly CellResult[];
  readonly asyncErrors: readonly AsyncError[];
  /** Why the kernel process ended early, or null. */
  readonly died: string | null;
  /** Index of the code cell that ran when it ended early, or null. */
  readonly unfinished: number | null;
  /** True when every cell ran and ended as it should, and nothing failed beside them. */
  readonly ok: boolean;
}

export interface RunOptions {
  /** The whole notebook's time limit in milliseconds; the kernel is killed behind it. Default: 5 minutes. */
  readonly timeoutMs?: number;
  /** Kills the kernel and rejects with AbortError. */
  readonly signal?: AbortSignal;
}

interface CellState {
  status: CellStatus;
  count: number | null;
  outputs: Output[];
}

/** Runs every code cell of the notebook at `path`, in the notebook's folder, and leaves no process behind. */
export async function runNotebook(path: string, options: RunOptions = {}): Promise<NotebookRun> {
  const absolute = resolve(path);
  return await runCells(readNotebook(absolute), dirname(absolute), options);
}

/** Runs every code cell of a notebook that was read, in `folder`, and leaves no process behind. */
export async function runCells(
  notebook: Notebook,
  folder: string,
  options: RunOptions = {},
): Promise<NotebookRun> {
  const code = codeCells(notebook);
  const states: CellState[] = code.map(() => ({ status: "not-run", count: null, outputs: [] }));
  const asyncErrors: AsyncError[] = [];
  let begun: number | null = null;
  const request = { folder, sources: code.map((cell) => joined(cell.source)) };
  const limits = { timeoutMs: options.timeoutMs ?? 300_000, signal: options.signal };
  const died = await runChild(request, limits, (message) => {
    if (message.type === "begin") begun = message.index;
    else if (message.type === "cell") {
      const { status, count, outputs } = message;
      states[message.index] = { status, count, outputs: [...outputs] };
    } else if (message.type === "async-error") {
      asyncErrors.push({ index: message.index, text: message.text });
    }
  });
  const cells = code.map((cell, index) => result(cell, index, states[index]!));
  const ok = died === null && asyncErrors.length === 0 && cells.every((cell) => cell.ok);
  const unfinished = begun !== null && states[begun]!.status === "not-run" ? begun : null;
  return { notebook: withOutputs(notebook, states), cells, asyncErrors, died, unfinished, ok };
}

function result(cell: Cell, index: number, { status, outputs }: CellState): CellResult {
  return { index, status, outputs, ok: status === (hasTag(cell, RAISES_TAG) ? "error" : "ok") };
}

function withOutputs(notebook: Notebook, states: readonly CellState[]): Notebook {
  let next = 0;
  const cells = notebook.cells.map((cell) => {
    if (cell.cell_type !== "code") return cell;
    const { count, outputs } = states[next++]!;
    return { ...cell, execution_count: count, outputs };
  });
  return { ...notebook, cells };
}

/** The text of a cell's streams and of its displays' text form, in order. */
export function cellText(cell: CellResult): string {
  return cell.outputs
    .map((output) =>
      output.output_type === "stream" ? joined(output.text) : `${textOf(output.data["text/plain"])}\n`,
    )
    .join("");
}

/** What went wrong in a run, a line or more for each fault; empty when all is well. */
export function runFaults(run: NotebookRun): string[] {
  const faults = run.cells
    .filter((cell) => !cell.ok)
    .map((cell) => `Cell ${cell.index + 1}: ${cell.status}\n${cellText(cell)}`.trimEnd());
  if (run.died !== null) faults.push(`Run ended early: ${run.died}.`);
  return [...faults, ...run.asyncErrors.map(({ index, text }) => `Cell ${index + 1}: ${text}`.trimEnd())];
}
