// Owns: `npm run bench`: what is run, and where its results go.
// Must not know: how contenders are made or timed.
//
//   npm run bench                        decode, load, plan and streams, into build/bench/results
//   npm run bench -- --record            the same, into bench/results, and docs/benchmarks.md made from it
//   npm run bench -- --guard             short form: ratios against floors, exit 1 when one is missed
//   npm run bench -- decode --sets counts,zeros-u16 --rounds 5
//   npm run bench -- decode --sets formats       other block sizes, elements of 8 bytes, real numbers
//   npm run bench -- plan                the plan of 262,144 chunks in 27 files alone; with --record into a file of its own
//   npm run bench -- streams             stream, verify, reduce, encoded reads, and memory over 10^3 to 10^5 frames
//   npm run bench -- load --large        also 1.2 GB in 27 files (a recorded run has it anyway)
//   npm run bench -- pipeline            cold loads, growth, event loop, first picture (a recorded run too)
//   npm run bench -- --backend metal     the kernels' forms in rotation on a Mac's GPU; simulated on linux-x64
//   npm run bench -- --backend metal --forms base,shipped
//   npm run bench -- host --backend metal        CPU time of the Metal host a block; simulated on linux-x64
//   npm run bench -- docs                docs/benchmarks.md again, from the recorded results
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { compilerVersion } from "../bench/contenders/decoders.mjs";
import { runDecode } from "../bench/harness/decode.mjs";
import { writeDocs } from "../bench/harness/docs.mjs";
import { guard } from "../bench/harness/guard.mjs";
import { runLoad } from "../bench/harness/load.mjs";
import { benchMetal } from "../bench/harness/metal.mjs";
import { benchMetalHost } from "../bench/harness/metal-host.mjs";
import { runPipeline } from "../bench/harness/pipeline.mjs";
import { runPlan } from "../bench/harness/plan.mjs";
import {
  prepareDecoders,
  prepareLoad,
  prepareLoaders,
  prepareSets,
  prepareTools,
  setsNamed,
} from "../bench/harness/prepare.mjs";
import { LIBRARIES } from "../bench/harness/ratios.mjs";
import { commit, machine, npmVersions, writeResults } from "../bench/harness/results.mjs";
import { runStreams } from "../bench/harness/streams.mjs";
import { resultFacts, resultTables } from "../bench/harness/tables.mjs";
import { build } from "./build.mjs";
import { ensurePackages } from "./ensure-packages.mjs";

const ROUNDS = { decode: 15, load: 11, plan: 11, streams: 7 };
/** A load of 1.2 GB takes h5wasm several seconds. */
const LARGE_ROUNDS = 5;

function usage(problem) {
  console.error(`${problem}\n`);
  const lines = readFileSync(new URL(import.meta.url), "utf8").split("\n");
  for (const line of lines.filter((text) => text.startsWith("//   "))) console.error(line.slice(2));
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        record: { type: "boolean", default: false },
        guard: { type: "boolean", default: false },
        large: { type: "boolean", default: false },
        rounds: { type: "string" },
        sets: { type: "string" },
        backend: { type: "string" },
        forms: { type: "string" },
      },
    });
  } catch (error) {
    return usage(error.message);
  }
}

const { values, positionals } = readArguments();

/** Options checked: `{ parts, sets, rounds }`. */
function choose() {
  const usual = ["decode", "load", "plan", "streams"];
  const parts = positionals.length > 0 ? positionals : values.record ? [...usual, "pipeline"] : usual;
  const unknown = parts.find((part) => ![...usual, "pipeline", "docs"].includes(part));
  if (unknown) usage(`There is no part "${unknown}".`);
  const sets = values.sets?.split(",") ?? ["decode", "formats"];
  const stray = sets.find((name) => setsNamed(name).length === 0);
  if (stray) usage(`No data set starts with "${stray}".`);
  const rounds = values.rounds === undefined ? null : Number(values.rounds);
  if (rounds !== null && !(Number.isInteger(rounds) && rounds > 0)) usage(`--rounds ${values.rounds}?`);
  const isWhole = positionals.length === 0 || parts.join() === "plan";
  if (values.record && (!isWhole || values.sets || values.rounds)) {
    usage("A recorded run is a whole one, or that of the plan.");
  }
  const planned = Object.entries(ROUNDS).filter(([part]) => parts.includes(part));
  return {
    parts,
    sets,
    rounds: Object.fromEntries(planned.map(([part, count]) => [part, rounds ?? count])),
  };
}

