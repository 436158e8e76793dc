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

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const out = process.argv[2];
  if (!out) {
    console.error("usage: node scripts/metal-source.mjs OUT.metal");
    process.exit(2);
  }
  mkdirSync(dirname(resolve(out)), { recursive: true });
  writeFileSync(out, metalSource());
}
