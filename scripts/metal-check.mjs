// Owns: the type check of MSL text with upstream clang, and the rules that clang alone lets through.
// Must not know: what the kernels compute.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { lintAst } from "./metal-lint-ast.mjs";
import { lintText } from "./metal-lint-text.mjs";
import { metalSource } from "./metal-source.mjs";

const STAND_IN = join(dirname(fileURLToPath(import.meta.url)), "..", "test", "metal", "check");
export const CLANG = process.env.FRAMELAB_CLANGXX ?? "clang++-19";

const FLAGS = [
  ...[
    "-x",
    "clcpp",
    "-cl-std=clc++2021",
    "-cl-no-stdinc",
    "-target",
    "spir64-unknown-unknown",
    `-I${STAND_IN}`,
  ],
  ...["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unknown-attributes"],
  ...["-Werror=pre-c++17-compat", "-Wno-unknown-pragmas", "-ferror-limit=0"],
];

/** Every complaint about the text, one a line; none when the text may go to Metal. `name` is for messages. */
export function checkMetal(text, name = "metal") {
  const folder = mkdtempSync(join(tmpdir(), "metal-check-"));
  try {
    const file = join(folder, "text.metal");
    writeFileSync(file, text);
    const complaints = lintText(text, name);
    let json;
    try {
      json = execFileSync(CLANG, [...FLAGS, "-Xclang", "-ast-dump=json", file], {
        maxBuffer: 2 ** 30,
        stdio: ["ignore", "pipe", "pipe"],
        encoding: "utf8",
      });
    } catch (error) {
      if (error.code === "ENOENT") throw error;
      const lines = String(error.stderr).replaceAll(file, name).split("\n");
      return [...complaints, ...lines.filter((line) => /: (error|fatal error):/.test(line))];
    }
    return [...complaints, ...lintAst(JSON.parse(json), name)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const file = process.argv[2];
  const complaints = file ? checkMetal(readFileSync(file, "utf8"), file) : checkMetal(metalSource());
  for (const line of complaints) console.error(line);
  if (complaints.length === 0) console.log(`${file ?? "metal/"}: ok`);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
