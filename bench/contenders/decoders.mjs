// Owns: the contenders of the decode bench: which there are, for which instruction sets, and how each is compiled.
// Must not know: data sets, clocks.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isNewer, root } from "../../scripts/run-step.mjs";
import { buildFolder } from "../harness/folders.mjs";
import { writeUnchecked } from "../kernels/unchecked.mjs";

const here = join(root, "bench", "contenders");
const onLinux = process.platform === "linux";
export const CC = process.env.CC || "cc";
export const CXX = process.env.CXX || "c++";

/** First line of `--version` of the C compiler. */
export function compilerVersion() {
  return execFileSync(CC, ["--version"], { encoding: "utf8" }).split("\n")[0];
}

/** What `-march=native` means here, by the widest set that the contenders have code for. */
function nativeIsa() {
  if (process.arch === "arm64") return "neon";
  const macros = execFileSync(CC, ["-march=native", "-dM", "-E", "-x", "c", "/dev/null"], {
    encoding: "utf8",
  });
  const has = (name) => macros.includes(`#define __${name}__ 1`);
  if (has("AVX512VBMI") && has("AVX512VL") && has("GFNI")) return "avx512";
  if (has("AVX512BW") && has("AVX512VL")) return "avx512bw";
  return has("AVX2") ? "avx2" : "sse2";
}

/**
 * Instruction sets that the libraries are compiled for: the machine's own, then narrower ones, so that like is
 * compared with like.
 */
export function libraryTargets() {
  const native = nativeIsa();
  if (native === "neon") return [{ isa: native, flags: ["-mcpu=native"] }];
  const narrower = [
    { isa: "avx2", flags: ["-march=x86-64-v3"] },
    { isa: "sse2", flags: ["-march=x86-64"] },
  ];
  const first = narrower.findIndex(({ isa }) => isa === native);
  return [{ isa: native, flags: ["-march=native"] }, ...narrower.slice(first + 1)];
}

/** Libraries are compiled as shared objects whose own calls stay direct, as in a static build. */
const SHARED = ["-shared", "-fPIC", "-fvisibility=hidden", "-w"];
const DIRECT = onLinux ? ["-fno-semantic-interposition", "-Wl,-Bsymbolic", "-Wl,-z,lazy"] : [];
// Zstandard and TERSE are left out of DECTRIS's library: their calls stay undefined and are never made.
const UNDEFINED = process.platform === "darwin" ? ["-Wl,-undefined,dynamic_lookup"] : [];

