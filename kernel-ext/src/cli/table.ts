// Owns: rows of text in columns.
// Must not know: what they say.

/** A cell; `tint` colours it where colour is wanted. */
export interface Cell {
  readonly text: string;
  readonly right?: boolean;
  readonly tint?: "red" | "green" | "yellow";
}

const TINTS = { red: 31, green: 32, yellow: 33 } as const;

/** Control characters in a file's name would move the cursor: they are shown as `?`. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, "?");
}

/** The rows, each column as wide as its widest cell, two spaces apart. */
export function tableText(rows: readonly (readonly Cell[])[], color: boolean): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, { text }] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, text.length);
    }
  }
  return rows.map((row) => rowText(row, widths, color)).join("\n");
}

function rowText(row: readonly Cell[], widths: readonly number[], color: boolean): string {
  const cells = row.map(({ text, right, tint }, column) => {
    const last = column === row.length - 1;
    const padded = right ? text.padStart(widths[column]!) : last ? text : text.padEnd(widths[column]!);
    return color && tint ? `\x1b[${TINTS[tint]}m${padded}\x1b[0m` : padded;
  });
  return cells.join("  ").trimEnd();
}
