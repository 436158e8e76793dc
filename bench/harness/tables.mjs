// Owns: the tables of a run as Markdown: every speed, ratios, what the data is, what was left out.
// Must not know: how anything was measured beyond what the results say.

import { ratioOver, speed } from "./figures.mjs";
import { formatTables } from "./format-tables.mjs";
import { table } from "./markdown.mjs";
import { pipelineTables } from "./pipeline-tables.mjs";
import {
  checkCosts,
  decodeRatios,
  framelabIsas,
  geometricMean,
  LIBRARIES,
  loadRatio,
  meanRatio,
  scaling,
} from "./ratios.mjs";
import { streamTables } from "./stream-tables.mjs";

const times = (value) => (value === null ? "–" : `${value.toFixed(2)} x`);

function median(row) {
  return (row.gbPerS * row.minMs) / row.medianMs;
}

/** Decoded GB/s, best / median, of every contender at one thread count: a table for each dtype. */
function decodeTables(rows, threads, data) {
  const here = rows.filter((row) => row.case.startsWith("decode/") && row.threads === threads);
  const names = [...new Set(here.map((row) => `${row.contender}/${row.isa}`))];
  const dtypes = [...new Set(data.map(({ name }) => name.split("-")[1]))];
  return dtypes.map((dtype) => {
    const sets = data.filter(({ name }) => name.endsWith(`-${dtype}`));
    const cell = (name, set) => {
      const row = here.find((one) => one.case === `decode/${set}` && `${one.contender}/${one.isa}` === name);
      return row ? `${speed(row.gbPerS)} / ${speed(median(row))}` : "–";
    };
    const body = names.map((name) => [name.replace("/", " "), ...sets.map((set) => cell(name, set.name))]);
    return table(["GB/s, best / median", ...sets.map(headOf)], body);
  });
}

/** A data set's name with what its blocks are like: the figures under it hold for such blocks. */
function headOf({ name, streams }) {
  return `${name}<br>${streams.sequences.toFixed(0)} sequences, ${streams.streamBytes.toFixed(0)} B a block`;
}

/** For each of FrameLab's sets: how many times the fastest library compiled for it, in each data set. */
function ratioTable(rows, threads) {
  const isas = framelabIsas(rows).filter((isa) => decodeRatios(rows, isa, { threads }).length > 0);
  const cases = [...new Set(rows.filter((row) => row.case.startsWith("decode/")).map((row) => row.case))];
  const byIsa = new Map(isas.map((isa) => [isa, decodeRatios(rows, isa, { threads })]));
  const body = cases.map((name) => [
    name.replace("decode/", ""),
    ...isas.map((isa) => ratioOver(byIsa.get(isa).find((one) => one.case === name))),
  ]);
  const mean = (title, start) => [title, ...isas.map((isa) => times(meanRatio(byIsa.get(isa), start)))];
  const means = [
    mean("**counts, geometric mean**", "decode/counts"),
    mean("**all, geometric mean**", "decode/"),
  ];
  return table(["FrameLab over the fastest library", ...isas], [...body, ...means]);
}

/** Against each library by itself, counts only. */
function libraryTable(rows) {
  const isas = framelabIsas(rows).filter((isa) => decodeRatios(rows, isa).length > 0);
  const body = LIBRARIES.map((library) => [
    library,
    ...isas.map((isa) =>
      times(meanRatio(decodeRatios(rows, isa, { libraries: [library] }), "decode/counts")),
    ),
  ]);
  return table(["counts, geometric mean over", ...isas], body);
}

/** What the checks of the LZ4 block loop cost: the same code without them, on the same valid data. */
function checksTable(rows) {
  const isas = framelabIsas(rows).filter((isa) => checkCosts(rows, isa).length > 0);
  if (isas.length === 0) return "";
  const byIsa = isas.map((isa) => checkCosts(rows, isa));
  const percent = (cost) => `${cost < 0 ? "" : "+"}${(100 * cost).toFixed(1)} %`;
  const body = byIsa[0].map(({ case: name }) => [
    name.replace("decode/", ""),
    ...byIsa.map((costs) => percent(costs.find((one) => one.case === name)?.cost ?? Number.NaN)),
  ]);
  const mean = byIsa.map((costs) => percent(geometricMean(costs.map(({ cost }) => 1 + cost)) - 1));
  return table(["time that the checks add", ...isas], [...body, ["**geometric mean**", ...mean]]);
}

function dataTable(data) {
  const share = (value) => `${(100 * value).toFixed(0)} %`;
  return table(
    ["data set", "decoded : stored", "sequences a block", "stream bytes a block", "no literals", "offset 2"],
    data.map(({ name, streams }) => [
      name,
      streams.ratio.toFixed(1),
      streams.sequences.toFixed(0),
      streams.streamBytes.toFixed(0),
      share(streams.withoutLiterals),
      share(streams.offsetTwo),
    ]),
  );
}

