// Owns: `npm run test:peers`: every test/peers/*.py, in a Python venv of the repository, run from its root.
// Must not know: what a peer checks.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureVenv } from "./python-venv.mjs";
import { nodeStep, root } from "./run-step.mjs";

ensurePackages();
await build();
nodeStep("", ["scripts/make-demo.mjs"]);
const python = ensureVenv(".venv", join("test", "peers", "requirements.txt"));

const wanted = process.argv.slice(2);
const peers = readdirSync(join(root, "test", "peers"))
  .filter(
    (file) =>
      file.endsWith(".py") &&
      !file.startsWith("_") &&
      (wanted.length === 0 || wanted.some((name) => file.startsWith(name))),
  )
  .sort();
let failed = 0;
for (const peer of peers) {
  const start = performance.now();
  const { status } = spawnSync(python, [join("test", "peers", peer)], { cwd: root, stdio: "inherit" });
  if (status !== 0) failed += 1;
  console.log(
    `${status === 0 ? "ok" : "FAILED"}  ${peer}  ${((performance.now() - start) / 1000).toFixed(1)} s`,
  );
}
console.log(`peers: ${peers.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 || peers.length === 0 ? 1 : 0);
