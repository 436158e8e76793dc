// Owns: the tables of the formats beside the 15 data sets: other block sizes, elements of 8 bytes, real numbers.
// Must not know: how anything was measured beyond what the results say.
import { ratioOver, speed } from "./figures.mjs";
import { table } from "./markdown.mjs";
import { decodeRatios, framelabIsas, LIBRARIES } from "./ratios.mjs";

/** A data set a row: `formats` are `{ name, blockBytes, streams }`. Empty without rows of that group. */
export function formatTables(rows, formats) {
  const here = rows.filter((row) => row.case.startsWith("formats/"));
  if (here.length === 0) return [];
  const isas = framelabIsas(here);
  // A library's first row is that of this processor's own set.
  const own = LIBRARIES.map((name) => here.find((row) => row.contender === name)).filter(Boolean);
  const shown = [
    ...isas.map((isa) => ({ contender: "framelab", isa })),
    ...own.map(({ contender, isa }) => ({ contender, isa })),
  ];
  const speeds = formats.map(({ name, streams }) => [
    `${name}, ${streams.sequences.toFixed(0)} sequences, ${streams.streamBytes.toFixed(0)} B a block`,
    ...shown.map(({ contender, isa }) => cell(here, name, contender, isa)),
  ]);
  const compared = isas.map((isa) => ({ isa, ratios: decodeRatios(here, isa, { group: "formats" }) }));
  const known = compared.filter(({ ratios }) => ratios.length > 0);
  const body = formats.map(({ name, blockBytes }) => [
    name,
    blockBytes.toLocaleString("en"),
    ...known.map(({ ratios }) => ratioOver(ratios.find((one) => one.case === `formats/${name}`))),
  ]);
  return [
    "### Other block sizes, elements of 8 bytes, real numbers; one core",
    table(["GB/s, best", ...shown.map(({ contender, isa }) => `${contender} ${isa}`)], speeds),
    table(["FrameLab over the fastest library", "bytes a block", ...known.map(({ isa }) => isa)], body),
  ];
}

function cell(rows, name, contender, isa) {
  const row = rows.find(
    (one) => one.case === `formats/${name}` && one.contender === contender && one.isa === isa,
  );
  return row ? speed(row.gbPerS) : "–";
}
