// Owns: `npm run verify:metal`: the differential suite on a user's Mac under Apple's validation, and its report.
// Must not know: what a test checks, how the report is worded.
//
// Writes build/metal/verify.md and prints it. FRAMELAB_REAL_FILES adds real files. Exits 1 when a test failed.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, totalmem } from "node:os";
import { join } from "node:path";
import { build } from "./build.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { metalReport, readTestRun } from "./metal-report.mjs";
import { root } from "./run-step.mjs";

/** Each backend against the reference, against source arrays, on damage and on real files. */
const SUITES = ["contract", "parity", "golden-errors", "real", "metal"];

/** Apple's checks of calls and of kernels' memory accesses. Read when a device is created. */
const VALIDATION = { MTL_DEBUG_LAYER: "1", MTL_SHADER_VALIDATION: "1" };

function ask(program, args) {
  try {
    return execFileSync(program, args, {
      encoding: "utf8",
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "unknown";
  }
}

function runSuites() {
  const files = SUITES.flatMap((suite) =>
    readdirSync(join(root, "build", "test", suite), { recursive: true })
      .filter((name) => String(name).endsWith(".test.js"))
      .map((name) => join("build", "test", suite, String(name))),
  );
  const args = ["--test", "--test-concurrency=2", "--test-reporter=spec", ...files];
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...VALIDATION } });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      process.stdout.write(text);
    });
  return new Promise((done) => child.on("close", () => done(readTestRun(output))));
}

/** `{ device }` of the Metal backend here, or `{ reason }`. */
function openMetal() {
  Object.assign(process.env, VALIDATION);
  const { BACKENDS } = createRequire(import.meta.url)("../dist/backends/registry.js");
  const opened = BACKENDS.find(({ name }) => name === "metal").open();
  return opened.backend ? { device: opened.backend.device } : { reason: opened.reason };
}

async function verify() {
  ensurePackages();
  await build();
  const metal = openMetal();
  const run = await runSuites();
  const report = metalReport({
    version: JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version,
    commit: ask("git", ["rev-parse", "--short", "HEAD"]),
    system: [
      ["macOS", `${ask("sw_vers", ["-productVersion"])} (${ask("sw_vers", ["-buildVersion"])})`],
      ["processor", `${ask("sysctl", ["-n", "machdep.cpu.brand_string"])}, ${arch()}`],
      ["memory", `${(totalmem() / 1e9).toFixed(0)} GB`],
      ["Node.js", process.version],
    ],
    metal,
    validation: VALIDATION,
    run,
  });
  const path = join(root, "build", "metal", "verify.md");
  mkdirSync(join(root, "build", "metal"), { recursive: true });
  writeFileSync(path, `${report}\n`);
  console.log(`\n${report}\nThis is in ${path}: please paste it in an issue, whatever it says.`);
  if (run.failed !== 0) process.exitCode = 1;
}

if (process.platform === "darwin") await verify();
else {
  console.error(
    `verify:metal needs macOS: it runs the tests on Apple's GPU, and this is ${process.platform}-${arch()}.`,
  );
  console.error("npm run metal:ladder checks what can be checked of the Metal path elsewhere.");
  process.exitCode = 1;
}
