// Owns: rung 2: the suite on the CPU, plain and under the sanitizers, and the kernel bugs that it must catch.
// Must not know: the other rungs.
import { execFile } from "node:child_process";
import { BUGS } from "../test/metal/simt/planted-bugs.mjs";
import { buildHarness, buildLanes } from "./metal-lanes.mjs";
import { metalSource } from "./metal-source.mjs";

/**
 * How each kind of build is run: lane orders differ by seed. ThreadSanitizer's three fence modes let barriers order
 * device memory alone, threadgroup memory alone, or both; its dispatches hold 7 blocks, for it has 255 fibers.
 */
const RUNS = {
  plain: [
    ["--seed=1", "--order=0", "--far=1", "--fuzz=900"],
    ["--seed=2", "--blocks=5", "--fuzz=900", "--small=1"],
  ],
  address: [["--seed=3", "--small=1", "--far=1", "--fuzz=300"]],
  memory: [["--seed=4", "--small=1", "--fuzz=150"]],
  thread: [3, 1, 2].map((fence) => [
    `--seed=${4 + fence}`,
    "--small=1",
    "--fuzz=45",
    "--blocks=7",
    `--fence=${fence}`,
  ]),
};

const ENVIRONMENT = {
  ...process.env,
  TSAN_OPTIONS: "halt_on_error=1",
  ASAN_OPTIONS: "detect_leaks=0",
  MSAN_OPTIONS: "",
};

/** Runs a program; `{ ok, output }`, where output holds what a person needs to see of a failure. */
function execute(program, args, timeout = 900_000) {
  return new Promise((resolve) => {
    execFile(program, args, { env: ENVIRONMENT, timeout, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: `${stdout}${stderr}` }),
    );
  });
}

const TELLING =
  /ERROR: AddressSanitizer[^\n]*|WARNING: (?:Thread|Memory)Sanitizer[^\n]*|runtime error:[^\n]*|lanes: [^\n]*|FAILED [^\n]*/;

/** Builds and runs the shipped text in one kind. `{ ok, says }`. */
async function runKind(kind, harness, text, name) {
  const program = await buildLanes(kind, text, harness, name);
  for (const args of RUNS[kind]) {
    const { ok, output } = await execute(program, args);
    if (!ok) return { ok, says: TELLING.exec(output)?.[0] ?? output.slice(-400) };
  }
  return { ok: true, says: "" };
}

/** Harness objects of every kind of build. */
export async function buildHarnesses() {
  const harnesses = {};
  for (const kind of Object.keys(RUNS)) harnesses[kind] = await buildHarness(kind);
  return harnesses;
}

/** The suite in every kind of build. Returns failures in words. */
export async function runSuites(harnesses, log = () => {}) {
  const failures = [];
  for (const kind of Object.keys(RUNS)) {
    const { ok, says } = await runKind(kind, harnesses[kind], metalSource(), "run");
    log(`${kind}: ${ok ? "clean" : says}`);
    if (!ok) failures.push(`${kind}: ${says}`);
  }
  return failures;
}

/** Each planted bug in the build that must catch it, and no other. Returns failures in words. */
export async function runPlantedBugs(harnesses, log = () => {}) {
  const failures = [];
  const text = metalSource();
  for (const { name, from, to, run } of BUGS) {
    if (text.split(from).length !== 2) {
      failures.push(`planted bug '${name}': its place is not in the text exactly once`);
      continue;
    }
    const { ok, says } = await runKind(
      run,
      harnesses[run],
      text.replace(from, () => to),
      "planted",
    );
    log(`${name}: ${ok ? "NOT CAUGHT" : `caught (${run}): ${says.slice(0, 90)}`}`);
    if (ok) failures.push(`planted bug '${name}' is not caught by ${run}`);
  }
  return failures;
}

export const PLANTED_BUGS = BUGS.length;

/** Fewer blocks than this need not meet every bound in every layout. */
const ENOUGH_FOR_ALL = 12_000;
const VERDICTS = ["good", ...Array.from({ length: 9 }, (_, i) => `bound ${i + 1}`)];

/** Sums of the fuzz's lines `fuzz verdicts LAYOUT n0 … n9`, as `{ layout: [n0 … n9] }`. */
export function fuzzCounts(output) {
  const sums = {};
  for (const [, layout, numbers] of output.matchAll(/^fuzz verdicts (\S+)((?: \d+){10})$/gm)) {
    sums[layout] ??= VERDICTS.map(() => 0);
    for (const [i, count] of numbers.trim().split(" ").entries()) sums[layout][i] += Number(count);
  }
  return sums;
}

/** What the counts lack, in words: a bound that no block of a layout broke was not tested there. */
export function unmetBounds(sums) {
  if (Object.keys(sums).length === 0) return ["the fuzz printed no counts"];
  return Object.entries(sums).flatMap(([layout, counts]) =>
    counts.flatMap((count, i) => (count === 0 ? [`${layout}: no block for '${VERDICTS[i]}'`] : [])),
  );
}

/**
 * The long fuzz at -O2: `blocks` random blocks, each decoded on every path. `{ failures, counts }`: `counts` are lines of
 * a table, a layout each.
 */
export async function runFuzz(blocks, seed) {
  const program = await buildLanes("plain", metalSource(), await buildHarness("plain"), "fuzz");
  const args = ["--fuzz-only=1", `--fuzz=${blocks}`, `--seed=${seed}`];
  const { ok, output } = await execute(program, args, 3_000_000);
  const sums = fuzzCounts(output);
  const failures = ok ? [] : output.split("\n").filter((line) => TELLING.test(line));
  if (!ok && failures.length === 0) failures.push(output.slice(-600));
  if (ok && blocks >= ENOUGH_FOR_ALL) failures.push(...unmetBounds(sums));
  const row = (name, cells) => `${name.padEnd(12)}${cells.map((cell) => String(cell).padStart(9)).join("")}`;
  const counts = [
    row("layout", VERDICTS),
    ...Object.entries(sums).map(([layout, numbers]) => row(layout, numbers)),
  ];
  return { failures, counts };
}
