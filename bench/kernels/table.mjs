// Owns: docs/metal-kernels.md, made from the recorded runs of the Metal text on NVIDIA GPUs, and on Macs where there are any.
// Must not know: how anything was measured beyond what the results say.
//
// node bench/kernels/table.mjs
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { metalTables } from "../harness/metal.mjs";

const own = fileURLToPath(import.meta.url);
const root = dirname(dirname(dirname(own)));
const RESULTS = join(root, "bench", "results");
const PAGE = join(root, "docs", "metal-kernels.md");

const percent = (value) => (value === null ? "" : `${value > 0 ? "+" : ""}${value.toFixed(1)} %`);

function caseTable(run, facts) {
  const rows = run.rows.filter((row) => row.case === facts.case);
  const lines = rows.map(
    ({ kernel, form, minMs, medianMs, gbPerS, vsBasePct }) =>
      `| ${kernel} | ${form} | ${minMs.toFixed(3)} | ${medianMs.toFixed(3)} | ${gbPerS.toFixed(0)} | ${percent(vsBasePct)} |`,
  );
  return `### ${facts.case}, ${facts.frames} frames

${facts.sequencesPerBlock} sequences and ${facts.streamBytesPerBlock} stream bytes a block, ${(facts.withoutLiterals * 100).toFixed(0)} % of the sequences without literals, ${(facts.offset2 * 100).toFixed(0)} % of offset 2.

| kernel | form | min ms | median ms | GB/s decoded | against base |
|---|---|---|---|---|---|
${lines.join("\n")}`;
}

function damageTable(facts) {
  const lines = Object.entries(facts).map(
    ([path, n]) =>
      `| ${path} | ${n.cases} | ${n.stoppedByTheGpu} | ${n.finished} | ${n.bytesChangedOutsideWhereFinished} | ${n.notRun} |`,
  );
  return `| path | cases | stopped by the GPU (invalid access, or a trap) | finished | output bytes changed outside the block | not run |
|---|---|---|---|---|---|
${lines.join("\n")}`;
}

function nvidiaSection(run) {
  return `## ${run.date}: ${run.machine}

Commit ${run.commit}, \`${run.command}\`, ${run.launches} launches of every form in one rotation, every output compared. ${run.checks.suite}; compute-sanitizer memcheck: ${run.checks.memcheck}, racecheck: ${run.checks.racecheck}.

${run.cases.map((facts) => caseTable(run, facts)).join("\n\n")}

### What the unbounded base form does on the 32 damage cases

${damageTable(run.baseFormOnTheDamageCases)}`;
}

function macSection(run) {
  if (run.simulated !== false) throw new Error(`the run of ${run.date} is not one of a Mac's own GPU`);
  const { cpu, memoryGb, system } = run.machine;
  return `## ${run.date.slice(0, 10)}: ${run.device}

${cpu}, ${memoryGb} GB, ${system}; commit ${run.commit.slice(0, 12)}, \`npm run bench -- --backend metal --record\`.

${metalTables(run)}`;
}

const ON_NVIDIA = `The kernels' text was turned into CUDA and run there.`;

const NO_MAC = `${ON_NVIDIA} **Nothing of it has run on an Apple GPU or through Apple's
compiler.** What these figures can carry over is that the results are exact, that every bound holds, and what the bounds
cost relative to the same text without them *on this kind of GPU*.`;

const WITH_MAC = `The runs on Macs are the shipped text in Apple's compiler. For those on NVIDIA GPUs the text was turned into CUDA: they
say that the results are exact, that every bound holds, and what the bounds cost relative to the same text without them
*on that kind of GPU*.`;

/** The page of recorded runs: those of \`bench/kernels/run.sh\`, and those of Macs (\`npm run bench -- --backend metal\`). */
export function kernelPage(nvidia, macs) {
  const sections = [...macs.map(macSection), ...nvidia.map(nvidiaSection)];
  return `# The Metal kernels, measured${macs.length === 0 ? " on an NVIDIA GPU" : ""}

Made by \`node bench/kernels/table.mjs\` from \`bench/results\`; not edited by hand.

${macs.length === 0 ? NO_MAC : WITH_MAC} An Apple GPU differs: a shuffle by a run-time lane is
dearer there, which may cost the windowed parse its lead; the order of the forms may differ too (quantem.gpu's
development note "Metal LZ4 bounds", 2026-10-11, reports for its own kernel on an M5 Max +21.8 % for early return and
+3.2 % for the clamped form; not measured by us).

\`base\` is the shipped text without the bounds: left in it are the tests that end the parse, the step limit and the
check of the block table. \`base2\` is the same once more, as a control. \`copy\` reads and writes the decoded bytes once.

${sections.join("\n\n")}
`;
}

/** What bench/results holds: `{ nvidia, macs }`. */
export function recordedRuns() {
  const all = (ending) =>
    readdirSync(RESULTS)
      .filter((file) => file.endsWith(ending))
      .map((file) => JSON.parse(readFileSync(join(RESULTS, file), "utf8")));
  return { nvidia: all("-bounds.json"), macs: all("-metal.json") };
}

if (process.argv[1] === own) {
  const { nvidia, macs } = recordedRuns();
  writeFileSync(PAGE, kernelPage(nvidia, macs));
}
