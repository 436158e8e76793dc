// Owns: what is measured of FrameLab's loads beside warm whole ones: cold ones, growth with frames and cores, the
// event loop, the first picture. Must not know: what figures should be.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { root } from "../../scripts/run-step.mjs";
import { GROWTH } from "../cases/acquisitions.mjs";
import { framelabLoaders, readLoader } from "../contenders/loaders.mjs";
import { python } from "../contenders/sources.mjs";
import { buildFolder } from "./folders.mjs";
import { runLoad } from "./load.mjs";

const require = createRequire(import.meta.url);
const contenders = join(root, "bench", "contenders");
const ROUNDS = 5;
const PICTURES = 3;

/** Asks bench/contenders/pipeline-framelab.mjs, on the first `cores` cores (default: all). Gives its rows. */
function ask(question, request, cores = null) {
  const command = [
    ...(cores === null ? [] : ["taskset", "-c", `0-${cores - 1}`]),
    ...[process.execPath, "--expose-gc", join(contenders, "pipeline-framelab.mjs")],
    ...[question, JSON.stringify({ rounds: ROUNDS, ...request })],
  ];
  const { status, stdout, stderr, error } = spawnSync(command[0], command.slice(1), {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) {
    throw new Error(error?.message ?? stderr.split("\n").find((line) => line.includes("Error")) ?? stderr);
  }
  return JSON.parse(stdout);
}

/** Drops the data files from the system's cache. */
function evict({ dataFiles }) {
  const { status, stderr } = spawnSync(python, [join(contenders, "read_files.py"), "evict", ...dataFiles]);
  if (status !== 0) throw new Error(`files cannot be dropped from the cache: ${stderr}`);
}

const framesOf = ({ path, sums, bytes, frames }, counts) => ({
  ...{ path, counts, frameBytes: bytes / frames },
  sums,
});

/** Notebooks in `folder` find the package. */
function linkPackage(folder) {
  const link = join(folder, "node_modules", "framelab");
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true, recursive: false });
  symlinkSync(root, link, process.platform === "win32" ? "junction" : "dir");
}

/** Each gives rows `{ case, … }`. */
const PARTS = {
  async cold(large) {
    const run = await runLoad(large, [...framelabLoaders(), readLoader()], ROUNDS, {
      kind: "cold",
      before: evict,
    });
    if (run.skipped.length > 0) throw new Error(run.skipped[0].why);
    return run.rows;
  },

  async growth(_, prepareLong) {
    const long = prepareLong();
    const rows = ask("frames", { ...framesOf(long, GROWTH), rounds: 3 });
    return rows.map((row) => ({ case: `growth/${long.name}`, ...row }));
  },

  async cores(large) {
    if (process.platform !== "linux") throw new Error("only Linux keeps a process on some cores");
    const counts = [];
    for (let cores = 1; cores < availableParallelism(); cores *= 2) counts.push(cores);
    return [...counts, availableParallelism()].flatMap((cores) => {
      const request = { ...framesOf(large, [large.frames]), sums: { [large.frames]: large.sum } };
      return ask("frames", request, cores).map((row) => ({ case: `cores/${large.name}`, ...row }));
    });
  },

  async loop(large) {
    return ask("loop", large).map((row) => ({ case: `loop/${large.name}`, ...row }));
  },

  /** From the start of a kernel's process to the end of the cell that loads a frame and shows it. */
  async picture(large) {
    const { runNotebook } = require("../../dist/cli/notebook/run.js");
    linkPackage(buildFolder("notebook"));
    const notebook = buildFolder("notebook", "picture.ipynb");
    const source = [
      'import { load, show } from "framelab";',
      `const frames = await load(${JSON.stringify(large.path)}, { scanShape: null, frames: { from: 0, to: 1 } });`,
      "show(frames.frame(0));",
    ].join("\n");
    const cell = { cell_type: "code", execution_count: null, metadata: {}, outputs: [], source };
    const facts = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] };
    writeFileSync(notebook, JSON.stringify(facts));
    const times = [];
    for (let round = 0; round <= PICTURES; round++) {
      const start = performance.now();
      const run = await runNotebook(notebook);
      const ms = performance.now() - start;
      const shown = run.cells[0].outputs.some((output) => output.data?.["image/png"]);
      if (!run.ok || !shown) throw new Error("the notebook shows no picture");
      if (round > 0) times.push(ms);
    }
    times.sort((a, b) => a - b);
    return [{ case: "picture/first", minMs: times[0], medianMs: times[times.length >> 1] }];
  },
};

/** Runs every part, or those named; one that fails is in `skipped` with its reason. Gives `{ rows, skipped }`. */
export async function runPipeline(large, prepareLong, names = Object.keys(PARTS)) {
  const rows = [];
  const skipped = [];
  for (const name of names) {
    console.log(`Measuring ${name}`);
    try {
      rows.push(...(await PARTS[name](large, prepareLong)));
    } catch (error) {
      skipped.push({ what: `pipeline/${name}`, why: error.message });
    }
  }
  return { rows, skipped };
}
