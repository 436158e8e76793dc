// Owns: rung 4: compiling and linking the addon as a Mac would, for arm64 and x64, and looking at what came out.
// Must not know: what the code does. The binaries are looked at and never published.
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { PROGRAM } from "../bench/contenders/metal.mjs";
import { findHeaders } from "./build-native.mjs";
import { darwinHeaders } from "./darwin-headers.mjs";
import { CLANG } from "./metal-check.mjs";
import { metalSourceCpp } from "./metal-source.mjs";
import { macBuild, NATIVE } from "./native-units.mjs";

const run = promisify(execFile);
const ROOT = dirname(NATIVE);
const OUT = join(ROOT, "build", "metal", "macho");
const TEST = join(ROOT, "test", "metal", "macho");
const STAND_IN = join(ROOT, "test", "metal", "host", "standin");
export const LINKER = "ld64.lld-19";
export const OTOOL = "llvm-otool-19";
const NM = "llvm-nm-19";
const ARCHITECTURES = { arm64: "arm64", x64: "x86_64" };
const EXPORTS = ["_napi_register_module_v1", "_node_api_module_get_api_version_v1"];
const SYSTEM = ["/usr/lib/libSystem.B.dylib", "/usr/lib/libc++.1.dylib", "/usr/lib/libobjc.A.dylib"];

async function tool(program, args) {
  const { stdout } = await run(program, args, { maxBuffer: 2 ** 26 });
  return stdout;
}

/** Flags of one unit, as node-gyp passes them on a Mac, with headers that need no SDK. */
function unitFlags(arch, { source, flags, defines, arc }, context) {
  const { before, after } = context.headers.includes(arch);
  const objectiveC = source.endsWith(".mm") ? ["-x", "objective-c++", ...(arc ? ["-fobjc-arc"] : [])] : [];
  const system = [...before, context.resources, ...after, STAND_IN, ...context.node];
  return [
    `--target=${ARCHITECTURES[arch]}-apple-macosx${context.deploymentTarget}`,
    ...objectiveC,
    ...["-std=c++17", "-O1", "-fvisibility=hidden", "-fblocks", "-nostdinc", "-Wall", "-Wextra", "-Werror"],
    // Zig's libc++ takes from its compiler's driver what is written into Apple's.
    ...["-D_LIBCPP_ABI_VERSION=1", "-D_LIBCPP_ABI_NAMESPACE=__1"],
    ...flags.filter((flag) => !/^-Wno-maybe/.test(flag)),
    ...defines.map((define) => `-D${define}`.replace("<(framelab_version)", "0.0.0").replaceAll('\\"', '"')),
    ...system.flatMap((folder) => ["-isystem", folder]),
    `-I${NATIVE}`,
  ];
}

async function compile(arch, unit, context) {
  const generated = /^<\(INTERMEDIATE_DIR\)\/(.*)/.exec(unit.source)?.[1];
  const path = generated ? join(OUT, generated) : join(unit.folder ?? NATIVE, unit.source);
  const object = join(OUT, `${arch}-${unit.source.replace(/\W+/g, "-")}.o`);
  await run(CLANG, [...unitFlags(arch, unit, context), "-c", path, "-o", object], { maxBuffer: 2 ** 26 });
  return object;
}

