// Owns: the Metal bench over the stand-in device: its rows, that it is marked, that it is kept out of the repository.
// Must not know: how forms are made or timed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const ROOT = join(__dirname, "..", "..", "..");
const RESULTS = join(ROOT, "bench", "results");
const load = (path: string) => import(pathToFileURL(join(ROOT, path)).href);
const bench = (...args: string[]) =>
  spawnSync(process.execPath, ["scripts/bench.mjs", "--backend", "metal", ...args], {
    cwd: ROOT,
    encoding: "utf8",
  });

interface Row {
  readonly case: string;
  readonly kernel: string;
  readonly form: string;
  readonly minMs: number;
  readonly medianMs: number;
  readonly gbPerS: number;
  readonly vsBasePct: number;
  readonly exact: boolean;
}

/** Why this machine has no stand-in, or null. */
async function refused(): Promise<string | null> {
  if (process.platform === "darwin") return "a Mac times its own GPU: npm run bench -- --backend metal";
  const { metalHere } = await load("bench/contenders/metal.mjs");
  try {
    metalHere();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

test("a simulated rotation gives the table's rows, is marked, and is not recorded", async (t) => {
  const skip = await refused();
  if (skip !== null) return t.skip(skip);
  const before = readdirSync(RESULTS);
  const { status, stdout, stderr } = bench("--forms", "shipped,base,early_return", "--rounds", "2");
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^simulated: /);
  const path = stdout.trim().split("\n").at(-1)!;
  assert.equal(path, join(ROOT, "build", "bench", "metal", "simulated.json"));
  const results = JSON.parse(readFileSync(path, "utf8")) as {
    simulated: boolean;
    launches: number;
    rows: Row[];
  };
  assert.deepEqual([results.simulated, results.launches], [true, 2]);
  const kernels = [...new Set(results.rows.map(({ kernel }) => kernel))].sort();
  const fused = ["uniform", "windowed"].flatMap((design) =>
    ["u16", "u32", "u8"].map((t) => `${design}-${t}`),
  );
  const scratch = ["u16", "u32"].flatMap((t) => [`scratch-${t}-command`, `scratch-${t}-lz4`]);
  assert.deepEqual(kernels, [...scratch, ...fused]);
  for (const kernel of kernels) {
    const forms = results.rows.filter((row) => row.kernel === kernel).map(({ form }) => form);
    for (const form of ["base", "base2", "shipped"]) assert.ok(forms.includes(form), `${kernel} ${form}`);
  }
  assert.ok(results.rows.some(({ kernel, form }) => kernel === "uniform-u16" && form === "early_return"));
  for (const row of results.rows) {
    const what = JSON.stringify(row);
    assert.ok(row.exact && row.minMs > 0 && row.minMs <= row.medianMs && row.gbPerS > 0, what);
    const base = results.rows.find(
      (one) => one.case === row.case && one.kernel === row.kernel && one.form === "base",
    )!;
    assert.ok(Math.abs(row.vsBasePct - (row.medianMs / base.medianMs - 1) * 100) < 0.5, what);
  }
  const refusedRecord = bench("--record");
  assert.equal(refusedRecord.status, 1);
  assert.match(refusedRecord.stderr, /a simulated run is not recorded/);
  assert.deepEqual(readdirSync(RESULTS), before);
});

test("simulated results have no place in the repository, a GPU's have one by date and device", async () => {
  const { metalResultsPath } = await load("bench/harness/metal.mjs");
  const run = { simulated: true, date: "2026-01-02T03:04:05.000Z", device: "Apple M5 Max" };
  assert.ok(metalResultsPath(run, true).startsWith(join(ROOT, "build")));
  const real = { ...run, simulated: false };
  assert.equal(metalResultsPath(real, true), join(RESULTS, "2026-01-02-apple-m5-max-metal.json"));
  assert.ok(metalResultsPath(real, false).startsWith(join(ROOT, "build")));
});

test("a machine with neither Metal nor the stand-in is told so by name", () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "scripts", "bench.mjs"), "--backend", "metal"],
    { cwd: ROOT, encoding: "utf8", env: { ...process.env, PATH: "/nowhere", FRAMELAB_CLANGXX: undefined } },
  );
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^bench: --backend metal needs (a Mac, or linux-x64|clang-19|the Xcode Command Line Tools)/,
  );
});

test("an unknown form is refused by name", async (t) => {
  const skip = await refused();
  if (skip !== null) return t.skip(skip);
  const { status, stderr } = bench("--forms", "nothing");
  assert.equal(status, 1);
  assert.match(stderr, /there is no form "nothing"/);
});

test("the host's time a block is given beside models that say what they are, marked, and not recorded", async (t) => {
  const skip = await refused();
  if (skip !== null) return t.skip(skip);
  const { status, stdout, stderr } = bench("host", "--rounds", "1");
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^simulated: .* no Apple hardware took part\.$/m);
  assert.match(stdout, /8192 frames, 73728 blocks/);
  assert.match(stdout, /^\| model, not measured \|/m);
  assert.equal(stdout.trim().split("\n").at(-1), join(ROOT, "build", "bench", "metal", "host.json"));
  const refusal = bench("host", "--record");
  assert.equal(refusal.status, 1);
  assert.match(refusal.stderr, /are not recorded/);
  assert.equal(bench("hosts").status, 2);
  const forms = bench("host", "--forms", "base");
  assert.equal(forms.status, 2);
  assert.match(forms.stderr, /takes no --forms/);
});

test("the host's table: what is left is the whole less its parts, and a share is of a model's time", async () => {
  const { metalHostTables } = await load("bench/harness/metal-host.mjs");
  const ns = (minNs: number) => ({ minNs, medianNs: 2 * minNs });
  const text: string = metalHostTables({
    ...{ simulated: true, rounds: 3, frames: 10, blocks: 100, storedBytes: 54_400, decodedBytes: 0 },
    ...{ commandBuffers: 4, whole: ns(1000), reads: ns(600), tables: ns(300) },
  });
  assert.match(text, /^\| what is left: .* \| 1\.0 \| 2\.0 \|$/m);
  // 54,400 bytes at 54.4 GB/s are 1,000 ns: 10 a block.
  assert.match(text, /^\| an M1 .* \| 10 \| 200 \| 80 \|$/m);
});
