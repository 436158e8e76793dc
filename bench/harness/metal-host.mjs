// Owns: `npm run bench -- host --backend metal`: the host's CPU time a block, beside what a GPU would need for it.
// Must not know: how the program is made, what the host does.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { metalHere } from "../contenders/metal.mjs";
import { buildMetalHost } from "../contenders/metal-host.mjs";
import { buildFolder } from "./folders.mjs";
import { table } from "./markdown.mjs";
import { commit, machine } from "./results.mjs";

const ROUNDS = 15;

/**
 * GPUs that the host is set against. Models, not measurements: nothing here has run on them.
 * `nsPerBlock` of a case: `{ blocks, storedBytes, decodedBytes }`.
 */
const MODELS = [
  {
    name: "an M5 Max at 6.02 ms for 8,192 frames (quantem.gpu's note of 2026-10-11, for its own kernel)",
    nsPerBlock: () => 6.02e6 / (8192 * 9),
  },
  {
    name: "an M1 whose kernels do nothing but move the bytes, at 80 % of 68 GB/s",
    nsPerBlock: ({ blocks, storedBytes, decodedBytes }) => (storedBytes + decodedBytes) / (0.8 * 68) / blocks,
  },
];

/** The tables of a run, and plainly what it is. */
export function metalHostTables(results) {
  const { simulated, device, rounds, frames, blocks, storedBytes, commandBuffers } = results;
  const title = simulated
    ? "simulated: the Metal host ran over a stand-in for Metal on this CPU, with kernels that do nothing. Its message sends are the stand-in's; no Apple hardware took part."
    : `${device}.`;
  const facts = `Counts of u16, 192 x 192, ${frames} frames, ${blocks} blocks, ${(storedBytes / 1e6).toFixed(1)} MB stored, from a cached file; ${rounds} rounds${simulated ? `, ${commandBuffers} command buffers a round` : ""}. CPU time of the host's one thread.`;
  const perBlock = (ns) => (ns / blocks).toFixed(1);
  const line = (what, { minNs, medianNs }) => [what, perBlock(minNs), perBlock(medianNs)];
  const rest = (key) => results.whole[key] - results.reads[key] - results.tables[key];
  const spent = table(
    ["ns a block", "best", "median"],
    [
      line("the whole batch", results.whole),
      line("reads alone", results.reads),
      line("framing and block table alone", results.tables),
      line("what is left: cutting, dispatches, command buffers, verdicts", {
        minNs: rest("minNs"),
        medianNs: rest("medianNs"),
      }),
    ],
  );
  const own = results.whole.medianNs - results.reads.medianNs;
  const models = table(
    ["model, not measured", "GPU ns a block", "host, % of it", "host without reads, % of it"],
    MODELS.map(({ name, nsPerBlock }) => {
      const gpu = nsPerBlock(results);
      const percent = (ns) => ((100 * ns) / blocks / gpu).toFixed(0);
      return [name, gpu.toFixed(0), percent(results.whole.medianNs), percent(own)];
    }),
  );
  return [title, facts, spent, models].join("\n\n");
}

/** Runs it; prints the tables. `rounds` null takes the usual number. Gives the exit status. */
export async function benchMetalHost({ rounds, record }) {
  const here = metalHere();
  if (record) throw new Error("the host's times are not recorded");
  const { program, form } = await buildMetalHost(here);
  const out = buildFolder("metal", "host.json");
  const data = join(buildFolder("metal"), "host.data");
  const args = [out, data, String(rounds ?? ROUNDS), form];
  const { status, error } = spawnSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  rmSync(data, { force: true });
  if (error || status !== 0) throw new Error(`the host's program did not end well (${error ?? status})`);
  const results = {
    ...{ date: new Date().toISOString(), simulated: here.simulated, commit: commit(), machine: machine() },
    ...JSON.parse(readFileSync(out, "utf8")),
  };
  writeFileSync(out, `${JSON.stringify(results, null, 1)}\n`);
  console.log(`${metalHostTables(results)}\n\n${out}`);
  return 0;
}
