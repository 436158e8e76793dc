// Owns: the contenders' packages, as pip fetches them: C sources by version and hash, and a venv for the load bench.
// Must not know: how sources are compiled, what is timed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/run-step.mjs";
import { buildFolder } from "../harness/folders.mjs";

const here = join(root, "bench", "contenders");
const venv = buildFolder("venv");
const onWindows = process.platform === "win32";

/** The venv's Python. */
export const python = join(venv, ...(onWindows ? ["Scripts", "python.exe"] : ["bin", "python"]));

function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: "utf8" });
  if (status === 0) return;
  const lines = `${error?.message ?? ""}${stdout ?? ""}${stderr ?? ""}`.trim().split("\n");
  throw new Error(`${program} ${args.slice(0, 3).join(" ")}: ${lines.at(-1)}`);
}

/** Runs `make` unless it ran with the same text before. */
function once(stamp, text, make) {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === text) return;
  make();
  writeFileSync(stamp, text);
}

/** Makes the venv with nothing but pip. @throws where there is no Python. */
function ensureVenv() {
  once(join(venv, ".made"), "", () => run(onWindows ? "python" : "python3", ["-m", "venv", "--clear", venv]));
}

/** Exact pins of a requirements file: `{ name, version, sha256 }`. */
function pinsOf(file) {
  const pins = readFileSync(join(here, file), "utf8").matchAll(
    /^([\w-]+)==(\S+)(?: --hash=sha256:([0-9a-f]+))?$/gm,
  );
  return [...pins].map(([, name, version, sha256]) => ({ name, version, ...(sha256 && { sha256 }) }));
}

/** Installs h5py and hdf5plugin. Gives their pins. @throws with one line that says why not. */
export function ensurePythonPackages() {
  ensureVenv();
  const file = join(here, "requirements.txt");
  once(join(venv, ".requirements"), readFileSync(file, "utf8"), () => {
    console.log("Installing h5py and hdf5plugin");
    run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", file]);
  });
  return pinsOf("requirements.txt");
}

/**
 * Downloads and unpacks the source archives. Gives their pins with the folder of each: `{ name, version, sha256,
 * folder }`. @throws with one line that says why not.
 */
export function ensureSources() {
  const folder = buildFolder("sources");
  const file = join(here, "sources.txt");
  const pins = pinsOf("sources.txt");
  mkdirSync(folder, { recursive: true });
  once(join(folder, ".sources"), readFileSync(file, "utf8"), () => {
    ensureVenv();
    console.log("Downloading the contenders' sources");
    const names = pins.map(({ name }) => name).join(",");
    const quiet = ["--quiet", "--disable-pip-version-check"];
    const exactly = ["--no-deps", "--require-hashes", "--no-binary", names, "-r", file];
    run(python, ["-m", "pip", "download", ...quiet, ...exactly, "-d", folder]);
    for (const archive of readdirSync(folder).filter((name) => name.endsWith(".tar.gz"))) {
      run("tar", ["-xzf", join(folder, archive), "-C", folder]);
    }
  });
  return pins.map((pin) => ({
    ...pin,
    folder: join(folder, `${pin.name.replaceAll("-", "_")}-${pin.version}`),
  }));
}
