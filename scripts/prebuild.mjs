// Owns: the binaries that a release carries: making one for this machine, proving that it works, and that all are there.
// Must not know: how the addon is compiled, what an installation does with a binary.
//
//   node scripts/prebuild.mjs             compiles prebuilds/<system>-<processor>/framelab.node and tests it here
//   node scripts/prebuild.mjs --check     all four binaries are there, each of its own system and processor
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildNative } from "./build-native.mjs";
import { root } from "./run-step.mjs";

export const TARGETS = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"];

/**
 * Newest versions of GNU's libraries that a carried binary may ask for: those of Debian 11, where releases are compiled.
 * Systems with older ones, and those without them (Alpine), compile their own.
 */
const FLOOR = { GLIBC: "2.31", GLIBCXX: "3.4.28", CXXABI: "1.3.12" };

const placeOf = (target) => join(root, "prebuilds", target, "framelab.node");

/** `linux-x64` … of a binary, from its header; null when it is none of ours. */
export function targetOf(bytes) {
  if (bytes.length < 20) return null;
  if (bytes.readUInt32BE(0) === 0x7f454c46)
    return { 62: "linux-x64", 183: "linux-arm64" }[bytes.readUInt16LE(18)] ?? null;
  if (bytes.readUInt32LE(0) !== 0xfeedfacf) return null;
  return { 16777223: "darwin-x64", 16777228: "darwin-arm64" }[bytes.readUInt32LE(4)] ?? null;
}

function isNewer(version, floor) {
  const [a, b] = [version, floor].map((text) => text.split(".").map(Number));
  for (let i = 0; i < Math.max(a.length, b.length); i++)
    if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) > (b[i] ?? 0);
  return false;
}

/** Versions of GNU's libraries that a binary names and `floor` does not allow, like `GLIBC_2.38`. */
export function aboveFloor(bytes, floor = FLOOR) {
  const named = bytes.toString("latin1").matchAll(/\b(GLIBC|GLIBCXX|CXXABI)_(\d+(?:\.\d+)+)\0/g);
  const above = [...named].filter(([, library, version]) => isNewer(version, floor[library]));
  return [...new Set(above.map(([, library, version]) => `${library}_${version}`))].sort();
}

// Runs in a process of its own: a binary that does not fit this machine may end it. The stream is one literal run.
const LOAD_TEST = `
  const addon = require(process.argv[1]);
  const stream = Buffer.from([0x50, 1, 2, 3, 4, 5]);
  const ran = addon.isas().filter(({ supported }) => supported).map(({ name: isa }) => {
    const out = new Uint8Array(5);
    const refused = addon.decodeBlock({ isa, stream, out });
    if (refused !== 0 || out.join() !== "1,2,3,4,5") throw new Error(isa + " decodes wrongly");
    const cut = addon.decodeBlock({ isa, stream: stream.subarray(0, 4), out });
    if (cut === 0) throw new Error(isa + " takes a cut stream");
    return isa;
  });
  if (ran.length === 0) throw new Error("no instruction set runs here");
  process.stdout.write(addon.version + " " + ran.join(", "));`;

/** Loads a binary in a fresh process and decodes with each of its instruction sets. Throws when anything is wrong. */
export function loadTest(path) {
  const said = execFileSync(process.execPath, ["-e", LOAD_TEST, path], { encoding: "utf8", stdio: "pipe" });
  const [version, ...isas] = said.split(" ");
  const wanted = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
  if (version !== wanted) throw new Error(`${path} is of version ${version}, this package is ${wanted}`);
  return isas.join(" ");
}

/** What is wrong with the binaries under a folder, in words. */
export function missingBinaries(folder = join(root, "prebuilds")) {
  return TARGETS.flatMap((target) => {
    const path = join(folder, target, "framelab.node");
    if (!existsSync(path)) return [`${target}: no binary`];
    const found = targetOf(readFileSync(path));
    return found === target
      ? []
      : [`${target}: its binary is ${found ? `for ${found}` : "no binary of ours"}`];
  });
}

function fail(message) {
  console.error(`prebuild: ${message}`);
  process.exit(1);
}

function makeBinary() {
  const target = `${process.platform}-${process.arch}`;
  if (!TARGETS.includes(target)) fail(`no binary is carried for ${target}`);
  const built = buildNative();
  if (!built.addon) fail(`${built.output}\n${built.reason}`);
  const above = aboveFloor(readFileSync(built.addon));
  if (above.length > 0)
    fail(`needs ${above.join(", ")}: compile on Debian 11, whose libraries more systems have`);
  const path = placeOf(target);
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(built.addon, path);
  console.log(`${path}: decodes with ${loadTest(path)}`);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--check")) {
    const wrong = missingBinaries();
    if (wrong.length > 0) fail(wrong.join("; "));
    console.log(`All of ${TARGETS.join(", ")} are there.`);
  } else makeBinary();
}
