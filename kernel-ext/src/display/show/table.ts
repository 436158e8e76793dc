// Owns: small tables of a card, as HTML and as text.
// Must not know: what is in them.
import { escapeHtml } from "../html";

/** A table: its head and rows of plain text. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const CELL = "padding: 2px 12px 2px 0; text-align: left; vertical-align: top; border: none";

/** The table as HTML, with inline styles that win over those of the notebook. */
export function tableHtml({ head, rows }: Table): string {
  const cells = (tag: string, style: string, row: readonly string[]): string =>
    row.map((cell) => `<${tag} style="${CELL}; ${style}">${escapeHtml(cell)}</${tag}>`).join("");
  const top =
    head.length > 0
      ? `<tr>${cells("th", "color: #57606a; font-weight: 600; background: #ffffff", head)}</tr>`
      : "";
  const body = rows.map((row) => `<tr>${cells("td", "background: #ffffff", row)}</tr>`).join("");
  return `<table style="border-collapse: collapse; font-size: 13px; margin: 4px 0; color: #24292f">${top}${body}</table>`;
}

/** The table as aligned text. */
export function tableText({ head, rows }: Table): string {
  const all = head.length > 0 ? [head, ...rows] : rows;
  const widths = all[0]?.map((_, col) => Math.max(...all.map((row) => row[col]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, col) => cell.padEnd(widths[col]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
