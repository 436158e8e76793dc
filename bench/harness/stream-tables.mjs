// Owns: the tables of the streams bench as Markdown: speeds of each work beside others, and memory over frames.
// Must not know: how anything was measured beyond what the rows say.
import { speed } from "./figures.mjs";

/** Sections for the rows of `streams/…`; none without any. `table(head, rows)` makes a table. */
export function streamTables(rows, table) {
  const own = rows.filter((row) => row.case.startsWith("streams/"));
  if (own.length === 0) return [];
  const memory = own.filter((row) => row.peakMb !== undefined);
  const parts = [
    "### Streams, reductions, encoded frames",
    speedTable(
      own.filter((row) => !row.peakMb),
      table,
    ),
  ];
  if (memory.length > 0) parts.push("Most memory of a process, MB:", memoryTable(memory, table));
  return parts;
}

function speedTable(rows, table) {
  const read = rows.find(({ work }) => work === "read");
  const against = (row, other) => (other ? `${(row.gbPerS / other.gbPerS).toFixed(2)} x` : "–");
  return table(
    ["work", "who", "ms, best / median", "GB/s decoded", "of a plain read", "FrameLab is"],
    rows.map((row) => {
      const ours = rows.find(({ contender, work }) => contender === "framelab" && work === row.work);
      return [
        `${row.work} ${row.case.replace("streams/", "")}`,
        row.contender === "framelab" ? `FrameLab, ${row.threads} threads` : `${row.contender}, one process`,
        `${row.minMs.toFixed(0)} / ${row.medianMs.toFixed(0)}`,
        speed(row.gbPerS),
        row === read ? "" : against(row, read),
        ours && ours !== row ? against(ours, row) : "",
      ];
    }),
  );
}

function memoryTable(rows, table) {
  const counts = [...new Set(rows.map(({ frames }) => frames))];
  const works = [...new Set(rows.map(({ work }) => work))];
  return table(
    ["work", ...counts.map((frames) => `${frames.toLocaleString("en")} frames`)],
    works.map((work) => [
      work,
      ...counts.map((frames) => {
        const row = rows.find((one) => one.work === work && one.frames === frames);
        return row ? row.peakMb.toFixed(0) : "–";
      }),
    ]),
  );
}
