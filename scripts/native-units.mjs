// Owns: which native files are compiled for a system and processor and with which flags, read from native/binding.gyp.
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

/** Whether a condition such as `OS=='mac' and target_arch=='x64'` holds. */
function holds(condition, facts) {
  return condition.split(" and ").every((part) => {
    const [, name, sign, value] = /^(\w+)([=!]=)'?(\w*)'?$/.exec(part.trim()) ?? [];
    if (!name) throw new Error(`binding.gyp has a condition that is not understood here: ${condition}`);
    return (String(facts[name] ?? "") === value) === (sign === "==");
  });
}

/** `into` with what its conditions add, as gyp merges it: lists grow, objects merge, values give way. */
function merged({ conditions = [], ...into }, facts) {
  let out = into;
  for (const [condition, then, otherwise = {}] of conditions)
    out = mergedWith(out, merged(holds(condition, facts) ? then : otherwise, facts));
  return out;
}

function mergedWith(into, added) {
  const out = { ...into };
  for (const [key, value] of Object.entries(added)) {
    if (Array.isArray(value)) out[key] = [...(out[key] ?? []), ...value];
    else if (value && typeof value === "object") out[key] = mergedWith(out[key] ?? {}, value);
    else out[key] = value;
  }
  return out;
}

/**
 * What a Mac of `arch` (x64 or arm64) builds: every unit with its own flags and whether it is counted reference, ARC,
 * and the frameworks and files that the link and the build ask for.
 */
export function macBuild(arch) {
  const gyp = readGyp(join(NATIVE, "binding.gyp"));
  const facts = { OS: "mac", target_arch: arch };
  const targets = merged({ targets: gyp.targets, conditions: gyp.conditions }, facts).targets.map((target) =>
    merged(target, facts),
  );
  const flags = (target) =>
    (target.xcode_settings?.OTHER_CFLAGS ?? []).flatMap(
      (flag) => gyp.variables[/^<@\((\w+)\)$/.exec(flag)?.[1]] ?? [flag],
    );
  return {
    units: targets.flatMap((target) =>
      (target.sources ?? []).map((source) => ({
        source,
        flags: flags(target),
        defines: target.defines ?? [],
        arc: target.xcode_settings?.CLANG_ENABLE_OBJC_ARC === "YES",
      })),
    ),
    libraries: targets.flatMap(({ link_settings }) => link_settings?.libraries ?? []),
    deploymentTarget: gyp.target_defaults.xcode_settings.MACOSX_DEPLOYMENT_TARGET,
  };
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
