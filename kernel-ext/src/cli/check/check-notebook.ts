// Owns: checking one notebook: what it is compared with, its run, its outcome, the update.
// Must not know: the command line, other notebooks.
import { homedir, tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import {
  type Cell,
  codeCells,
  hasTag,
  joined,
  type Notebook,
  NotebookError,
  type Output,
  readNotebook,
  writeNotebook,
} from "../notebook/nbformat";
import { type NotebookRun, runCells } from "../notebook/run";
import { realPath } from "../real-path";
import { cellDifferences, pairCells } from "./compare";
import { type Expectations, expectationsPath, readExpectations, writeExpectations } from "./expectations";
import { cellFaults, wholeFaults } from "./faults";
import { DEFAULT_MASKS, folderMasks, type Mask, userMask } from "./masks";
import { type Observed, type SeenCell, seenCell } from "./observed";
import type { CellOutcome, Outcome, Verdict } from "./outcome";

export interface CheckSettings {
  readonly update: boolean;
  /** Folder of expectations; undefined: beside the notebook. */
  readonly expected: string | undefined;
  readonly masks: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The tag of nbval, with the same meaning: a cell has to run, whatever it shows. */
const IGNORE_TAG = "nbval-ignore-output";

/** Runs the notebook in a fresh kernel and compares. @throws AbortError; everything else becomes the outcome. */
export async function checkNotebook(path: string, settings: CheckSettings): Promise<Outcome> {
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  try {
    return { path, ...(await outcomeOf(path, settings)), seconds: seconds() };
  } catch (error) {
    if (!(error instanceof NotebookError)) throw error;
    return { path, verdict: "unusable", seconds: seconds(), cells: [], faults: [error.message], notes: [] };
  }
}

type Found = Omit<Outcome, "path" | "seconds">;

/** What a run is compared with, and where that stands. */
interface Basis {
  /** Outputs that the notebook keeps itself; null when it is stripped. */
  readonly stored: readonly SeenCell[] | null;
  readonly file: string;
  readonly expectations: Expectations | null;
  readonly userMasks: readonly string[];
  readonly masks: readonly Mask[];
}

async function outcomeOf(path: string, settings: CheckSettings): Promise<Found> {
  const notebook = readNotebook(path);
  refuseOtherKernels(path, notebook);
  const code = codeCells(notebook);
  const basis = basisOf(path, code, settings);
  if (!settings.update && basis.stored === null && !basis.expectations?.cells) {
    const fault = `has neither stored outputs nor expectations (${basis.file}); run again with --update to write them`;
    return { verdict: "differs", cells: outcomes(code, []), faults: [fault], notes: [] };
  }
  const run = await runCells(notebook, dirname(resolve(path)), settings);
  const seen = run.cells.map(({ outputs, index }) => seenOf(code[index]!, outputs, basis.masks));
  const ownFaults = run.cells.map((cell) => cellFaults(cell, code[cell.index]!, run, seen));
  const faults = wholeFaults(run);
  const healthy = run.ok && faults.length === 0 && ownFaults.every((one) => one.length === 0);
  const notes = comparedNotes(seen);
  if (settings.update) {
    if (!healthy) notes.push("nothing was written: only a notebook that runs whole can be expected");
    else notes.push(update(path, run, seen, basis));
    return { verdict: healthy ? "updated" : "differs", cells: outcomes(code, ownFaults), faults, notes };
  }
  const { differences, gone } = compareAll(code, seen, basis);
  if (gone > 0)
    faults.push(`${gone} of the expected cells are no longer in the notebook; --update forgets them`);
  if (basis.stored !== null && basis.expectations?.cells) {
    notes.push(`${basis.file} is not used: the notebook keeps its own outputs`);
  }
  // Only what ran as it should is compared: the outputs of a cell that failed are its fault already.
  const all = ownFaults.map((own, index) => (run.cells[index]!.ok ? [...own, ...differences[index]!] : own));
  const same = healthy && gone === 0 && all.every((one) => one.length === 0);
  const verdict: Verdict = same ? "same" : "differs";
  return { verdict, cells: outcomes(code, all), faults, notes };
}

/** Kernels of other languages are named before a cell fails in a way that nobody understands. */
function refuseOtherKernels(path: string, { metadata }: Notebook): void {
  const { kernelspec, language_info } = metadata as Record<string, Record<string, unknown> | undefined>;
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  const language = (text(kernelspec?.language) ?? text(language_info?.name) ?? "typescript").toLowerCase();
  const name = text(kernelspec?.name) ?? "tslab";
  if (language === "typescript" && name !== "jslab" && !/^python/i.test(name)) return;
  const kernel = JSON.stringify(text(kernelspec?.display_name) ?? text(kernelspec?.name) ?? language);
  throw new NotebookError(
    `${path} is for the kernel ${kernel}; framelab check runs TypeScript notebooks (tslab).`,
  );
}

function basisOf(path: string, code: readonly Cell[], settings: CheckSettings): Basis {
  const file = expectationsPath(path, settings.expected);
  const expectations = readExpectations(file);
  const userMasks = [...new Set([...(expectations?.masks ?? []), ...settings.masks])];
  const users = userMasks.map((text) => {
    const mask = userMask(text);
    if (typeof mask === "string") throw new NotebookError(`${file}: mask ${JSON.stringify(text)}: ${mask}.`);
    return mask;
  });
  const folder = dirname(resolve(path));
  const folders = [folder, process.cwd(), homedir(), tmpdir()].flatMap((one) => [one, realPath(one)]);
  const masks = [...users, ...folderMasks(folders), ...DEFAULT_MASKS];
  // Some tools strip outputs and leave the counts.
  const keeps =
    code.some((cell) => (cell.outputs?.length ?? 0) > 0) ||
    (!expectations?.cells && code.some((cell) => typeof cell.execution_count === "number"));
  const stored = keeps ? code.map((cell) => seenOf(cell, cell.outputs ?? [], masks)) : null;
  return { stored, file, expectations, userMasks, masks };
}

/** What is compared of a cell's outputs: of one with the tag, its named values alone. */
function seenOf(cell: Cell, outputs: readonly Output[], masks: readonly Mask[]): SeenCell {
  const seen = seenCell(outputs, masks);
  if (!hasTag(cell, IGNORE_TAG)) return seen;
  return { ...seen, text: [], pictures: 0, leftOut: [`the output of a cell with the tag ${IGNORE_TAG}`] };
}

function compareAll(
  code: readonly Cell[],
  seen: readonly SeenCell[],
  { stored, expectations }: Basis,
): { readonly differences: readonly (readonly string[])[]; readonly gone: number } {
  if (stored !== null)
    return { differences: seen.map((got, i) => cellDifferences(stored[i]!, got)), gone: 0 };
  const { pairs, gone } = pairCells(code.map(idOf), expectations?.cells ?? []);
  const differences = seen.map((got, index) => {
    const expected: Observed | null = pairs[index]!;
    return expected === null
      ? ["is new: nothing is expected of it; --update writes it"]
      : cellDifferences(expected, got);
  });
  return { differences, gone };
}

const idOf = (cell: Cell): string | null => (typeof cell.id === "string" ? cell.id : null);

/** Writes what is expected from now on. @returns what was done. */
function update(path: string, run: NotebookRun, seen: readonly SeenCell[], basis: Basis): string {
  if (basis.stored !== null) {
    written(path, () => writeNotebook(path, run.notebook));
    return "its own outputs were written";
  }
  const ids = codeCells(run.notebook).map(idOf);
  const cells = seen.map(({ text, values }, index) => ({ id: ids[index]!, text, values }));
  const expected = { format: 1, masks: basis.userMasks, cells } as const;
  const changed = written(basis.file, () => writeExpectations(basis.file, expected));
  return `${basis.file} ${changed ? "was written" : "says so already"}`;
}

function written<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    throw new NotebookError(`${path} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}

function outcomes(code: readonly Cell[], faults: readonly (readonly string[])[]): CellOutcome[] {
  return code.map((cell, index) => {
    const [line = ""] = joined(cell.source).trimStart().split(/\r?\n/);
    const source = line.length > 100 ? `${line.slice(0, 99)}…` : line;
    return { label: `cell ${index + 1}`, source, faults: faults[index] ?? [] };
  });
}

function comparedNotes(seen: readonly SeenCell[]): string[] {
  const values = seen.reduce((sum, cell) => sum + Object.keys(cell.values).length, 0);
  const pictures = seen.reduce((sum, cell) => sum + cell.pictures, 0);
  const forms = seen.flatMap(({ leftOut }) => leftOut);
  const left = [...new Set(forms)].map((form) => `${form} (${forms.filter((one) => one === form).length})`);
  const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
  const notes = [
    [counted(seen.length, "cell"), counted(values, "value"), counted(pictures, "picture")].join(", "),
  ];
  return left.length === 0 ? notes : [...notes, `not compared: ${left.join(", ")}`];
}
