// Owns: the proof that the packed tarball installs into an empty project, with and without a compiler or a carried binary.
// Must not know: decoding. Needs npm; other packages come from npm's cache, or the registry when they are not there.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";

const ROOT = resolve(__dirname, "../../..");
const TARGET = `${process.platform}-${process.arch}`;
const BUILT = join(ROOT, "native", "build", "Release", "framelab.node");
const work = mkdtempSync(join(tmpdir(), "framelab-install-"));

function npm(args: string[], cwd: string, path = process.env.PATH): string {
  const env: NodeJS.ProcessEnv = { ...process.env, PATH: path, npm_config_update_notifier: "false" };
  // Inside `npm test` these point at this repository.
  for (const name of Object.keys(env))
    if (/^npm_(package|lifecycle)_|^npm_config_local_prefix$/.test(name)) delete env[name];
  const run = spawnSync("npm", args, { cwd, env, encoding: "utf8" });
  assert.equal(run.status, 0, `npm ${args.join(" ")}\n${run.stdout}\n${run.stderr}`);
  return run.stdout + run.stderr;
}

/** A folder with node, npm and a shell, and nothing that compiles. */
function pathWithoutCompiler(): string {
  const bin = join(work, "bin");
  mkdirSync(bin);
  const search = (process.env.PATH ?? "").split(delimiter);
  const npmPath = search.map((folder) => join(folder, "npm")).find((file) => existsSync(file));
  symlinkSync(process.execPath, join(bin, "node"));
  symlinkSync(realpathSync(npmPath ?? assert.fail("npm is not on PATH")), join(bin, "npm"));
  symlinkSync("/bin/sh", join(bin, "sh"));
  return bin;
}

function pack(folder: string, into: string): string {
  mkdirSync(into, { recursive: true });
  npm(["pack", "--ignore-scripts", "--pack-destination", into], folder);
  return join(into, readdirSync(into).find((name) => name.endsWith(".tgz")) ?? assert.fail("no tarball"));
}

interface Installed {
  readonly folder: string;
  readonly log: string;
  readonly loaded: { addon?: { version: string }; reason?: string };
}

/** Installs the tarball into a new project, requires it there, and asks its loader what it found. */
function install(name: string, tarball: string, path?: string): Installed {
  const project = join(work, name);
  mkdirSync(project);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "user", version: "1.0.0", private: true }),
  );
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--foreground-scripts"];
  const log = npm(["install", ...flags, tarball], project, path);
  const folder = join(project, "node_modules", "framelab");
  const ask = `require("framelab"); const { loadAddon } = require(process.argv[1]);
    const found = loadAddon(); process.stdout.write(JSON.stringify(found))`;
  const loader = join(folder, "dist", "backends", "addon.js");
  const answer = execFileSync(process.execPath, ["-e", ask, loader], { cwd: project, encoding: "utf8" });
  return { folder, log, loaded: JSON.parse(answer) };
}

describe("the packed tarball", () => {
  let tarball = "";
  let hidden = "";
  before(() => {
    tarball = pack(ROOT, join(work, "tarball"));
    hidden = pathWithoutCompiler();
  });
  after(() => rmSync(work, { recursive: true, force: true }));

  it("holds what an installation needs, and no build output, tests or fuzzer", () => {
    const names = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).split("\n");
    for (const name of [
      "dist/cli/framelab.js",
      "dist/index.js",
      "dist/index.d.ts",
      "native/binding.gyp",
      "native/addon/addon.cc",
    ]) {
      assert.ok(names.includes(`package/${name}`), `${name} is missing`);
    }
    const stray = names.filter((name) =>
      /\/(build|test|fuzz|node_modules|kernel-ext)\/|\.node$|tsbuildinfo/.test(name),
    );
    assert.deepEqual(stray, []);
  });

  it("compiles its decoder where there is a compiler", {
    skip: !existsSync(BUILT) && "no compiler here",
  }, () => {
    const { folder, loaded, log } = install("compiled", tarball);
    assert.match(loaded.addon?.version ?? "", /^\d+\.\d+\.\d+/, log);
    assert.ok(existsSync(join(folder, "native", "build", "Release", "framelab.node")));
    assert.match(log, new RegExp(`framelab: compiled its decoder for ${TARGET}`));
  });

  it("installs without a compiler, says why, and loads", () => {
    const { loaded, log } = install("bare", tarball, hidden);
    assert.equal(loaded.addon, undefined);
    assert.match(
      loaded.reason ?? "",
      /^no native binary for \S+: no (Python 3|make|C\+\+ compiler) was found/,
    );
    const lines = log.split("\n").filter((line) => line.startsWith("framelab:"));
    assert.equal(lines.length, 1, log);
    assert.match(lines[0]!, /uses its slower TypeScript decoder: no /);
  });

  it("loads, and says so, where npm did not run the install script", () => {
    const project = join(work, "unrun");
    mkdirSync(project);
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ name: "user", version: "1.0.0", private: true }),
    );
    npm(["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", tarball], project);
    const loader = join(project, "node_modules", "framelab", "dist", "backends", "addon.js");
    const ask = `require("framelab"); process.stdout.write(require(process.argv[1]).loadAddon().reason)`;
    const reason = execFileSync(process.execPath, ["-e", ask, loader], { cwd: project, encoding: "utf8" });
    assert.match(reason, /install script did not run; `npm rebuild framelab` runs it/);
  });

  it("uses a carried binary and compiles nothing", {
    skip: !existsSync(BUILT) && "no binary to carry",
  }, () => {
    const { folder, loaded, log } = install("carried", withBinary("good", BUILT), hidden);
    assert.match(loaded.addon?.version ?? "", /^\d+\.\d+\.\d+/, log);
    assert.ok(!existsSync(join(folder, "native", "build", "Release")));
    assert.match(log, new RegExp(`framelab: uses the carried binary for ${TARGET}`));
  });

  it("survives a carried binary that does not load", () => {
    const broken = join(work, "broken.node");
    writeFileSync(broken, "not a binary");
    chmodSync(broken, 0o755);
    const { loaded, log } = install("broken", withBinary("bad", broken), hidden);
    assert.match(log, new RegExp(`framelab: the carried binary for ${TARGET} cannot be used \\(`));
    assert.match(loaded.reason ?? "", /framelab\.node does not load: /);
  });

  function withBinary(name: string, binary: string): string {
    const stage = join(work, `stage-${name}`);
    mkdirSync(stage);
    execFileSync("tar", ["-xzf", tarball, "-C", stage]);
    const target = join(stage, "package", "prebuilds", TARGET, "framelab.node");
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(binary, target);
    return pack(join(stage, "package"), join(work, `tarball-${name}`));
  }
});
