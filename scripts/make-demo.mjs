// Owns: `node scripts/make-demo.mjs [--large] [folder]`: writes the demo acquisition, or the large one, unless the folder
// holds it already. Must not know: what the demo contains (test/fixtures/demo.ts). Needs `npm run build` before.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const makers = join(root, "build", "test", "fixtures");
const args = process.argv.slice(2).filter((arg) => arg !== "--large");
const kind = process.argv.includes("--large") ? "large" : "demo";
const folder = resolve(args[0] ?? join(root, "demo"));
const stampPath = join(folder, `${kind}.json`);

if (!existsSync(join(makers, "demo.js"))) {
  console.error("The demo's makers are not compiled yet: run `npm run build` first.");
  process.exit(1);
}

/** Digest of the compiled makers: another program makes another demo. */
function makersDigest() {
  const digest = createHash("sha256");
  const names = readdirSync(makers, { recursive: true, withFileTypes: true });
  const paths = names.filter((entry) => entry.isFile() && entry.name.endsWith(".js"));
  for (const path of paths.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort()) {
    digest.update(relative(makers, path)).update(readFileSync(path));
  }
  return digest.digest("hex");
}

function fileDigest(path) {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

/** True when every file that the stamp lists is there, byte for byte. */
function upToDate(digest) {
  try {
    const stamp = JSON.parse(readFileSync(stampPath, "utf8"));
    const files = Object.entries(stamp.files);
    return (
      stamp.makers === digest && files.every(([name, sha256]) => fileDigest(join(folder, name)) === sha256)
    );
  } catch {
    return false;
  }
}

const digest = makersDigest();
if (upToDate(digest)) {
  console.log(`The ${kind} acquisition in ${folder} is up to date.`);
} else {
  const { writeDemo, writeLargeDemo } = createRequire(import.meta.url)(join(makers, "demo.js"));
  const paths = (kind === "large" ? writeLargeDemo : writeDemo)(folder);
  const files = Object.fromEntries(paths.map((path) => [basename(path), fileDigest(path)]));
  writeFileSync(stampPath, `${JSON.stringify({ makers: digest, files }, null, 2)}\n`);
  const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  console.log(
    `Wrote the ${kind} acquisition (${paths.length} files, ${(bytes / 1e6).toFixed(1)} MB) to ${folder}.`,
  );
}
