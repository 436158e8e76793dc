// Owns: the difference of two texts as lines with `-` (expected) and `+` (got), short however long the texts are.
// Must not know: what the lines mean.

/** Lines of a difference that are listed, and equal lines around them. */
const LISTED = 40;
const AROUND = 2;
const LONGEST = 200;
/** Pairs of lines that are compared to find the smallest difference; above, all changed lines are given as they stand. */
const MOST_PAIRS = 4_000_000;

interface Edit {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

/** The lines of the difference; empty when the texts are equal. */
export function lineDiff(expected: readonly string[], got: readonly string[]): string[] {
  let start = 0;
  while (start < expected.length && start < got.length && expected[start] === got[start]) start += 1;
  let tail = 0;
  const shorter = Math.min(expected.length, got.length) - start;
  while (tail < shorter && expected.at(-1 - tail) === got.at(-1 - tail)) tail += 1;
  const [a, b] = [expected.slice(start, expected.length - tail), got.slice(start, got.length - tail)];
  if (a.length === 0 && b.length === 0) return [];
  const same = (line: string): Edit => ({ sign: " ", line });
  const edits = [
    ...expected.slice(Math.max(0, start - AROUND), start).map(same),
    ...smallestEdits(a, b),
    ...expected
      .slice(expected.length - tail)
      .slice(0, AROUND)
      .map(same),
  ];
  return listed(withoutLongSame(edits));
}

/** Edits by the longest common subsequence, in a table of numbers. */
function smallestEdits(a: readonly string[], b: readonly string[]): Edit[] {
  const all = (sign: "-" | "+", lines: readonly string[]): Edit[] => lines.map((line) => ({ sign, line }));
  if (a.length * b.length > MOST_PAIRS) return alternating(a, b);
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      edits.push({ sign: " ", line: a[i]! });
      i += 1;
      j += 1;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) {
      edits.push({ sign: "-", line: a[i++]! });
    } else {
      edits.push({ sign: "+", line: b[j++]! });
    }
  }
  return [...edits, ...all("-", a.slice(i)), ...all("+", b.slice(j))];
}

/** For texts too long to compare: line against line at the same place. */
function alternating(a: readonly string[], b: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    if (a[i] === b[i]) continue;
    if (i < a.length) edits.push({ sign: "-", line: a[i]! });
    if (i < b.length) edits.push({ sign: "+", line: b[i]! });
  }
  return edits;
}

/** A line that is too long to list is cut to where it differs from its partner, the line that took its place. */
function shortLines(edits: readonly Edit[]): string[] {
  const lines = edits.map(({ line }) => line);
  for (let i = 0; i < edits.length; ) {
    const removed = runLength(edits, i, "-");
    const added = runLength(edits, i + removed, "+");
    for (let k = 0; k < Math.min(removed, added); k += 1) {
      const [a, b] = [i + k, i + removed + k];
      const from = Math.max(0, firstDifference(lines[a]!, lines[b]!) - LONGEST / 4);
      [lines[a], lines[b]] = [excerpt(lines[a]!, from), excerpt(lines[b]!, from)];
    }
    i += Math.max(1, removed + added);
  }
  return lines.map((line) => excerpt(line, 0));
}

function runLength(edits: readonly Edit[], start: number, sign: Edit["sign"]): number {
  let end = start;
  while (edits[end]?.sign === sign) end += 1;
  return end - start;
}

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i += 1;
  return i;
}

/** The line, or `LONGEST` characters of it from `from` on. */
function excerpt(line: string, from: number): string {
  if (line.length <= LONGEST + 2) return line; // Two more: the marks of an excerpt.
  const start = Math.min(from, line.length - LONGEST);
  const end = start + LONGEST;
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}

/** Equal lines far from any change are one `…`. */
function withoutLongSame(edits: readonly Edit[]): string[] {
  const near = new Uint8Array(edits.length);
  for (const [index, { sign }] of edits.entries()) {
    if (sign !== " ") near.fill(1, Math.max(0, index - AROUND), index + AROUND + 1);
  }
  const lines = shortLines(edits);
  return edits.flatMap(({ sign }, index) => {
    if (near[index] === 1) return [`${sign} ${lines[index]}`.trimEnd()];
    return index > 0 && near[index - 1] === 1 ? ["  …"] : [];
  });
}

function listed(lines: readonly string[]): string[] {
  if (lines.length <= LISTED) return [...lines];
  return [...lines.slice(0, LISTED), `… and ${lines.length - LISTED} more lines`];
}
