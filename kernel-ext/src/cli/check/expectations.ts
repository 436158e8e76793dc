// Owns: the file of what a notebook without stored outputs is expected to show: its form, its place, reading, writing.
// Must not know: how notebooks run or are compared.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileText, jsonValue } from "../notebook/json";
import { NotebookError } from "../notebook/nbformat";
import { makeFolder, writeAtOnce } from "../notebook/write-file";
import type { NamedValue, Observed } from "./observed";

/** What is expected of one code cell. */
export interface ExpectedCell extends Observed {
  /** The cell's id in the notebook, or null in notebooks without ids. */
  readonly id: string | null;
}

export interface Expectations {
  readonly format: 1;
  /** Regular expressions of the user's; what they match is not compared. */
  readonly masks: readonly string[];
  /** One entry a code cell; null in a file that has masks only, for a notebook that keeps its outputs. */
  readonly cells: readonly ExpectedCell[] | null;
}

/** Where a notebook's expectations are: beside it as `a.expected.json`, or in a folder as `a.json`. */
export function expectationsPath(notebook: string, folder: string | undefined): string {
  const name = basename(notebook).replace(/\.ipynb$/i, "");
  return folder === undefined
    ? join(dirname(notebook), `${name}.expected.json`)
    : join(folder, `${name}.json`);
}

/** The expectations, or null where there is no such file. @throws NotebookError for a file of another form. */
export function readExpectations(path: string): Expectations | null {
  let value: Partial<Expectations>;
  try {
    value = jsonValue(fileText(path)) as Partial<Expectations>;
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "")) return null;
    throw new NotebookError(`${path} is not readable as expectations: ${(cause as Error).message}.`, {
      cause,
    });
  }
  const { format, masks = [], cells = null } = value ?? {};
  const broken = (what: string): never => {
    throw new NotebookError(`${path} holds no expectations: ${what}. Delete it and run again with --update.`);
  };
  if (format !== 1) broken(`format is ${JSON.stringify(format)?.slice(0, 40) ?? "absent"}, not 1`);
  if (!isTexts(masks)) broken("masks is not a list of texts");
  if (cells !== null && !(Array.isArray(cells) && cells.every(isExpectedCell))) {
    broken("cells is not a list of { id, text, values }");
  }
  return { format: 1, masks, cells };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function isExpectedCell(cell: unknown): cell is ExpectedCell {
  const { id, text, values } = (cell ?? {}) as Partial<ExpectedCell>;
  const named = (value: unknown): boolean => (value as NamedValue | null)?.value !== undefined;
  return (
    (id === null || typeof id === "string") &&
    isTexts(text) &&
    typeof values === "object" &&
    values !== null &&
    Object.values(values).every(named)
  );
}

/** Writes the file, whole or not at all; makes its folder. @returns false when it said the same already. */
export function writeExpectations(path: string, { masks, cells }: Expectations): boolean {
  // Lists of numbers on one line: an array's elements would be a line each.
  const text = `${JSON.stringify({ format: 1, masks, cells }, null, 1).replace(
    /\[[\d\s.,eE+-]*\]/g,
    (list) => (list.includes("\n") ? list.replace(/\s+/g, " ") : list),
  )}\n`;
  if (existsSync(path) && readFileSync(path, "utf8") === text) return false;
  makeFolder(dirname(path));
  writeAtOnce(path, text);
  return true;
}