/** Decoding the 15 data sets on one core and on all; other formats on one core, without what is no decoder. */
function benchDecode(tools, { sets, rounds }) {
  const prepared = prepareSets(tools, sets);
  const { contenders, skipped } = prepareDecoders(tools);
  const cores = availableParallelism();
  const run = (group, threads, who) => {
    const here = prepared.filter((set) => set.group === group);
    if (here.length === 0) return { rows: [], absent: [] };
    console.log(`Decoding ${here.length} data sets, ${rounds.decode} rounds`);
    return runDecode(tools.program, { rounds: rounds.decode, threads, sets: here, contenders: who });
  };
  const decoders = contenders.filter(({ contender }) => ["framelab", ...LIBRARIES].includes(contender));
  const runs = [run("decode", cores > 1 ? [1, cores] : [1], contenders), run("formats", [1], decoders)];
  const absent = [...new Set(runs.flatMap((one) => one.absent))];
  const dataOf = (group) => prepared.filter((set) => set.group === group);
  return {
    rows: runs.flatMap((one) => one.rows),
    data: dataOf("decode").map(({ name, streams }) => ({ name, streams })),
    formats: dataOf("formats").map(({ name, blockBytes, streams }) => ({ name, blockBytes, streams })),
    skipped: [...skipped, ...absent.map((name) => ({ what: name, why: "this machine does not run it" }))],
  };
}

async function benchLoad(tools, { rounds }, large) {
  const { loaders, versions, skipped } = prepareLoaders(availableParallelism());
  const rows = [];
  const sizes = large ? ["small", "large"] : ["small"];
  for (const size of sizes) {
    const acquisition = prepareLoad(tools, size);
    console.log(`Loading ${acquisition.name}`);
    const count = size === "large" ? Math.min(rounds.load, LARGE_ROUNDS) : rounds.load;
    const run = await runLoad(acquisition, loaders, count);
    rows.push(...run.rows);
    skipped.push(...run.skipped);
  }
  return { rows, versions, skipped };
}

function benchStreams(tools, { rounds }) {
  const acquisition = prepareLoad(tools, "small");
  console.log(`Streaming ${acquisition.name}`);
  return runStreams(acquisition, rounds.streams);
}

/** The Metal kernels' bench has options of its own. */
async function mainMetal() {
  if (values.backend !== "metal") usage(`--backend ${values.backend}? Only metal has a bench of its own.`);
  const launches = values.rounds === undefined ? null : Number(values.rounds);
  if (launches !== null && !(Number.isInteger(launches) && launches > 0)) usage(`--rounds ${values.rounds}?`);
  if (positionals.length > 0) {
    if (positionals.join() !== "host") usage(`--backend metal has no part "${positionals.join(" ")}".`);
    if (values.forms !== undefined) usage("host runs the shipped form alone: it takes no --forms.");
    process.exitCode = await benchMetalHost({ rounds: launches, record: values.record });
    return;
  }
  const forms = values.forms?.split(",");
  process.exitCode = await benchMetal({ forms, launches, record: values.record });
}

async function main() {
  if (values.backend !== undefined) return mainMetal();
  const choice = choose();
  if (choice.parts.includes("docs")) {
    console.log(writeDocs());
    return;
  }
  ensurePackages();
  await build();
  if (values.guard) {
    process.exitCode = (await guard()) > 0 ? 1 : 0;
    return;
  }
  const tools = choice.parts.join() === "plan" ? { sources: [] } : prepareTools();
  const nothing = { rows: [], data: [], formats: [], versions: [], skipped: [] };
  const decode = choice.parts.includes("decode") ? benchDecode(tools, choice) : nothing;
  const large = values.large || values.record;
  const load = choice.parts.includes("load") ? await benchLoad(tools, choice, large) : nothing;
  const plan = choice.parts.includes("plan") ? [await runPlan(choice.rounds.plan)] : [];
  const streams = choice.parts.includes("streams") ? await benchStreams(tools, choice) : nothing;
  const pipeline = choice.parts.includes("pipeline")
    ? await runPipeline(prepareLoad(tools, "large"), () => prepareLoad(tools, "long"))
    : nothing;
  const sources = tools.sources.map(({ name, version, sha256 }) => ({ name, version, sha256 }));
  const results = {
    ...{ date: new Date().toISOString(), machine: machine(), commit: commit(), compiler: compilerVersion() },
    versions: [...sources, ...npmVersions(), ...(load === nothing ? streams : load).versions],
    rounds: choice.rounds,
    skipped: [...decode.skipped, ...load.skipped, ...streams.skipped, ...pipeline.skipped],
    data: decode.data,
    formats: decode.formats,
    rows: [...decode.rows, ...load.rows, ...plan, ...streams.rows, ...pipeline.rows],
  };
  const path = writeResults(results, values.record);
  console.log(`${resultFacts(results)}\n\n${resultTables(results)}\n\n${path}`);
  if (values.record) console.log(writeDocs());
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
