// Owns: `npm run fuzz`: builds the fuzzer with a plain compiler, runs it, and has the TypeScript reference decode its cases.
// Must not know: how blocks are damaged or decoded.
//
//   npm run fuzz                        240,000 blocks on every instruction set of this processor
//   npm run fuzz -- --sanitize          fewer blocks, with the address and undefined-behaviour sanitizers
//   npm run fuzz -- --arm64             NEON, compiled by aarch64-linux-gnu-g++ and run by qemu-aarch64
//   npm run fuzz -- --threads           the thread pool with the thread sanitizer
//   npm run fuzz -- --blocks 6000       another number of blocks
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { NATIVE, nativeUnits } from "./native-units.mjs";

const ROOT = dirname(NATIVE);
const JOBS = Math.min(2, availableParallelism());
const SEEDS_TIMES_LAYOUTS = 12;
const FUZZ_SOURCES = ["cases", "encoder", "planes", "reference"];

const { values: options } = parseArgs({
  options: {
    sanitize: { type: "boolean", default: false },
    arm64: { type: "boolean", default: false },
    threads: { type: "boolean", default: false },
    blocks: { type: "string" },
  },
});

/** What the fuzzer links: the inner operations and the chunk decoder, or all of the decoder with its threads. */
const DECODER = /^(backends\/cpu\/(chunk|dispatch|kernels_\w+)|codecs\/\w+)\.cc$/;
const EVERYTHING = /./;

/** How one kind of build differs. */
function variant() {
  const compiler = process.env.CXX ?? "c++";
  const native = { arch: process.arch, compiler, units: DECODER, main: "fuzz" };
  if (options.arm64) {
    const cross = { arch: "arm64", compiler: "aarch64-linux-gnu-g++", flags: ["-O2"], link: ["-static"] };
    return { ...native, ...cross, name: "arm64", blocks: 12_000 };
  }
  if (options.threads) {
    const sanitizer = ["-fsanitize=thread", "-g"];
    const whole = { units: EVERYTHING, main: "threads", flags: ["-O1", ...sanitizer], link: sanitizer };
    return { ...native, ...whole, name: "threads", blocks: 0 };
  }
  if (!options.sanitize) return { ...native, name: "plain", flags: ["-O3"], link: [], blocks: 240_000 };
  const sanitizers = [
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-g",
  ];
  return { ...native, name: "sanitize", flags: ["-O1", ...sanitizers], link: sanitizers, blocks: 24_000 };
}

function fail(message) {
  console.error(`fuzz: ${message}`);
  process.exit(1);
}

function compile({ compiler, flags }, { source, flags: own }, object) {
  const warnings = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion"];
  const args = [
    "-std=c++17",
    ...flags,
    ...warnings,
    ...own,
    `-I${NATIVE}`,
    "-c",
    join(NATIVE, source),
    "-o",
    object,
  ];
  return new Promise((done) => {
    const child = spawn(compiler, args, { stdio: "inherit" });
    child.on("error", (error) => fail(`${compiler} cannot be started: ${error.message}`));
    child.on("exit", (code) => (code === 0 ? done() : fail(`${source} does not compile`)));
  });
}

/** When anything that an object depends on last changed. */
function newestSource() {
  const files = readdirSync(NATIVE, { recursive: true }).filter((name) => /\.(cc|h|gyp)$/.test(name));
  const scripts = ["fuzz.mjs", "native-units.mjs"].map((name) => join(ROOT, "scripts", name));
  const paths = [
    ...files.filter((name) => !name.startsWith("build")).map((name) => join(NATIVE, name)),
    ...scripts,
  ];
  return Math.max(...paths.map((path) => statSync(path).mtimeMs));
}

/** `backends/cpu/batch.cc` as a file name of its own: folders have files of one name. */
function objectName(source) {
  return `${source.slice(0, -".cc".length).replaceAll("/", "-")}.o`;
}

async function build(kind) {
  const folder = join(ROOT, "build", "fuzz", kind.name);
  mkdirSync(folder, { recursive: true });
  const own = [...FUZZ_SOURCES, kind.main].map((name) => ({ source: `fuzz/${name}.cc`, flags: [] }));
  const units = [...nativeUnits(kind.arch).filter(({ source }) => kind.units.test(source)), ...own];
  const objects = units.map(({ source }) => join(folder, objectName(source)));
  const newest = newestSource();
  const waiting = units
    .map((unit, i) => [unit, objects[i]])
    .filter(([, object]) => !existsSync(object) || statSync(object).mtimeMs < newest);
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await compile(kind, ...next);
  };
  await Promise.all(Array.from({ length: JOBS }, worker));
  const program = join(folder, "fuzz");
  const link = spawnSync(kind.compiler, [...objects, ...kind.link, "-ldl", "-lpthread", "-o", program], {
    stdio: "inherit",
  });
  if (link.status !== 0) fail("the fuzzer does not link");
  return program;
}

/** Cases as native/fuzz/fuzz.cc writes them: u32 block bytes, stream bytes, verdict, sum; then the stream. */
function compareWithTypeScript(path) {
  const dist = join(ROOT, "dist");
  if (!existsSync(join(dist, "backends", "reference", "lz4-block.js"))) fail("run npm run build first");
  const require = createRequire(join(dist, "index.js"));
  const { decodeLz4Block } = require("./backends/reference/lz4-block.js");
  const { DAMAGE_REASONS } = require("./damage/reasons.js");
  const cases = readFileSync(path);
  let count = 0;
  for (let at = 0; at < cases.length; count++) {
    const [size, streamBytes, verdict, sum] = [0, 4, 8, 12].map((offset) => cases.readUInt32LE(at + offset));
    const stream = cases.subarray(at + 16, at + 16 + streamBytes);
    at += 16 + streamBytes;
    const block = new Uint8Array(size);
    const { reason } = decodeLz4Block(stream, block);
    const number = reason === null ? 0 : 1 + DAMAGE_REASONS.findIndex(({ code }) => code === reason);
    if (number !== verdict) fail(`case ${count}: C++ says ${verdict}, TypeScript ${number} (${reason})`);
    if (number === 0 && fnv1a(block) !== sum) fail(`case ${count}: the references decode different bytes`);
  }
  if (count === 0) fail("the fuzzer wrote no cases");
  console.log(`the TypeScript reference agrees with the fuzzer's on ${count} cases`);
}

function fnv1a(bytes) {
  let sum = 2166136261;
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 16777619);
  return sum >>> 0;
}

/** Runs the fuzzer and the TypeScript reference over the same cases. */
function fuzz(program, blocks) {
  const cases = `${program}-cases.bin`;
  const args = [String(Math.ceil(blocks / SEEDS_TIMES_LAYOUTS)), cases];
  const started = performance.now();
  runOrFail(options.arm64 ? ["qemu-aarch64", program, ...args] : [program, ...args]);
  compareWithTypeScript(cases);
  console.log(`${blocks} blocks in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

function runOrFail([program, ...args]) {
  const run = spawnSync(program, args, { stdio: "inherit" });
  if (run.status !== 0) fail(run.error ? run.error.message : `ended with ${run.signal ?? run.status}`);
}

const kind = variant();
const blocks = Number(options.blocks ?? kind.blocks);
const enough = Number.isInteger(blocks) && blocks >= SEEDS_TIMES_LAYOUTS;
if (!options.threads && !enough) fail(`--blocks ${options.blocks} is not a number of blocks`);
const program = await build(kind);
if (options.threads) runOrFail([program]);
else fuzz(program, blocks);
