// Owns: `npm run fuzz:metadata`: builds, then mutates the metadata of small files and loads each; prints counts by outcome.
// Must not know: how files are mutated or judged (test/fuzz).
//
//   npm run fuzz:metadata                          20,000 files
//   npm run fuzz:metadata -- --files 500 --seed 7  fewer, with other mutations
//   npm run fuzz:metadata -- --keep found          files with findings are kept in the folder found
import { join } from "node:path";
import { build } from "./build.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { nodeStep } from "./run-step.mjs";

ensurePackages();
await build();
nodeStep("", [join("build", "test", "fuzz", "main.js"), ...process.argv.slice(2)]);
