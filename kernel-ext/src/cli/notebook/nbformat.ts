// Owns: the notebook file format (nbformat 4): its types, reading it with checks, writing it, stripping outputs.
// Must not know: how cells run.
import { readFileSync, writeFileSync } from "node:fs";

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

/** A multi-line text as one string. */
export function joined(text: MultilineText): string {
  return typeof text === "string" ? text : text.join("");
}

/** Reads a notebook. Throws an Error with the path when it is not JSON or not nbformat 4. */
export function readNotebook(path: string): Notebook {
  let value: Notebook;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(`${path} is not a readable notebook: ${(cause as Error).message}`, { cause });
  }
  if (value?.nbformat !== 4 || !Array.isArray(value.cells)) {
    throw new Error(`${path} is not a notebook of format 4, but of format ${value?.nbformat ?? "unknown"}.`);
  }
  return value;
}

export function writeNotebook(path: string, notebook: Notebook): void {
  writeFileSync(path, `${JSON.stringify(notebook, null, 1)}\n`);
}
