// Owns: docs/metal-kernels.md, made from the recorded runs of the Metal text on NVIDIA GPUs.
// Must not know: how anything was measured beyond what the results say.
//
// node bench/kernels/table.mjs
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const results = join(root, "bench", "results");
const files = readdirSync(results).filter((file) => file.endsWith("-bounds.json"));

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

const sections = files.map((file) => {
  const run = JSON.parse(readFileSync(join(results, file), "utf8"));
  return `## ${run.date}: ${run.machine}

Commit ${run.commit}, \`${run.command}\`, ${run.launches} launches of every form in one rotation, every output compared. ${run.checks.suite}; compute-sanitizer memcheck: ${run.checks.memcheck}, racecheck: ${run.checks.racecheck}.

${run.cases.map((facts) => caseTable(run, facts)).join("\n\n")}

### What the unbounded base form does on the 32 damage cases

${damageTable(run.baseFormOnTheDamageCases)}`;
});

writeFileSync(
  join(root, "docs", "metal-kernels.md"),
  `# The Metal kernels, measured on an NVIDIA GPU

Made by \`node bench/kernels/table.mjs\` from \`bench/results\`; not edited by hand.

The kernels' text was turned into CUDA and run there. **Nothing of it has run on an Apple GPU or through Apple's
compiler.** What these figures can carry over is that the results are exact, that every bound holds, and what the bounds
cost relative to the same text without them *on this kind of GPU*. An Apple GPU differs: a shuffle by a run-time lane is
dearer there, which may cost the windowed parse its lead; the order of the forms may differ too (quantem.gpu's
development note "Metal LZ4 bounds", 2026-10-11, reports for its own kernel on an M5 Max +21.8 % for early return and
+3.2 % for the clamped form; not measured by us).

\`base\` is the shipped text without the bounds: left in it are the tests that end the parse, the step limit and the
check of the block table. \`base2\` is the same once more, as a control. \`copy\` reads and writes the decoded bytes once.

${sections.join("\n\n")}
`,
);
