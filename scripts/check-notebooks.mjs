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
if (status !== 1) failures.push(`must-fail.ipynb ended with ${status}, not 1`);
// What its cells show differs in one way each; nothing else may be named.
const faults = [
  /^ {2}cell 2: .*\n {4}output differs .*\n {4}- product 7\n {4}\+ product 6$/m,
  /^ {2}cell 3: .*\n {4}value "counts" differs: u16 \[3\]: 1 of 3 elements differ, the first at \[2\]: expected 4, got 3$/m,
  /^ {2}cell 4: .*\n {4}output differs .*\n {4}- \[picture 2 x 1, pixels 0{32}\]\n {4}\+ \[picture 2 x 1, pixels [0-9a-f]{32}\]$/m,
  /^ {2}cell 5: .*\n {4}failed:\n {4}Error: meant to fail$/m,
  /^ {2}cell 6: .*\n {4}Unhandled rejection: Error: meant to be late$/m,
];
for (const fault of faults) if (!fault.test(stdout)) failures.push(`must-fail.ipynb: not said: ${fault}`);
if (/^ {2}cell [17]: /m.test(stdout)) failures.push("must-fail.ipynb: a healthy cell was named");

for (const failure of failures) console.error(failure);
console.log(
  `notebooks: ${Math.max(0, names.length + 1 - failures.length)} passed, ${failures.length} failed`,
);
process.exit(failures.length === 0 ? 0 : 1);