/** Compiles unless the same command made `output` after its inputs and `headers` last changed. */
function compile(output, program, args, inputs, { headers = [], libraries = [] } = {}) {
  const stamp = `${output}.command`;
  const all = [...args, ...inputs, "-o", output, ...libraries];
  const command = [program, ...all].join(" ");
  const same = existsSync(stamp) && readFileSync(stamp, "utf8") === command;
  if (same && isNewer([output], [...inputs, ...headers])) return output;
  mkdirSync(dirname(output), { recursive: true });
  const { status, stderr, error } = spawnSync(program, all, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}\n${error?.message ?? stderr}`);
  writeFileSync(stamp, command);
  return output;
}

function compileLibrary(name, target, sources, includes, flags = []) {
  const inputs = [join(here, `${name}.c`), ...sources];
  const folders = [here, ...includes].map((folder) => `-I${folder}`);
  const args = ["-O3", ...target.flags, ...SHARED, ...DIRECT, ...UNDEFINED, ...flags, ...folders];
  return compile(buildFolder("contenders", `${name}-${target.isa}.so`), CC, args, inputs);
}

function kiyo(target, { folder }) {
  const files = ["src/bitshuffle.c", "src/bitshuffle_core.c", "src/iochain.c", "lz4/lz4.c"];
  const includes = ["src", "lz4"].map((part) => join(folder, part));
  return compileLibrary(
    "kiyo",
    target,
    files.map((file) => join(folder, file)),
    includes,
  );
}

function dectris(target, { folder }) {
  const files = ["src/compression.c", "third_party/bitshuffle/src/bitshuffle.c", "third_party/lz4/lib/lz4.c"];
  const includes = ["third_party/bitshuffle/src", "third_party/lz4/lib", "third_party/zstd/lib"];
  // Chosen when compiled: its choice at run time would pass a narrower target over.
  const flags = target.isa === "avx512bw" ? [] : ["-DBITSHUF_USE_IFUNC=0"];
  return compileLibrary(
    "dectris",
    target,
    files.map((file) => join(folder, file)),
    [folder, ...includes.map((part) => join(folder, part))],
    flags,
  );
}

function lz4(target, { folder }) {
  return compileLibrary("lz4", target, [join(folder, "lz4/lz4.c")], [join(folder, "lz4")]);
}

const native = join(root, "native");

/** The addon's own static libraries, so that what is timed is what ships; `objects` take the place of their like. */
function framelab(name = "framelab", objects = []) {
  const release = join(native, "build", "Release");
  const libraries = existsSync(release)
    ? readdirSync(release)
        .filter((file) => /^framelab_.*\.a$/.test(file))
        .map((file) => join(release, file))
    : [];
  if (libraries.length === 0) throw new Error("the addon is not built: npm run build says why");
  const args = ["-O3", "-std=c++17", ...SHARED, `-I${native}`, `-I${here}`, "-pthread"];
  // Named twice: the libraries need each other.
  const inputs = [join(here, "framelab.cc"), ...objects, ...libraries, ...libraries];
  return compile(buildFolder("contenders", `${name}.so`), CXX, args, inputs);
}

/** Sets whose decoder is also timed without its checks, with the flags that native/binding.gyp has for them. */
const UNCHECKED =
  process.arch === "arm64"
    ? { neon: [] }
    : {
        avx512: [
          ...["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vbmi", "-mgfni"],
          "-Wno-maybe-uninitialized",
        ],
        avx2: ["-mavx2", "-mprfchw"],
      };

/** FrameLab's decoder without the checks of its LZ4 block loop: what they cost. Only ever given verified chunks. */
function unchecked() {
  const generated = writeUnchecked();
  const objects = Object.entries(UNCHECKED).map(([isa, flags]) => {
    const args = ["-c", "-O3", "-std=c++17", "-fPIC", "-fvisibility=hidden", "-w", ...flags];
    const source = join(native, "backends", "cpu", `kernels_${isa}.cc`);
    const headers = readdirSync(join(native, "codecs"), { recursive: true })
      .filter((file) => file.endsWith(".h"))
      .map((file) => join(native, "codecs", file));
    const folders = [`-I${generated}`, `-I${native}`];
    return compile(buildFolder("unchecked", `${isa}.o`), CXX, [...args, ...folders], [source], { headers });
  });
  return framelab("framelab-unchecked", objects);
}

/** FrameLab's instruction sets, fastest first; the program leaves out those that the machine has not. */
const FRAMELAB_ISAS =
  process.arch === "arm64" ? ["neon", "portable"] : ["avx512", "avx2-gfni", "avx2", "sse2", "portable"];

/** Libraries of the decode bench: which package has the source, and whether they give frames. */
const LIBRARIES = [
  { contender: "kiyo-bitshuffle", source: "bitshuffle", build: kiyo, targets: libraryTargets },
  {
    contender: "dectris-compression",
    source: "dectris-compression",
    build: dectris,
    targets: libraryTargets,
  },
  {
    ...{ contender: "lz4", source: "bitshuffle", build: lz4, decodes: false },
    targets: () => libraryTargets().slice(0, 1),
  },
];

/**
 * Compiles every contender from the pins of `ensureSources`. Each is `{ name, contender, isa, library, variant, decodes
 * }`, FrameLab's first; a library that does not compile is in `skipped`.
 * @throws when FrameLab's own decoder is not built.
 */
export function buildDecoders(sources) {
  const library = framelab();
  const contenders = FRAMELAB_ISAS.map((isa) => entry("framelab", isa, library, { variant: isa }));
  const skipped = [];
  try {
    const bare = unchecked();
    const sets = Object.keys(UNCHECKED);
    contenders.push(...sets.map((isa) => entry("framelab-unchecked", isa, bare, { variant: isa })));
  } catch (error) {
    skipped.push({ what: "framelab-unchecked", why: error.message });
  }
  for (const { contender, source, build, targets, decodes } of LIBRARIES) {
    for (const target of targets()) {
      try {
        const pin = sources.find(({ name }) => name === source);
        contenders.push(entry(contender, target.isa, build(target, pin), { decodes }));
      } catch (error) {
        skipped.push({ what: `${contender}/${target.isa}`, why: error.message });
      }
    }
  }
  const [widest] = libraryTargets();
  const stores = compileLibrary("stores", widest, [], []);
  for (const variant of ["memset", "stores"]) {
    contenders.push(entry(variant, widest.isa, stores, { variant, decodes: false }));
  }
  return { contenders, skipped };
}

function entry(contender, isa, library, { variant = "-", decodes = true } = {}) {
  return { name: `${contender}/${isa}`, contender, isa, library, variant, decodes };
}

/** The encoder of every chunk: the library that beamline writers use, for `prepareDataSet`. */
export function buildEncoder(program, sources) {
  const source = sources.find(({ name }) => name === "bitshuffle");
  const library = kiyo(libraryTargets()[0], source);
  return { program, library, version: `${source.name} ${source.version}` };
}

/** Compiles the program that touches memory before a load. */
export function buildTouch() {
  return compile(buildFolder("touch"), CC, ["-O2"], [join(root, "bench", "harness", "touch.c")]);
}

/** Compiles the program that times them. */
export function buildDecodeBench() {
  const folder = join(root, "bench", "harness", "decode");
  const headers = readdirSync(folder)
    .filter((file) => file.endsWith(".h"))
    .map((file) => join(folder, file));
  const args = ["-O2", "-std=c++17", "-Wall", "-Wextra", "-pthread"];
  const libraries = onLinux ? ["-ldl"] : [];
  return compile(buildFolder("decode-bench"), CXX, args, [join(folder, "main.cc")], { headers, libraries });
}
