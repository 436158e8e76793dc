// Owns: a code cell's outputs as what is compared: lines of text, pictures by their pixels, named values.
// Must not know: whether they come from a run or from a file; expectations.
import { createHash } from "node:crypto";
import { PNG } from "pngjs";
import { CHECK_MIME, type CheckedValue } from "../../recorded-value";
import { isText, joined, type Output, textOf } from "../notebook/nbformat";
import { type Mask, maskedLines } from "./masks";

/** A value that `check` named. */
export type NamedValue = Omit<CheckedValue, "name">;

/** What is compared of one cell. */
export interface Observed {
  /** Lines in the order of the outputs; those of stderr begin with `stderr| `, a picture is one line in brackets. */
  readonly text: readonly string[];
  readonly values: Readonly<Record<string, NamedValue>>;
}

/** The same, with what only one side has to say. */
export interface SeenCell extends Observed {
  /** Names that stand for more than one value. */
  readonly repeated: readonly string[];
  readonly pictures: number;
  /** Forms of displays that are not compared, one entry a display: `text/html`. */
  readonly leftOut: readonly string[];
}

/** Pictures above are not decoded: a few bytes of PNG can ask for gigabytes. */
const MOST_PIXELS = 64_000_000;
/** Lines of one cell that are kept; those behind them are compared by a digest. */
const MOST_LINES = 100_000;
/** Forms that a person reads as text, the first one that is there counts. */
const TEXT_FORMS = ["text/plain", "text/markdown", "text/latex"];

/** Reads a cell's outputs. Whatever a file holds in them, this does not throw. */
export function seenCell(outputs: readonly Output[], masks: readonly Mask[]): SeenCell {
  const text: string[] = [];
  // Not by push(...lines): a flood of lines is more than a call takes as arguments.
  const add = (line: string): void => void text.push(line);
  const values = new Map<string, NamedValue>();
  const repeated: string[] = [];
  const leftOut: string[] = [];
  let pictures = 0;
  for (const output of mergedStreams(outputs)) {
    if ("text" in output) {
      const start = output.name === "stderr" ? "stderr| " : "";
      for (const line of maskedLines(output.text, masks)) add(`${start}${line}`.trimEnd());
      continue;
    }
    const named = checkedValue(output.data[CHECK_MIME]);
    if (named !== null) {
      const { name, ...value } = named;
      if (values.has(name)) repeated.push(name);
      values.set(name, value);
      continue;
    }
    const { lines, picture, others } = bundle(output.data, masks);
    lines.forEach(add);
    if (picture) pictures += 1;
    for (const form of others) leftOut.push(form);
  }
  return { text: shortText(text), values: Object.fromEntries(values), repeated, pictures, leftOut };
}

/** The first lines, and one line for the others. */
function shortText(text: readonly string[]): readonly string[] {
  const more = text.length - MOST_LINES;
  if (more <= 0) return text;
  const rest = digest(Buffer.from(text.slice(MOST_LINES).join("\n")));
  return [...text.slice(0, MOST_LINES), `[${more} more lines, sha256 ${rest}]`];
}

type Plain = { readonly name: string; text: string } | { readonly data: Readonly<Record<string, unknown>> };

/** Outputs with neighbouring texts of one stream as one: front ends cut streams at any place. */
function mergedStreams(outputs: readonly Output[]): Plain[] {
  const plain: Plain[] = [];
  for (const output of outputs as readonly (Record<string, unknown> & Partial<Output>)[]) {
    const stream = streamText(output);
    const last = plain.at(-1);
    if (stream === null) {
      if (typeof output.data === "object" && output.data !== null)
        plain.push({ data: output.data as Record<string, unknown> });
    } else if (last && "text" in last && last.name === stream.name) {
      last.text = `${last.text}${stream.text}`;
    } else {
      plain.push(stream);
    }
  }
  return plain;
}

/** A stream's name and text; an error that a front end has stored counts as text on stderr. */
function streamText(output: Record<string, unknown>): { readonly name: string; text: string } | null {
  if (output.output_type === "error") {
    return { name: "stderr", text: `${textOf(output.ename)}: ${textOf(output.evalue)}\n` };
  }
  if (output.output_type !== "stream") return null;
  return { name: textOf(output.name), text: textOf(output.text) };
}

function checkedValue(trace: unknown): CheckedValue | null {
  const { name, value } = (trace ?? {}) as Partial<CheckedValue>;
  return typeof name === "string" && value !== undefined ? (trace as CheckedValue) : null;
}

function bundle(
  data: Readonly<Record<string, unknown>>,
  masks: readonly Mask[],
): { lines: string[]; picture: boolean; others: string[] } {
  const form = TEXT_FORMS.find((name) => isText(data[name]));
  const lines = form === undefined ? [] : maskedLines(joined(data[form] as string), masks);
  const png = data["image/png"];
  const picture = isText(png);
  if (picture) lines.push(pictureLine(joined(png)));
  const others = Object.keys(data).filter((name) => !TEXT_FORMS.includes(name) && name !== "image/png");
  // A display of which nothing can be compared leaves a mark: that it is there is compared.
  if (form === undefined && !picture)
    lines.push(`[${others.map((name) => name.slice(0, 80)).join(", ")}: not compared]`);
  return { lines, picture, others };
}

/** A picture by its size and the SHA-256 of its pixels (8 bit RGBA): other bytes of the same picture are the same. */
function pictureLine(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  try {
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    if (width * height > MOST_PIXELS) throw new RangeError("too large");
    const image = PNG.sync.read(bytes);
    return `[picture ${width} x ${height}, pixels ${digest(image.data)}]`;
  } catch {
    return `[picture that cannot be decoded, bytes ${digest(bytes)}]`;
  }
}

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 32);
