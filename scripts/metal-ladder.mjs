// Owns: the ladder: what is known of the Metal path without a Mac, a line a rung, passed or skipped with the reason.
// Must not know: how a rung works.
//
// node scripts/metal-ladder.mjs [--verbose] [--fuzz=BLOCKS, 240,000 if not said] [--only=TEXT of a name].
import { execFileSync } from "node:child_process";
import { CLANG, checkMetal } from "./metal-check.mjs";
import { checkMistakes } from "./metal-check-mistakes.mjs";
import { runHost } from "./metal-host.mjs";
import { checkMachO, LINKER, OTOOL } from "./metal-macho.mjs";
import { buildHarnesses, PLANTED_BUGS, runFuzz, runPlantedBugs, runSuites } from "./metal-run-lanes.mjs";
import { metalSource } from "./metal-source.mjs";

const verbose = process.argv.includes("--verbose");
const fuzzBlocks = Number(process.argv.find((a) => a.startsWith("--fuzz="))?.slice(7) ?? 240_000);
if (!(Number.isInteger(fuzzBlocks) && fuzzBlocks > 0)) {
  console.error("--fuzz=BLOCKS takes a number of blocks");
  process.exit(2);
}
const log = verbose ? (line) => console.log(`    ${line}`) : () => {};

function has(program) {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const needsClang = () =>
  has(CLANG) ? null : { reason: `${CLANG} is not installed (see CONTRIBUTING.md)`, forced: false };

let harnesses;
const lanes = async () => {
  harnesses ??= await buildHarnesses();
  return harnesses;
};

/** `skip` gives `{ reason, forced }` or null; `run` gives `{ failures, says, more }`, `more` being lines to print below. */
const RUNGS = [
  {
    name: "1 type check",
    skip: needsClang,
    run: () => {
      const complaints = checkMetal(metalSource());
      const { planted, failures } = checkMistakes();
      const wrong = failures.map(({ name, wrong }) => `planted mistake '${name}': ${wrong}`);
      return {
        failures: [...complaints, ...wrong],
        says: `${planted - failures.length} of ${planted} planted mistakes refused`,
      };
    },
  },
  {
    name: "2 lanes on the CPU",
    skip: needsClang,
    run: async () => ({
      failures: await runSuites(await lanes(), log),
      says: "plain, address and undefined, memory, thread in three fence modes",
    }),
  },
  {
    name: "2 planted kernel bugs",
    skip: needsClang,
    run: async () => {
      const failures = await runPlantedBugs(await lanes(), log);
      return { failures, says: `${PLANTED_BUGS - failures.length} of ${PLANTED_BUGS} caught` };
    },
  },
  {
    name: "2 fuzz",
    skip: needsClang,
    run: async () => {
      const { failures, counts } = await runFuzz(fuzzBlocks, 11);
      return { failures, says: `${fuzzBlocks} blocks on every path`, more: counts };
    },
  },
  {
    name: "3 host over a stand-in device",
    skip: () =>
      process.arch === "x64" && process.platform === "linux"
        ? needsClang()
        : {
            reason: `the stand-in's message sends are for linux-x64, not ${process.platform}-${process.arch}`,
            forced: true,
          },
    run: async () => ({
      failures: await runHost(),
      says: "opening, buffers, commands, self-test, every fault",
    }),
  },
  {
    name: "4 addon as Mach-O",
    skip: () => {
      if (process.arch !== "x64" || process.platform !== "linux")
        return { reason: "its headers come in a package for linux-x64", forced: true };
      const missing = [CLANG, LINKER, OTOOL].find((program) => !has(program));
      return missing ? { reason: `${missing} is not installed (see CONTRIBUTING.md)`, forced: false } : null;
    },
    run: async () => ({
      failures: await checkMachO(),
      says: "compiled and linked for arm64 and x64, nothing but Node-API left open, a planted call refused; the bench compiled",
    }),
  },
  {
    name: "5 NVIDIA GPU",
    skip: () =>
      has("nvcc") && has("nvidia-smi")
        ? null
        : {
            reason: "no nvcc and NVIDIA GPU here: bench/kernels/run.sh runs it where there are",
            forced: true,
          },
    run: () => {
      execFileSync("bench/kernels/run.sh", { stdio: verbose ? "inherit" : "ignore" });
      return { failures: [], says: "suite, fuzz, rotation" };
    },
  },
];

const only = process.argv.find((a) => a.startsWith("--only="))?.slice(7) ?? "";
const rungs = RUNGS.filter(({ name }) => name.includes(only));
let failed = rungs.length === 0;
if (failed) console.log(`no rung's name has "${only}": ${RUNGS.map(({ name }) => name).join(", ")}`);
for (const rung of rungs) {
  const started = Date.now();
  const skip = rung.skip();
  if (skip) {
    const bad = !skip.forced && Boolean(process.env.CI);
    failed ||= bad;
    console.log(`${bad ? "FAILED " : "skipped"} ${rung.name}: ${skip.reason}`);
    continue;
  }
  const { failures, says, more = [] } = await rung.run();
  const minutes = ((Date.now() - started) / 60_000).toFixed(1);
  failed ||= failures.length > 0;
  console.log(`${failures.length > 0 ? "FAILED " : "passed "} ${rung.name}: ${says} (${minutes} min)`);
  for (const line of [...more, ...failures]) console.log(`    ${line}`);
}
process.exitCode = failed ? 1 : 0;
