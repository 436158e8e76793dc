// Owns: what `npm install framelab` does: use a carried binary, else compile one, else say in one line why not.
// Must not know: the decoder. Never fails: without a binary the TypeScript decoder runs.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildNative } from "./build-native.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = `${process.platform}-${process.arch}`;
/** Read by the loader, so that a report can say why the TypeScript decoder ran. */
const reasonFile = join(root, "native", "build", "reason.txt");

/** The carried binary, when there is one of this version that this Node can load. */
function carried() {
  const addon = join(root, "prebuilds", target, "framelab.node");
  if (!existsSync(addon)) return null;
  try {
    const { version } = createRequire(import.meta.url)(addon);
    const wanted = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
    if (version !== wanted) throw new Error(`it is of version ${version}, this package is ${wanted}`);
    return addon;
  } catch (error) {
    console.log(
      `framelab: the carried binary for ${target} cannot be used (${String(error).split("\n")[0]})`,
    );
    return null;
  }
}

function install() {
  if (carried()) return `uses the carried binary for ${target}`;
  const built = buildNative();
  if (built.addon) {
    rmSync(reasonFile, { force: true });
    return `compiled its decoder for ${target}`;
  }
  const log = join(root, "native", "build", "install.log");
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(log, built.output);
  writeFileSync(reasonFile, built.reason);
  return `uses its slower TypeScript decoder: ${built.reason} (details: ${log})`;
}

try {
  console.log(`framelab: ${install()}`);
} catch (error) {
  console.log(`framelab: uses its slower TypeScript decoder: ${String(error).split("\n")[0]}`);
}
