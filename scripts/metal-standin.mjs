// Owns: standin.node: the addon with its Metal backend over the stand-in device, for tests on Linux. Never published.
// Must not know: what the tests check.
//
//   node scripts/metal-standin.mjs     builds build/metal/standin/standin.node when a source is newer; prints its path
import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findHeaders } from "./build-native.mjs";
import { CLANG } from "./metal-check.mjs";
import { generateCpu } from "./metal-generate.mjs";
import { metalSource, metalSourceCpp } from "./metal-source.mjs";

const run = promisify(execFile);
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const OUT = join(ROOT, "build", "metal", "standin");
const NATIVE = join(ROOT, "native");
const HOST = join(ROOT, "test", "metal", "host");
const SIMT = join(ROOT, "test", "metal", "simt");
const MODULE = join(OUT, "standin.node");
/** More would take memory from what else runs. */
const JOBS = 2;

const SHARED = ["-std=c++17", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing"];
// As Node compiles addons.
const NO_RTTI = ["-fno-rtti"];
const OBJECTIVE_C = ["-x", "objective-c++", "-fobjc-runtime=macosx-10.15", "-fobjc-arc", "-fblocks"];

/** The unit that says which texts the stand-in device compiles: `[{ text, prefix }]`. */
export function standInTexts(texts) {
  const rows = texts.map(({ text, prefix }) => `    {R"MSL(${text})MSL", "${prefix}"},\n`);
  return `#include "standin/faults.h"
const std::vector<standin::Text>& standin::texts() {
  static const std::vector<Text> all = {
${rows.join("")}  };
  return all;
}
`;
}

const listed = (folder, pattern) =>
  readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));

/** Writes a generated source only where it changed. */
function generated(name, text) {
  const path = join(OUT, name);
  if (existsSync(path) && readFileSync(path, "utf8") === text) return path;
  const own = `${path}.${process.pid}`;
  writeFileSync(own, text);
  renameSync(own, path);
  return path;
}

/** Every source with its flags. The decoders of the CPU are taken from the addon's build. */
function units() {
  const headers = join(findHeaders() ?? "", "include", "node");
  const napi = createRequire(import.meta.url)("node-addon-api").include_dir;
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const own = [...SHARED, ...NO_RTTI, "-O1", "-g", `-I${NATIVE}`, `-I${HOST}`];
  const objectiveC = [...own, ...OBJECTIVE_C, `-I${join(HOST, "standin")}`];
  const addon = [
    ...own,
    `-I${headers}`,
    // Relative to the working folder.
    `-I${resolve(napi)}`,
    ...["-DNAPI_VERSION=9", "-DNAPI_CPP_EXCEPTIONS", `-DFRAMELAB_VERSION="${version}"`],
  ];
  const fast = [...SHARED, "-O2", "-w", `-I${SIMT}`];
  const text = metalSource();
  const list = (sources, flags) => sources.map((source) => ({ source, flags }));
  return [
    ...list([generated("kernels.cpp", generateCpu(text)), join(SIMT, "lanes.cpp")], fast),
    ...list(
      [
        generated("source.cc", metalSourceCpp()),
        generated("standin-source.cc", standInTexts([{ text, prefix: "" }])),
      ],
      own,
    ),
    ...list(
      [...listed(join(HOST, "standin"), /\.cpp$/), ...listed(join(NATIVE, "backends", "metal"), /\.cc$/)],
      own,
    ),
    ...list(
      [join(HOST, "standin"), join(NATIVE, "backends", "metal")].flatMap((folder) => listed(folder, /\.mm$/)),
      objectiveC,
    ),
    ...list(
      [...listed(join(NATIVE, "addon"), /\.cc$/), join(HOST, "module.cc")].filter(
        (path) => !/(metal_none|\/module)\.cc$/.test(path) || path.startsWith(HOST),
      ),
      addon,
    ),
  ];
}

/** Runs the compiler. Test files build at once: none may find what another has half written. */
async function compiled(args, path) {
  const own = `${path}.${process.pid}`;
  await run(CLANG, [...args, "-o", own], { maxBuffer: 2 ** 26 });
  renameSync(own, path);
}

async function compileAll(all) {
  const headersChanged = Math.max(
    ...["addon", "backends", "codecs", "core"].map((name) => newestHeader(join(NATIVE, name))),
    newestHeader(HOST),
    newestHeader(SIMT),
  );
  const objects = all.map(({ source }, i) => join(OUT, `${i}-${source.split("/").at(-1)}.o`));
  const waiting = all.map((unit, i) => ({ ...unit, object: objects[i] }));
  const worker = async () => {
    for (let unit = waiting.shift(); unit; unit = waiting.shift()) {
      const { source, flags, object } = unit;
      const time = existsSync(object) ? statSync(object).mtimeMs : 0;
      if (time > statSync(source).mtimeMs && time > headersChanged) continue;
      await compiled([...flags, "-c", source], object);
    }
  };
  await Promise.all(Array.from({ length: JOBS }, worker));
  return objects;
}

function newestHeader(folder) {
  let time = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && !/\.(cc|cpp|mm|o)$/.test(entry.name))
      time = Math.max(time, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs);
  return time;
}

/** Why this machine cannot build it, or null. */
export function standInRefused() {
  try {
    execFileSync(CLANG, ["--version"], { stdio: "ignore" });
  } catch {
    return `${CLANG} is not installed`;
  }
  if (process.platform !== "linux") return "the stand-in for Metal runs on Linux";
  if (!findHeaders()) return "no headers of this Node beside its program";
  return existsSync(join(NATIVE, "build", "Release", "framelab.node")) ? null : "no native addon was built";
}

/** Builds it where a source is newer. Returns its path. */
export async function buildStandIn() {
  mkdirSync(OUT, { recursive: true });
  const libraries = listed(join(NATIVE, "build", "Release", "obj.target"), /^framelab_.*\.a$/);
  const objects = await compileAll(units());
  const time = existsSync(MODULE) ? statSync(MODULE).mtimeMs : 0;
  if ([...objects, ...libraries].every((path) => statSync(path).mtimeMs < time)) return MODULE;
  const counted = "-Wl,--wrap=pread,--wrap=pread64";
  const linked = [counted, "-Wl,--start-group", ...libraries, "-Wl,--end-group", "-lpthread", "-ldl"];
  await compiled(["-shared", "-Wl,-Bsymbolic", ...objects, ...linked], MODULE);
  return MODULE;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const refused = standInRefused();
  if (refused) console.error(refused);
  else console.log(await buildStandIn());
  process.exitCode = refused ? 1 : 0;
}
