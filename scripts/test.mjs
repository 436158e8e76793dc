// Owns: `npm test`: installs and builds what is missing, then runs the test suites; `npm test -- unit parity` runs some.
// Must not know: what a suite tests.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { linkNotebooks } from "./link-notebooks.mjs";
import { nodeStep, root } from "./run-step.mjs";

ensurePackages();
await build();
nodeStep("", ["scripts/make-demo.mjs"]);
linkNotebooks();

// Listed from the sources, so that the compiled file of a deleted test never runs.
const wanted = process.argv.slice(2);
const files = readdirSync(join(root, "test"), { recursive: true })
  .map((file) => String(file).replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) => wanted.length === 0 || wanted.some((start) => file.startsWith(start)))
  .sort()
  .map((file) => join("build", "test", file.replace(/\.ts$/, ".js")));
if (files.length === 0) {
  console.error(`No test file starts with ${wanted.join(" or ")}; names are like unit/plan.test.ts.`);
  process.exit(1);
}
nodeStep("", ["--test", "--test-concurrency=2", "--test-reporter=spec", ...files]);
