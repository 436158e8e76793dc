// Owns: which C++ files belong to the decoder and with which flags, read from native/binding.gyp.
// Must not know: what they are compiled into.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const NATIVE = join(dirname(dirname(fileURLToPath(import.meta.url))), "native");

/** A gyp file is a Python literal; ours keeps to the part that is JSON but for comments and trailing commas. */
function readGyp(path) {
  const text = readFileSync(path, "utf8")
    .replace(/^\s*#.*$/gm, "")
    .replace(/,(\s*[\]}])/g, "$1");
  return JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")/g, (literal) => literal));
}

/** The decoder's units for `x64` or `arm64`: the static libraries, without the addon. */
export function nativeUnits(arch) {
  const gyp = readGyp(join(NATIVE, "binding.gyp"));
  const targets = [...gyp.targets];
  for (const [condition, then] of gyp.conditions) {
    if (condition === `target_arch=='${arch}'`) targets.push(...then.targets);
  }
  const expand = (flag) => {
    const name = /^<@\((\w+)\)$/.exec(flag)?.[1];
    return name ? gyp.variables[name] : [flag];
  };
  return targets
    .filter((target) => target.type === "static_library")
    .flatMap(({ sources, cflags = [] }) =>
      sources.map((source) => ({ source, flags: cflags.flatMap(expand) })),
    );
}
