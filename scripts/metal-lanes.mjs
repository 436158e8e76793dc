// Owns: building MSL text into a program that runs it lane by lane on the CPU, plain or under a sanitizer.
// Must not know: what the program's tests look for.
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CLANG } from "./metal-check.mjs";
import { generateCpu } from "./metal-generate.mjs";

const run = promisify(execFile);
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const SIMT = join(ROOT, "test", "metal", "simt");
const CASES = join(ROOT, "test", "metal", "cases");
export const BUILD = join(ROOT, "build", "metal");

const COMMON = [
  "-std=c++17",
  "-g",
  "-Wall",
  "-Wextra",
  "-Werror",
  "-fno-strict-aliasing",
  `-I${join(ROOT, "native")}`,
];
// The type check has judged the kernel text; what a planted bug leaves unused is no matter here.
const KERNEL_ONLY = ["-w", `-I${SIMT}`];

/**
 * Which files each build instruments. ThreadSanitizer must not see the engine's own bookkeeping; MemorySanitizer cannot
 * follow the uninstrumented C++ library that the tests use.
 */
const BUILDS = {
  plain: { define: [], kernels: ["-O2"], engine: ["-O2"], tests: ["-O2"] },
  address: instrumented(
    "ASAN",
    ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    true,
    true,
  ),
  memory: instrumented("MSAN", ["-fsanitize=memory"], true, false),
  thread: instrumented("TSAN", ["-fsanitize=thread"], false, false),
};

function instrumented(name, flags, engine, tests) {
  const on = ["-O1", "-fno-omit-frame-pointer", ...flags];
  return {
    define: [`-DSIMT_${name}=1`],
    flags,
    kernels: on,
    engine: engine ? on : ["-O2"],
    tests: tests ? on : ["-O2"],
  };
}

const testSources = () => [
  ...readdirSync(CASES)
    .filter((name) => name.endsWith(".cpp"))
    .map((name) => join(CASES, name)),
  join(ROOT, "native", "backends", "metal", "probe_answers.cc"),
];

async function compile(source, object, flags) {
  await run(CLANG, [...COMMON, ...flags, "-c", source, "-o", object], { maxBuffer: 2 ** 26 });
  return object;
}

/** Objects that do not depend on the kernel text: engine, machine, cases. Built once a kind. */
export async function buildHarness(kind) {
  const { define, engine, tests } = BUILDS[kind];
  const folder = join(BUILD, kind);
  mkdirSync(folder, { recursive: true });
  const objects = [
    await compile(join(SIMT, "lanes.cpp"), join(folder, "lanes.o"), [
      ...define,
      ...engine,
      "-Wno-unused-private-field",
    ]),
  ];
  for (const name of ["machine_cpu.cpp", "main.cpp"])
    objects.push(
      await compile(join(SIMT, name), join(folder, `${name}.o`), [
        ...define,
        ...tests,
        "-Wno-unused-private-field",
      ]),
    );
  for (const source of testSources())
    objects.push(await compile(source, join(folder, `${basename(source)}.o`), [...define, ...tests]));
  return objects;
}

/** The program of a kernel text: its path. `name` tells builds of one kind apart. */
export async function buildLanes(kind, text, harness, name = "run") {
  const { define, kernels, flags = [] } = BUILDS[kind];
  const stem = join(BUILD, kind, name);
  writeFileSync(`${stem}.cpp`, generateCpu(text));
  const object = await compile(`${stem}.cpp`, `${stem}.o`, [...define, ...kernels, ...KERNEL_ONLY]);
  await run(CLANG, [...flags, object, ...harness, "-o", stem], { maxBuffer: 2 ** 26 });
  return stem;
}
