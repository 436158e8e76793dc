// Owns: the tables of what was measured beside warm whole loads, as Markdown.
// Must not know: how anything was measured beyond what the rows say.
import { table } from "./markdown.mjs";

const ms = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));
const both = ({ minMs, medianMs }) => `${ms(minMs)} / ${ms(medianMs)}`;
const starting = (rows, start) => rows.filter((row) => row.case.startsWith(start));

/** Cold loads beside a plain read of the same bytes: how much of its speed a load has. */
function coldPart(rows) {
  const cold = starting(rows, "cold/");
  const read = cold.find((row) => row.contender === "plain read");
  if (!read) return [];
  const body = cold.map((row) => [
    row.case.replace("cold/", ""),
    row === read ? row.contender : `FrameLab, ${row.output} output`,
    both(row),
    row === read ? "" : `${((100 * read.minMs) / row.minMs).toFixed(0)} %`,
  ]);
  const text =
    "Files dropped from the system's cache before each load (a virtual machine's host may still have them).";
  return [
    "### Cold loads",
    text,
    table(["load", "who", "ms, best / median", "of a plain read's speed"], body),
  ];
}

function growthPart(rows) {
  const growth = [...starting(rows, "growth/"), ...starting(rows, "cores/")];
  if (growth.length === 0) return [];
  const body = growth.map((row) => [
    row.case.replace(/^\w+\//, ""),
    row.frames,
    row.threads,
    both(row),
    ((1000 * row.minMs) / row.frames).toFixed(1),
  ]);
  const head = ["load", "frames", "cores", "ms, best / median", "µs a frame"];
  return ["### Growth with frames and cores", "Warm loads into reused output.", table(head, body)];
}

function othersPart(rows) {
  const body = [
    ...starting(rows, "picture/").map((row) => [
      "a notebook's first picture, from the start of its kernel's process, ms",
      both(row),
    ]),
    ...starting(rows, "loop/").flatMap(({ idle, busy }) => [
      ["event-loop delay during a load over idle, mean", `${(busy.meanMs / idle.meanMs).toFixed(2)} x`],
      ["the same, 99th percentile", `${(busy.p99Ms / idle.p99Ms).toFixed(2)} x`],
    ]),
  ];
  return body.length === 0 ? [] : ["### Before and beside decoding", table(["what", "best / median"], body)];
}

/** Sections of Markdown; none where nothing of it was measured. */
export function pipelineTables(rows) {
  return [...coldPart(rows), ...growthPart(rows), ...othersPart(rows)];
}
