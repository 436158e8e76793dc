// Owns: the cpu backend gives the reference's report and bytes, on every kind of damage and on random files, at 1, 2, 7 threads.
// Must not know: how either decodes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openCpuBackend } from "#framelab/backends/cpu/index";
import { writeDamageCase } from "../fixtures/damage";
import { assertSameReport, DAMAGE_KINDS, randomFile } from "./compare";
import { scratchFolder } from "./harness";

const folder = scratchFolder();
const THREADS = [1, 2, 7];
const RANDOM_FILES = 1000;
const opened = THREADS.map((threads) => openCpuBackend({ threads }));
const missing = opened.find((cpu) => "reason" in cpu);
const skip = missing && "reason" in missing ? `no native decoder: ${missing.reason}` : false;
const cpus = opened.flatMap((cpu) => ("backend" in cpu ? [cpu.backend] : []));

for (const [kind, cases] of DAMAGE_KINDS) {
  test(`${cases.length} cases of a ${kind}: report and bytes equal the reference's`, { skip }, async () => {
    let damaged = 0;
    for (const [i, damage] of cases.entries()) {
      const path = join(folder, `${kind}-${i}.h5`);
      writeDamageCase(path, damage);
      damaged += (await assertSameReport(path, cpus)) > 0 ? 1 : 0;
    }
    assert.ok(damaged > 0);
  });
}

test(`${RANDOM_FILES} random files: report and bytes equal the reference's`, { skip }, async () => {
  let damaged = 0;
  for (let seed = 0; seed < RANDOM_FILES; seed++) {
    damaged += (await assertSameReport(randomFile(folder, seed), cpus)) > 0 ? 1 : 0;
  }
  assert.ok(damaged > RANDOM_FILES / 10 && damaged < RANDOM_FILES, `${damaged} files were damaged`);
});
