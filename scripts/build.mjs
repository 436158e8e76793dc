// Owns: `npm run build`: everything under dist/ and build/test/, each part only when it is not up to date.
// Must not know: how a part is made.
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildNative } from "./build-native.mjs";
import { buildPlotly } from "./build-plotly.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { isNewer, nodeStep, root } from "./run-step.mjs";

/** Builds the package and its tests. */
export async function build() {
  // Not `npx tsc`: node_modules/.bin/tsc is the compiler that tslab brings.
  nodeStep("Compiling TypeScript", ["node_modules/typescript/bin/tsc", "-b", ".", "test"]);
  // The compiler writes every file alike; this one is a command.
  chmodSync(join(root, "dist", "cli", "framelab.js"), 0o755);
  await buildPlotly();
  buildAddon();
}

/** Compiles the addon when a native source is newer. A machine that cannot is told so: the reference decodes there. */
function buildAddon() {
  const native = join(root, "native");
  const sources = readdirSync(native, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !file.startsWith(join(native, "build")));
  const addon = join(native, "build", "Release", "framelab.node");
  if (isNewer([addon], sources)) return;
  console.log("Compiling the native addon");
  const built = buildNative();
  if (built.addon) return;
  console.log(`No native addon: ${built.reason}. The TypeScript decoder runs instead.`);
  console.log("node scripts/build-native.mjs shows the whole output.");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensurePackages();
  await build();
}