/** Node-API functions of the version that the addon asks for, as the headers of this Node declare them. */
async function nodeApiSymbols(nodeHeaders) {
  const header = join(nodeHeaders, "node_api.h");
  const text = await tool(CLANG, ["-E", "-P", "-x", "c", "-DNAPI_VERSION=9", header]);
  const found = [...text.matchAll(/\b((?:napi|node_api)_\w+)\s*\(/g)].map(([, name]) => `_${name}`);
  return [...new Set(found)];
}

function linkArguments(arch, objects, out, context) {
  const stubs = readdirSync(join(TEST, "stubs")).map((name) => join(TEST, "stubs", name));
  return [
    ...["-bundle", "-arch", ARCHITECTURES[arch], "-undefined", "error"],
    ...["-platform_version", "macos", context.deploymentTarget, context.deploymentTarget],
    ...context.nodeApi.flatMap((name) => ["-U", name]),
    ...[...objects, ...stubs, context.headers.libSystem, "-o", out],
  ];
}

const lines = (text, pattern) => [...text.matchAll(pattern)].map(([, first]) => first);

/** What is wrong with a linked addon, in words. */
async function inspect(arch, path, context) {
  const wrong = [];
  const expect = (what, found, wanted) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      wrong.push(`${arch}: ${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`);
  };
  const symbols = await tool(NM, ["-m", "-u", path]);
  const dynamic = lines(symbols, /external (\S+) \(dynamically looked up\)/g);
  if (dynamic.length === 0) wrong.push(`${arch}: no Node-API symbol is left to Node`);
  expect(
    "left to Node beside Node-API",
    dynamic.filter((name) => !context.nodeApi.includes(name)),
    [],
  );
  const libraries = lines(await tool(OTOOL, ["-L", path]), /^\s+(\/\S+) \(/gm);
  const frameworks = context.libraries.map((flag) => flag.replace("-framework ", ""));
  const named = libraries.map((name) => /(\w+)\.framework/.exec(name)?.[1] ?? name);
  expect("libraries", named.sort(), [...SYSTEM, ...frameworks].sort());
  // The C++ library's own type names are weak and may be seen; nothing of ours.
  const exported = (await tool(NM, ["-g", "--defined-only", "-j", path])).trim().split("\n");
  expect("exports", exported.filter((name) => !/^__ZT[IS]NSt3__1/.test(name)).sort(), EXPORTS);
  const header = await tool(OTOOL, ["-h", "-l", path]);
  expect("minimum macOS", lines(header, /^\s+minos (\S+)/gm), [context.deploymentTarget]);
  // An arm64 binary without a signature is killed at loading.
  expect("signed", header.includes("LC_CODE_SIGNATURE"), arch === "arm64");
  return wrong;
}

async function checkArchitecture(arch, shared) {
  const build = macBuild(arch);
  const context = { ...shared, ...build };
  const runtime = { source: "compiler_runtime.cc", folder: TEST, flags: [], defines: [], arc: false };
  const objects = [];
  for (const unit of [...build.units, runtime]) objects.push(await compile(arch, unit, context));
  const addon = join(OUT, `framelab-${arch}.node`);
  await run(LINKER, linkArguments(arch, objects, addon, context));
  const wrong = await inspect(arch, addon, context);
  // The bench's program is compiled only: device.mm and pipelines.mm are in the addon.
  for (const { source } of PROGRAM.filter((unit) => !unit.source.endsWith(".mm")))
    await compile(arch, { ...runtime, source: relative(ROOT, source), folder: ROOT }, context);
  // The link must be as strict as it looks.
  const bogus = await compile(arch, { ...runtime, source: "bogus.cc" }, context);
  const refused = await run(LINKER, linkArguments(arch, [...objects, bogus], `${addon}.bogus`, context)).then(
    () => "",
    (error) => error.stderr,
  );
  if (!refused.includes("_framelab_symbol_of_nobody"))
    wrong.push(`${arch}: a call that nobody answers passes the link`);
  return wrong;
}

/** Returns failures in words. */
export async function checkMachO() {
  mkdirSync(OUT, { recursive: true });
  writeFileSync(join(OUT, "kernel_text.cc"), metalSourceCpp());
  const prefix = findHeaders();
  if (!prefix) return [`no headers of Node ${process.version} beside its program`];
  const nodeHeaders = join(prefix, "include", "node");
  const shared = {
    headers: darwinHeaders(),
    resources: join((await tool(CLANG, ["-print-resource-dir"])).trim(), "include"),
    node: [
      nodeHeaders,
      dirname(createRequire(join(ROOT, "package.json")).resolve("node-addon-api/package.json")),
    ],
    nodeApi: await nodeApiSymbols(nodeHeaders),
  };
  const failures = [];
  for (const arch of Object.keys(ARCHITECTURES)) {
    try {
      failures.push(...(await checkArchitecture(arch, shared)));
    } catch (error) {
      const said = `${error.stderr || error.message}`.split("\n").filter((line) => /error:/.test(line));
      failures.push(...said.slice(0, 12).map((line) => `${arch}: ${line}`));
    }
  }
  return failures;
}
