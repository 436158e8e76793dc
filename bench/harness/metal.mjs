// Owns: `npm run bench -- --backend metal`: the rotation of the kernels' forms, its table and its results file.
// Must not know: what the forms differ in, how the program is made.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildMetalBench, metalHere } from "../contenders/metal.mjs";
import { buildFolder } from "./folders.mjs";
import { commit, machine, RESULTS } from "./results.mjs";

/** Launches of each form, and most frames of a launch. The stand-in decodes about 2,000 blocks a second. */
const SIZES = { real: { launches: 300, frames: 8192 }, simulated: { launches: 1, frames: 2 } };

/** Where a run's results go. Simulated times stay under build/, whatever is asked for. */
export function metalResultsPath({ simulated, date, device }, record) {
  if (simulated) return join(buildFolder("metal"), "simulated.json");
  const slug = device.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return join(record ? RESULTS : buildFolder("results"), `${date.slice(0, 10)}-${slug}-metal.json`);
}

function caseTable(facts, rows) {
  const percent = (value) => (value === null ? "" : `${value > 0 ? "+" : ""}${value.toFixed(1)} %`);
  const lines = rows
    .filter((row) => row.case === facts.case)
    .map(
      ({ kernel, form, minMs, medianMs, gbPerS, vsBasePct }) =>
        `| ${kernel} | ${form} | ${minMs.toFixed(3)} | ${medianMs.toFixed(3)} | ${gbPerS.toPrecision(3)} | ${percent(vsBasePct)} |`,
    );
  return `${facts.case}, ${facts.frames} frames: ${facts.sequencesPerBlock} sequences and ${facts.streamBytesPerBlock} stream bytes a block, ${(facts.withoutLiterals * 100).toFixed(0)} % of the sequences without literals, ${(facts.offset2 * 100).toFixed(0)} % of offset 2.

| kernel | form | min ms | median ms | GB/s decoded | against base |
|---|---|---|---|---|---|
${lines.join("\n")}`;
}

/** The tables of a run, and plainly what it is. */
export function metalTables(results) {
  const title = results.simulated
    ? "simulated: the kernels ran lane by lane on this CPU over a stand-in for Metal. These times say nothing of a GPU."
    : `${results.device}, ${results.launches} launches of every form in one rotation, times of the GPU's own clock.`;
  return [title, ...results.cases.map((facts) => caseTable(facts, results.rows))].join("\n\n");
}

/** Runs it; prints the tables. `forms` limits them, `launches` null takes the usual number. Gives the exit status. */
export async function benchMetal({ forms, launches, record }) {
  const here = metalHere();
  if (record && here.simulated) throw new Error("a simulated run is not recorded");
  const size = here.simulated ? SIZES.simulated : SIZES.real;
  const built = await buildMetalBench(here, forms);
  const out = join(buildFolder("metal"), "rotation.json");
  const args = [out, String(launches ?? size.launches), String(size.frames), ...built.forms];
  const { status, error } = spawnSync(built.program, args, { stdio: ["ignore", "ignore", "inherit"] });
  // 1: a form did not decode exactly; the results say which.
  if (error || ![0, 1].includes(status))
    throw new Error(`the rotation did not end well (${error ?? status})`);
  const results = {
    ...{ date: new Date().toISOString(), simulated: here.simulated, commit: commit(), machine: machine() },
    ...JSON.parse(readFileSync(out, "utf8")),
  };
  const path = metalResultsPath(results, record);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 1)}\n`);
  const wrong = results.rows.filter(({ exact }) => !exact);
  for (const row of wrong)
    console.error(`WRONG: ${row.case}, ${row.kernel}, ${row.form} does not decode exactly`);
  console.log(`${metalTables(results)}\n\n${path}`);
  return wrong.length > 0 ? 1 : 0;
}
