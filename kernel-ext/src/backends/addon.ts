// Owns: finding and loading the native addon, and the TypeScript shape of what it exports.
// Must not know: decoding. Never throws: a machine without a binary is an answer, not an accident.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What `framelab.node` exports. Only `backends/` calls it. */
export interface Addon {
  /** Version of the package that the binary was compiled for. */
  readonly version: string;
}

/** The package's own folder: this file runs as `dist/backends/addon.js`. */
const PACKAGE = dirname(dirname(__dirname));

/** Where a binary may lie, best first: compiled on this machine, then carried by the package. */
function candidates(root: string): string[] {
  return [
    join(root, "native", "build", "Release", "framelab.node"),
    join(root, "prebuilds", `${process.platform}-${process.arch}`, "framelab.node"),
  ];
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
}

/** Why the installer left no binary, in its own words. */
function installersReason(root: string): string {
  try {
    return readFileSync(join(root, "native", "build", "reason.txt"), "utf8").trim();
  } catch {
    return "its install script did not run; `npm rebuild framelab` runs it";
  }
}

/**
 * Loads the addon of the package in `root`.
 * @returns the addon, or one sentence (no full stop) that says why there is none.
 */
export function loadAddon(root: string = PACKAGE): { addon: Addon } | { reason: string } {
  const failures: string[] = [];
  try {
    const wanted = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string })
      .version;
    for (const path of candidates(root)) {
      if (!existsSync(path)) continue;
      try {
        const addon = require(path) as Addon;
        if (addon.version === wanted) return { addon };
        failures.push(`${path} is of version ${addon.version}, this package is ${wanted}`);
      } catch (error) {
        failures.push(`${path} does not load: ${firstLine(error)}`);
      }
    }
  } catch (error) {
    failures.push(firstLine(error));
  }
  if (failures.length > 0) return { reason: failures.join("; ") };
  return { reason: `no native binary for ${process.platform}-${process.arch}: ${installersReason(root)}` };
}
