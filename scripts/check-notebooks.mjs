// Owns: `node scripts/check-notebooks.mjs [--update]`: checks the notebooks of this repository against their expectations,
// and that one which must fail does. Must not know: how notebooks are compared.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { linkNotebooks } from "./link-notebooks.mjs";
import { nodeStep, root } from "./run-step.mjs";

ensurePackages();
await build();
nodeStep("", ["scripts/make-demo.mjs"]);
linkNotebooks();

const update = process.argv.includes("--update");
const expected = join("test", "notebooks", "expected");
const names = readdirSync(join(root, "notebooks")).filter((name) => name.endsWith(".ipynb"));
const failures = [];

function check(...args) {
  const command = [join("dist", "cli", "framelab.js"), "check", "--expected", expected, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
  process.stdout.write(`${stdout}${stderr}`);
  return { status, stdout };
}

for (const name of names) {
  const { status } = check(join("notebooks", name), "--timeout", "240", ...(update ? ["--update"] : []));
  if (status !== 0) failures.push(`${name} ended with ${status}`);
  if (!existsSync(join(root, expected, name.replace(/\.ipynb$/, ".json"))))
    failures.push(`${name} has no expectations`);
}
console.log("The next notebook must differ:");
const { status, stdout } = check(join("test", "notebooks", "must-fail.ipynb"));
const named = /^ {2}cell 2: [\s\S]*^ +- product 7$[\s\S]*^ +\+ product 6$/m.test(stdout);
if (status !== 1 || !named) failures.push(`must-fail.ipynb ended with ${status}, cell 2 named: ${named}`);

for (const failure of failures) console.error(failure);
console.log(`notebooks: ${names.length + 1 - failures.length} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
