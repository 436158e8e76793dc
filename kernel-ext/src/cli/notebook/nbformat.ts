// Owns: the notebook file format (nbformat 4): its types, reading it with checks, writing it.
// Must not know: how cells run.
import { fileText, jsonValue } from "./json";
import { writeAtOnce } from "./write-file";

/** Text of a cell or an output: one string or its lines, each with its newline. */
export type MultilineText = string | readonly string[];

/** Text that a cell wrote to a stream. */
export interface StreamOutput {
  readonly output_type: "stream";
  readonly name: "stdout" | "stderr";
  text: MultilineText;
}

/** A display: the same content in several mime types. */
export interface DisplayOutput {
  readonly output_type: "display_data";
  data: Readonly<Record<string, unknown>>;
  metadata: Readonly<Record<string, unknown>>;
}

export type Output = StreamOutput | DisplayOutput;

export interface Cell {
  readonly id?: string;
  readonly cell_type: "code" | "markdown" | "raw";
  readonly metadata: { readonly tags?: readonly string[] };
  readonly source: MultilineText;
  /** Code cells only. */
  outputs?: Output[];
  execution_count?: number | null;
}

export interface Notebook {
  readonly nbformat: number;
  readonly nbformat_minor: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly cells: readonly Cell[];
}

/** A file that is no notebook, or none that can be run here. The message is whole sentences with the path. */
export class NotebookError extends Error {}

/** The tag of a cell that is meant to fail, as nbconvert and nbval know it. */
export const RAISES_TAG = "raises-exception";

/** The cells that run, in their order. */
export function codeCells({ cells }: Notebook): Cell[] {
  return cells.filter((cell) => cell.cell_type === "code");
}

export function hasTag(cell: Cell, tag: string): boolean {
  return cell.metadata?.tags?.includes(tag) ?? false;
}

/** A multi-line text as one string. */
export function joined(text: MultilineText): string {
  return typeof text === "string" ? text : text.join("");
}

/** Reads a notebook. @throws NotebookError with the path when it cannot be read, is not JSON or not nbformat 4. */
export function readNotebook(path: string): Notebook {
  const value = parsed(path) as Partial<Notebook> | null;
  if (!isObject(value) || !("nbformat" in value)) {
    throw new NotebookError(`${path} is JSON, but not a notebook: it has no nbformat.`);
  }
  if (value.nbformat !== 4) {
    const todo = "Open it in JupyterLab and save it, or run: jupyter nbconvert --to notebook --nbformat 4.";
    throw new NotebookError(
      `${path} is not a notebook of format 4, but of format ${show(value.nbformat)}. ${todo}`,
    );
  }
  if (!Array.isArray(value.cells))
    throw new NotebookError(`${path} is not a notebook: it has no list of cells.`);
  for (const [index, cell] of value.cells.entries()) {
    const fault = cellFault(cell);
    if (fault !== null)
      throw new NotebookError(`${path} is a broken notebook: entry ${index + 1} of cells ${fault}.`);
  }
  return { ...value, metadata: isObject(value.metadata) ? value.metadata : {} } as Notebook;
}

function parsed(path: string): unknown {
  let text: string;
  try {
    text = fileText(path);
  } catch (cause) {
    const absent = (cause as NodeJS.ErrnoException).code === "ENOENT";
    const why = absent ? "does not exist" : `cannot be read: ${(cause as Error).message}`;
    throw new NotebookError(`${path} ${why}.`, { cause });
  }
  try {
    return jsonValue(text);
  } catch (cause) {
    throw new NotebookError(`${path} is not a readable notebook: ${(cause as Error).message}.`, { cause });
  }
}

/** What is wrong with a cell, or null. */
function cellFault(cell: unknown): string | null {
  if (!isObject(cell)) return "is not an object";
  const { cell_type, source, metadata, outputs } = cell as Partial<Cell>;
  if (!["code", "markdown", "raw"].includes(cell_type as string)) return `has the type ${show(cell_type)}`;
  if (source === undefined) return "has no source";
  if (!isText(source)) return "has a source that is not text";
  if (metadata !== undefined && !isObject(metadata)) return "has metadata that are not an object";
  if (metadata?.tags !== undefined && !Array.isArray(metadata.tags)) return "has tags that are not a list";
  if (cell_type === "code" && outputs !== undefined) {
    if (!Array.isArray(outputs) || !outputs.every(isObject))
      return "has outputs that are not a list of objects";
  }
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Text, whole or in lines. */
export function isText(value: unknown): value is MultilineText {
  return (
    typeof value === "string" || (Array.isArray(value) && value.every((line) => typeof line === "string"))
  );
}

/** The text; anything else that a file holds in its place is none. */
export const textOf = (value: unknown): string => (isText(value) ? joined(value) : "");

function show(value: unknown): string {
  return value === undefined ? "unknown" : (JSON.stringify(value)?.slice(0, 40) ?? "unknown");
}

export function writeNotebook(path: string, notebook: Notebook): void {
  writeAtOnce(path, `${JSON.stringify(notebook, null, 1)}\n`);
}
