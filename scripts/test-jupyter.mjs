// Owns: `npm run test:jupyter`: every test/jupyter/*.test.mjs, with JupyterLab in a venv of the repository; names run some.
// Must not know: what is looked at. Needs Chromium (`CHROMIUM` names another than /usr/bin/chromium) and Python 3.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { linkNotebooks } from "./link-notebooks.mjs";
import { ensureVenv } from "./python-venv.mjs";
import { nodeStep, root } from "./run-step.mjs";

ensurePackages();
await build();
nodeStep("", ["scripts/make-demo.mjs"]);
linkNotebooks();
ensureVenv(join("build", "jupyter"), join("test", "jupyter", "requirements.txt"));

const wanted = process.argv.slice(2);
const files = readdirSync(join(root, "test", "jupyter"))
  .filter((file) => file.endsWith(".test.mjs"))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(name)))
  .sort()
  .map((file) => join("test", "jupyter", file));
if (files.length === 0) {
  console.error(`No test starts with ${wanted.join(" or ")}; names are like live.`);
  process.exit(1);
}
nodeStep("", ["--test", "--test-concurrency=1", "--test-reporter=spec", ...files]);
