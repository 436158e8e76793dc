// Owns: tables as Markdown.
// Must not know: what they hold.

/** The first column is text, the others are numbers. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, i) => (i === 0 ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
