// Owns: `npm run build`: everything under dist/ and build/test/, each part only when it is not up to date.
// Must not know: how a part is made.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPlotly } from "./build-plotly.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { nodeStep, root } from "./run-step.mjs";

/** Builds the package and its tests. */
export async function build() {
  // Not `npx tsc`: node_modules/.bin/tsc is the compiler that tslab brings.
  nodeStep("Compiling TypeScript", ["node_modules/typescript/bin/tsc", "-b", ".", "test"]);
  await buildPlotly();
  if (existsSync(join(root, "scripts", "build-addon.mjs"))) nodeStep("", ["scripts/build-addon.mjs"]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensurePackages();
  await build();
}
