// Owns: `npm run test:peers`: every test/peers/*.py, in a Python venv of the repository, run from its root.
// Must not know: what a peer checks.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { nodeStep, root, step } from "./run-step.mjs";

const venv = join(root, ".venv");
const python = join(venv, ...(process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"]));

/** Makes the venv when there is none for this requirements.txt. */
function ensureVenv() {
  const requirements = join("test", "peers", "requirements.txt");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, requirements)))
    .digest("hex");
  const stamp = join(venv, ".requirements");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  step("Making .venv", process.platform === "win32" ? "python" : "python3", [
    "-m",
    "venv",
    "--clear",
    ".venv",
  ]);
  step("", python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]);
  writeFileSync(stamp, wanted);
}

ensurePackages();
await build();
nodeStep("", ["scripts/make-demo.mjs"]);
ensureVenv();

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
