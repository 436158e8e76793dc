// Owns: the NEON decoder, compiled for arm64 and run by an emulator as a plain C++ program: a short run of the fuzzer.
// Must not know: Node's addon. Skipped, with a word, where the cross compiler or the emulator is missing.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { it } from "node:test";

const ROOT = resolve(__dirname, "../../..");

function missing(): string | false {
  for (const program of ["aarch64-linux-gnu-g++", "qemu-aarch64"]) {
    if (spawnSync(program, ["--version"]).status !== 0) return `${program} is not installed`;
  }
  return false;
}

it("NEON refuses and decodes as the bytewise decoder does", { skip: missing() }, () => {
  const args = ["scripts/fuzz.mjs", "--arm64", "--blocks", "4800"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^instruction sets: neon portable;/m);
  assert.match(stdout, /the TypeScript reference agrees with the fuzzer's on \d+ cases/);
});
