// Owns: the one MSL text: the files of metal/ in name order, each behind a #line.
// Must not know: what is in them, or who compiles the text.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const METAL = join(dirname(fileURLToPath(import.meta.url)), "..", "metal");

/** `[{ name, text }]` of metal/*.metal in the order in which they are joined. */
export function metalFiles() {
  return readdirSync(METAL)
    .filter((name) => name.endsWith(".metal"))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(METAL, name), "utf8") }));
}

/** The text that Metal compiles: there is no include path at run time, so the files become one. */
export function metalSource(files = metalFiles()) {
  return files.map(({ name, text }) => `#line 1 "metal/${name}"\n${text}`).join("");
}

/** The text as a C++ unit that defines `framelab::metal::kKernelText`, in literals that every compiler takes. */
export function metalSourceCpp() {
  const pieces = metalFiles().map((file) => `R"MSL(${metalSource([file])})MSL"`);
  return `// Made by scripts/metal-source.mjs from metal/.
namespace framelab::metal {
extern const char* const kKernelText;
const char* const kKernelText = ${pieces.join("\n")};
}  // namespace framelab::metal
`;
}

/** `OUT.metal` writes the text, `--cpp OUT.cc` a unit with it, `--list` names its files as native/ sees them. */
function main(args) {
  const [option, path] = args.length === 2 ? args : ["", args[0]];
  if (path === "--list") {
    console.log(
      metalFiles()
        .map(({ name }) => `../metal/${name}`)
        .join("\n"),
    );
    return;
  }
  if (!path || !["", "--cpp"].includes(option)) {
    console.error("usage: node scripts/metal-source.mjs OUT.metal | --cpp OUT.cc | --list");
    process.exitCode = 2;
    return;
  }
  mkdirSync(dirname(resolve(path)), { recursive: true });
  writeFileSync(path, option === "--cpp" ? metalSourceCpp() : metalSource());
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  main(process.argv.slice(2));
