// Owns: native/core/reasons.h, made from the one list of damage reasons in kernel-ext/src/damage/reasons.ts.
// Must not know: what a reason means. A structure test compares; `node scripts/generate-codes.mjs` writes the file anew.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(root, "kernel-ext", "src", "damage", "reasons.ts");
export const TARGET = join(root, "native", "core", "reasons.h");

/** The text of reasons.h for the present list. */
export function reasonsHeader() {
  const codes = [...readFileSync(SOURCE, "utf8").matchAll(/\{ code: "([a-z0-9-]+)", words: "/g)].map(
    (m) => m[1],
  );
  if (codes.length === 0) throw new Error(`no reason found in ${SOURCE}`);
  const lines = codes.map((code, i) => `  ${code.replaceAll("-", "_")} = ${i + 1},`);
  return `// Owns: the numbers of the damage reasons. Generated from kernel-ext/src/damage/reasons.ts by
// scripts/generate-codes.mjs: edit that list. Must not know: where damage is found.
#pragma once
#include <cstdint>

namespace framelab {

enum class Reason : std::uint8_t {
  ok = 0,
${lines.join("\n")}
};

}  // namespace framelab
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TARGET, reasonsHeader());
