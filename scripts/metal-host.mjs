// Owns: rung 3: building the Metal device over the stand-in and running its test; the host's ABI for both Macs.
// Must not know: what the test checks.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CLANG } from "./metal-check.mjs";
import { generateCpu } from "./metal-generate.mjs";
import { metalSource } from "./metal-source.mjs";
import { standInTexts } from "./metal-standin.mjs";

const run = promisify(execFile);
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const OUT = join(ROOT, "build", "metal", "host");
const HOST = join(ROOT, "native", "backends", "metal");
const TEST = join(ROOT, "test", "metal", "host");
const SIMT = join(ROOT, "test", "metal", "simt");

const CPP = [
  "-std=c++17",
  "-g",
  "-O1",
  "-Wall",
  "-Wextra",
  "-Werror",
  `-I${join(ROOT, "native")}`,
  `-I${TEST}`,
];
const OBJECTIVE_C = [
  ...["-x", "objective-c++", "-fobjc-runtime=macosx-10.15", "-fobjc-arc", "-fblocks"],
  `-I${join(TEST, "standin")}`,
];

async function compile(source, name, flags) {
  const object = join(OUT, `${name}.o`);
  await run(CLANG, [...flags, "-c", source, "-o", object], { maxBuffer: 2 ** 26 });
  return object;
}

/** Builds the host test. Returns its path. */
async function buildHostTest() {
  mkdirSync(OUT, { recursive: true });
  writeFileSync(join(OUT, "source.cpp"), standInTexts([{ text: metalSource(), prefix: "" }]));
  writeFileSync(join(OUT, "kernels.cpp"), generateCpu(metalSource()));
  const objects = [
    await compile(join(OUT, "source.cpp"), "source", CPP),
    await compile(join(OUT, "kernels.cpp"), "kernels", [
      "-std=c++17",
      "-O2",
      "-w",
      "-fno-strict-aliasing",
      `-I${SIMT}`,
    ]),
    await compile(join(SIMT, "lanes.cpp"), "lanes", ["-std=c++17", "-O2", "-Wno-unused-private-field"]),
    await compile(join(TEST, "standin", "runtime.cpp"), "runtime", CPP),
    await compile(join(TEST, "standin", "foundation.mm"), "foundation", [...CPP, ...OBJECTIVE_C]),
    await compile(join(TEST, "standin", "gpu.mm"), "gpu", [...CPP, ...OBJECTIVE_C]),
    await compile(join(TEST, "standin", "queue.mm"), "queue", [...CPP, ...OBJECTIVE_C]),
    await compile(join(TEST, "main.cpp"), "main", CPP),
    await compile(join(HOST, "device.mm"), "device", [...CPP, ...OBJECTIVE_C]),
    await compile(join(HOST, "pipelines.mm"), "pipelines", [...CPP, ...OBJECTIVE_C]),
  ];
  for (const name of ["known_blocks.cc", "probe_answers.cc", "self_test.cc"])
    objects.push(await compile(join(HOST, name), name, CPP));
  await run(CLANG, [...objects, "-o", join(OUT, "host-test"), "-lpthread"]);
  return join(OUT, "host-test");
}

/** Builds and runs it. Returns failures in words. */
export async function runHost() {
  try {
    await run(await buildHostTest(), [], { timeout: 300_000, maxBuffer: 2 ** 26 });
    return [];
  } catch (error) {
    const said = `${error.stdout ?? ""}${error.stderr ?? error.message}`;
    return said
      .split("\n")
      .filter((line) => /FAILED|error:|Metal rule|objective-c:/.test(line))
      .concat(said.slice(-300))
      .slice(0, 12);
  }
}
