// Owns: a results file: where and with what a run was made, its rows, its name.
// Must not know: how rows are measured or shown.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, availableParallelism, cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/run-step.mjs";
import { buildFolder } from "./folders.mjs";

const require = createRequire(import.meta.url);

/** Recorded results, of this bench and of others. */
export const RESULTS = join(root, "bench", "results");

/** The processor's name; with its family and model on Linux, where a virtual machine's name says little. */
function processor() {
  const name = cpus()[0]?.model.trim() ?? "unknown";
  if (platform() !== "linux" || arch() !== "x64") return name;
  const facts = readFileSync("/proc/cpuinfo", "utf8");
  const [, family] = /^cpu family\s*: (\d+)$/m.exec(facts) ?? [];
  const [, model] = /^model\s*: (\d+)$/m.exec(facts) ?? [];
  return family && model ? `${name} family ${family} model ${model}` : name;
}

export function machine() {
  return {
    cpu: processor(),
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${platform()} ${arch()} ${release()}`,
  };
}

/** The commit that was measured, `+` behind it when files differed from it. */
export function commit() {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  try {
    return git("rev-parse", "HEAD") + (git("status", "--porcelain", "--untracked-files=no") ? "+" : "");
  } catch {
    return "unknown";
  }
}

/** Versions of the npm packages that take part. */
export function npmVersions() {
  const versions = ["h5wasm", "h5wasm-plugins"].map((name) => {
    const { version } = require(join(root, "node_modules", name, "package.json"));
    return { name, version };
  });
  return [{ name: "node", version: process.versions.node }, ...versions];
}

/** Name of a results file: date and machine, and what it holds where that is the plan alone. */
export function resultsName(results) {
  const slug = `${results.machine.cpu} ${results.machine.cores} cores`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  const isPlan = results.rows.every((row) => row.case.startsWith("plan/"));
  return `${results.date.slice(0, 10)}-${slug}${isPlan ? "-plan" : ""}.json`;
}

/** Writes results under build/bench, and under bench/results when they are recorded. Gives the last path. */
export function writeResults(results, record) {
  const folder = record ? RESULTS : buildFolder("results");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, resultsName(results));
  writeFileSync(path, `${formatResults(results)}\n`);
  return path;
}

/** JSON with one line a row, so that a difference of two files can be read. */
function formatResults(results) {
  const rounded = results.rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [key, roundNumber(value)])),
  );
  const { rows, ...facts } = results;
  const head = JSON.stringify(facts, null, 2).slice(0, -2);
  return `${head},\n  "rows": [\n${rounded.map((row) => `    ${JSON.stringify(row)}`).join(",\n")}\n  ]\n}`;
}

function roundNumber(value) {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}