function loadTable(rows) {
  const loads = rows.filter((row) => row.case.startsWith("load/"));
  const against = (row, output) => {
    if (row.contender === "framelab") return "";
    const { contender, threads, output: theirs } = row;
    return times(loadRatio(rows, row.case, output, { contender, threads, output: theirs }));
  };
  return table(
    ["load", "who", "output", "ms, best / median", "GB/s", "FrameLab fresh is", "FrameLab reused is"],
    loads.map((row) => [
      row.case.replace("load/", ""),
      whoOf(row),
      row.output,
      `${row.minMs.toFixed(0)} / ${row.medianMs.toFixed(0)}`,
      speed(row.gbPerS),
      against(row, "fresh"),
      against(row, "reused"),
    ]),
  );
}

function whoOf({ contender, threads, backend, device }) {
  if (contender === "framelab") return `FrameLab, ${backend} (${device})`;
  return `${contender}, ${threads} ${threads === 1 ? "process" : "processes"}`;
}

/** Where the time of FrameLab's fastest loads went. */
function stagesList(rows) {
  return rows
    .filter((row) => row.stages)
    .map(({ case: name, output, stages }) => {
      const parts = stages.map((stage) => `${stage.name} ${stage.ms.toFixed(1)}`).join(", ");
      return `* ${name.replace("load/", "")}, ${output}: ${parts} ms`;
    })
    .join("\n");
}

/** Everything that a run says, as sections of Markdown. */
export function resultTables(results) {
  const { rows, data, skipped } = results;
  const threads = [
    ...new Set(rows.filter((row) => row.case.startsWith("decode/")).map((row) => row.threads)),
  ];
  const parts = [];
  for (const count of threads) {
    const title = count === 1 ? "one core" : `${count} cores`;
    parts.push(`### Decoding, ${title}`, ...decodeTables(rows, count, data), ratioTable(rows, count));
  }
  if (threads.length > 0) {
    const checks = checksTable(rows);
    if (checks) parts.push("### What the checks cost, one core", checks);
    parts.push("### Decoding, library by library, one core", libraryTable(rows));
    parts.push(scalingLine(rows, threads.at(-1)), "### The data", dataTable(data));
  }
  parts.push(...formatTables(rows, results.formats ?? []));
  if (rows.some((row) => row.case.startsWith("load/"))) {
    parts.push(
      "### Whole warm loads",
      loadTable(rows),
      "Stages of FrameLab's fastest load:",
      stagesList(rows),
    );
  }
  parts.push(...streamTables(rows, table));
  const plans = rows.filter((row) => row.case.startsWith("plan/"));
  if (plans.length > 0) parts.push("### From a path to chunk jobs, nothing decoded", planTable(plans));
  parts.push(...pipelineTables(rows));
  if (skipped.length > 0) {
    parts.push("### Left out", skipped.map(({ what, why }) => `* ${what}: ${why}`).join("\n"));
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

function planTable(plans) {
  return table(
    ["acquisition", "chunks", "data files", "ms, best / median", "stages of the best, ms"],
    plans.map(({ case: name, chunks, files, minMs, medianMs, stages }) => [
      name.replace("plan/", ""),
      chunks.toLocaleString("en"),
      files,
      `${minMs.toFixed(0)} / ${medianMs.toFixed(0)}`,
      stages.map((stage) => `${stage.name} ${stage.ms.toFixed(1)}`).join(", "),
    ]),
  );
}

/** What several cores give over one: the libraries beside FrameLab, since a machine may share its cores' caches. */
function scalingLine(rows, threads) {
  if (threads === 1) return "";
  const decode = rows.filter((row) => row.case.startsWith("decode/counts"));
  const names = [...new Set(decode.map((row) => `${row.contender}/${row.isa}`))];
  const decoders = names
    .map((name) => name.split("/"))
    .filter(([contender]) => contender === "framelab" || LIBRARIES.includes(contender));
  const cells = decoders.map(([contender, isa]) => {
    return `${contender} ${isa} ${times(scaling(rows, isa, threads, contender))}`;
  });
  return cells.length === 0 ? "" : `${threads} cores over one, counts: ${cells.join(", ")}.`;
}

const PARTS = { decode: "decoding", load: "loads", plan: "plans", streams: "streams" };

function roundsText(rounds) {
  const counts = Object.entries(rounds).map(([part, count], i) => {
    return `${count}${i === 0 ? " rounds" : ""} of ${PARTS[part]}`;
  });
  return counts.join(", ");
}

/** Where and with what. */
export function resultFacts({ date, machine, commit, compiler, versions, rounds }) {
  const packages = versions.map(({ name, version }) => `${name} ${version}`).join(", ");
  return [
    `* ${date.slice(0, 10)}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}`,
    `* commit ${commit.slice(0, 12)}${commit.endsWith("+") ? " with changes" : ""}, ${compiler}`,
    `* ${packages}`,
    `* ${roundsText(rounds)}`,
  ].join("\n");
}
