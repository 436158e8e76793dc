// Owns: the program that times the kernels' forms on a Metal device: Apple's on a Mac, the tests' stand-in on Linux.
// Must not know: what the forms differ in, how results are shown.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { CLANG } from "../../scripts/metal-check.mjs";
import { generateCpu } from "../../scripts/metal-generate.mjs";
import { metalFiles, metalSource } from "../../scripts/metal-source.mjs";
import { standInTexts } from "../../scripts/metal-standin.mjs";
import { root } from "../../scripts/run-step.mjs";
import { buildFolder } from "../harness/folders.mjs";
import { FORMS, formText } from "../kernels/forms.mjs";

const run = promisify(execFile);
/** More would take memory from what else runs. */
const JOBS = 2;
const KERNELS = join(root, "bench", "kernels");
const CASES = join(root, "test", "metal", "cases");
export const HOST = join(root, "test", "metal", "host");
const SIMT = join(root, "test", "metal", "simt");
const DEVICE = join(root, "native", "backends", "metal");
/** Where the device's and the host's headers lie. */
const NATIVE = ["backends", "codecs", "core"].map((name) => join(root, "native", name));
const OBJECTIVE_C = ["-x", "objective-c++", "-fobjc-arc", "-fblocks"];
const CPP = ["-std=c++17", "-O2", "-fno-strict-aliasing", `-I${join(root, "native")}`];

/** What is compiled everywhere, as `{ source, flags }`. */
export const PROGRAM = [
  ...["metal.cc", "rotation.cpp", "workload.cpp"].map((name) => ({ source: join(KERNELS, name), flags: [] })),
  ...["counts.cpp", "encode.cpp", "reference.cpp"].map((name) => ({ source: join(CASES, name), flags: [] })),
  ...["device.mm", "pipelines.mm"].map((name) => ({ source: join(DEVICE, name), flags: OBJECTIVE_C })),
];

/** How this machine gets a Metal device: `{ simulated, compiler }`. @throws with one line where there is none. */
export function metalHere() {
  const mac = process.platform === "darwin";
  const here = `${process.platform}-${process.arch}`;
  if (!mac && here !== "linux-x64")
    throw new Error(`--backend metal needs a Mac, or linux-x64 for the stand-in device; this is ${here}`);
  const compiler = mac ? "clang++" : CLANG;
  try {
    execFileSync(compiler, ["--version"], { stdio: "ignore" });
  } catch {
    const need = mac
      ? "the Xcode Command Line Tools (xcode-select --install)"
      : "clang-19, for the stand-in device";
    throw new Error(`--backend metal needs ${need}: there is no ${compiler}`);
  }
  return { simulated: !mac, compiler };
}

const newest = (folder, pattern) =>
  Math.max(
    ...readdirSync(folder, { recursive: true })
      .filter((name) => pattern.test(name))
      .map((name) => statSync(join(folder, name)).mtimeMs),
  );

/** Writes a file only where it changed. */
export function written(path, text) {
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
  return path;
}

/** The stand-in's own units: its device, and every form's kernels for the lane engine. */
function standInUnits(forms, folder) {
  const runtime = ["-fobjc-runtime=macosx-10.15", `-I${join(HOST, "standin")}`];
  const own = [`-I${HOST}`, "-Wno-unused-private-field"];
  const kernels = ({ name, text }) => ({
    source: written(join(folder, `${name}.cpp`), generateCpu(text, `${name}/`)),
    // The type check has judged the shipped text; what a form leaves unused is no matter here.
    flags: ["-O1", "-w", `-I${SIMT}`],
  });
  const texts = standInTexts(forms.map(({ name, text }) => ({ text, prefix: `${name}/` })));
  return {
    flags: runtime,
    units: [
      ...forms.map(kernels),
      { source: written(join(folder, "texts.cc"), texts), flags: own },
      { source: join(SIMT, "lanes.cpp"), flags: own },
      { source: join(HOST, "standin", "runtime.cpp"), flags: own },
      ...["foundation.mm", "gpu.mm", "queue.mm"].map((name) => ({
        source: join(HOST, "standin", name),
        flags: OBJECTIVE_C,
      })),
    ],
  };
}

async function compileAll(compiler, units, folder) {
  const headers = Math.max(
    ...[KERNELS, CASES, HOST, SIMT, ...NATIVE].map((place) => newest(place, /(\.h|metal_stdlib)$/)),
  );
  const waiting = units.map(({ source, flags }) => ({
    source,
    flags,
    object: join(folder, `${source.split("/").at(-1)}.o`),
  }));
  const objects = waiting.map(({ object }) => object);
  const worker = async () => {
    for (let unit = waiting.shift(); unit; unit = waiting.shift()) {
      const { source, flags, object } = unit;
      const time = existsSync(object) ? statSync(object).mtimeMs : 0;
      if (time > statSync(source).mtimeMs && time > headers) continue;
      await run(compiler, [...CPP, ...flags, "-c", source, "-o", object], { maxBuffer: 2 ** 26 });
    }
  };
  await Promise.all(Array.from({ length: JOBS }, worker));
  return objects;
}

/** The texts of the forms, each in a file of its own: `{ name, text, path }`. */
export function formsOf(names, folder) {
  return FORMS.filter(({ name }) => names.includes(name)).map((form) => {
    const text = metalSource(formText(form, metalFiles()));
    return { name: form.name, text, path: written(join(folder, `${form.name}.metal`), text) };
  });
}

/** Compiles and links `units` with the device of this machine into `folder`/`name`; gives its path. */
export async function link({ simulated, compiler }, { name, units, forms, libraries = [] }, folder) {
  const more = simulated ? standInUnits(forms, folder) : { flags: [], units: [] };
  const objective = (unit) => (unit.source.endsWith(".mm") ? more.flags : []);
  const all = [...units, ...more.units].map((unit) => ({
    source: unit.source,
    flags: [...unit.flags, ...objective(unit)],
  }));
  const objects = await compileAll(compiler, all, folder);
  const program = join(folder, name);
  const frameworks = ["Foundation", "Metal", "CoreGraphics"].flatMap((one) => ["-framework", one]);
  const system = simulated ? ["-lpthread", "-ldl"] : frameworks;
  await run(compiler, [...objects, ...libraries, ...system, "-o", program]);
  return program;
}

/**
 * Builds the program for the forms whose names are given. `{ program, forms }`: `forms` are its arguments, a text each.
 * @throws when a form is unknown, or with what the compiler says.
 */
export async function buildMetalBench(here, names = FORMS.map(({ name }) => name)) {
  const unknown = names.find((name) => !FORMS.some((form) => form.name === name));
  if (unknown) throw new Error(`there is no form "${unknown}": ${FORMS.map(({ name }) => name).join(", ")}`);
  const folder = buildFolder("metal");
  mkdirSync(folder, { recursive: true });
  const forms = formsOf(names, folder);
  const program = await link(here, { name: "metal-bench", units: PROGRAM, forms }, folder);
  return { program, forms: forms.map(({ name, path }) => `${name}=${path}`) };
}
