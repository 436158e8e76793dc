// Owns: compiling the native addon against the running Node's own headers; nothing is downloaded.
// Must not know: what happens when it fails (the installer falls back, a developer reads the output).
//
//   node scripts/build-native.mjs          build native/build/Release/framelab.node, exit 1 on failure
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** More jobs would take memory from a notebook that is already running. */
const COMPILE_JOBS = "2";

/** Prefix of the running Node when it holds headers of exactly this Node's major version, else null. */
export function findHeaders(execPath = process.execPath) {
  const prefix = dirname(dirname(realpathSync(execPath)));
  const header = join(prefix, "include", "node", "node_version.h");
  if (!existsSync(header)) return null;
  const major = /#define NODE_MAJOR_VERSION (\d+)/.exec(readFileSync(header, "utf8"))?.[1];
  return major === process.versions.node.split(".")[0] ? prefix : null;
}

/** The node-gyp that npm names or carries; npm sets both variables while it runs an install script. */
export function findNodeGyp(env = process.env) {
  const bundled = join("node_modules", "node-gyp", "bin", "node-gyp.js");
  const places = [env.npm_config_node_gyp];
  if (env.npm_execpath) places.push(join(dirname(dirname(env.npm_execpath)), bundled));
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  places.push(join(prefix, "lib", "node_modules", "npm", bundled), npmBesidePath(env, bundled));
  return places.find((place) => place && existsSync(place)) ?? null;
}

function npmBesidePath(env, bundled) {
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const npm = join(folder, "npm");
    // The command is a link to <npm>/bin/npm-cli.js.
    if (existsSync(npm)) return join(dirname(dirname(realpathSync(npm))), bundled);
  }
  return null;
}

/** Compiles the addon. Returns its path, or one line that says why there is none, with the compiler's whole output. */
export function buildNative() {
  if (process.platform === "win32")
    return { reason: "the native decoder is not built on Windows", output: "" };
  const nodeGyp = findNodeGyp();
  if (!nodeGyp) return { reason: "npm's node-gyp was not found", output: "" };
  const headers = findHeaders();
  if (!headers) return { reason: `no headers of Node ${process.version} beside its program`, output: "" };
  const resolvable = createRequire(join(root, "native", "binding.gyp"));
  try {
    resolvable.resolve("node-addon-api");
  } catch {
    return { reason: "the node-addon-api package is not installed", output: "" };
  }
  const run = spawnSync(
    process.execPath,
    [nodeGyp, "-C", join(root, "native"), `--nodedir=${headers}`, "-j", COMPILE_JOBS, "configure", "build"],
    { encoding: "utf8", env: { ...process.env, npm_config_nodedir: headers }, maxBuffer: 64 << 20 },
  );
  const output = `${run.stdout ?? ""}${run.stderr ?? ""}${run.error ?? ""}`;
  const addon = join(root, "native", "build", "Release", "framelab.node");
  if (run.status === 0 && existsSync(addon)) return { addon, output };
  return { reason: explain(output), output };
}

/** The known ways in which a machine cannot compile, most basic first. */
function explain(output) {
  if (/gyp ERR! find Python|find any Python/.test(output))
    return "no Python 3 was found, which node-gyp needs";
  if (/not found: (g?make)/.test(output)) return "no make was found";
  if (
    /(g\+\+|c\+\+|clang\+\+|cc|gcc)\S*: (command )?not found|No such file or directory: '?(g\+\+|c\+\+)/.test(
      output,
    )
  ) {
    return "no C++ compiler was found";
  }
  const error = /(?:fatal )?error: .*/.exec(output)?.[0];
  return error ? `the compiler says: ${error}` : "node-gyp failed";
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const result = buildNative();
  if (result.addon) {
    process.stdout.write(`${result.addon}\n`);
  } else {
    process.stderr.write(`${result.output}\nframelab: ${result.reason}\n`);
    process.exitCode = 1;
  }
}
