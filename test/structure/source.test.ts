// Owns: the house rules of kernel-ext/src: who imports whom, who touches files, how a file opens and how long it is.
// Must not know: what the code does.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { test } from "node:test";
import { BACKENDS } from "#framelab/backends/registry";
import { FILTERS } from "#framelab/filters/registry";

const ROOT = resolve(__dirname, "../../..");
const SOURCE = join(ROOT, "kernel-ext", "src");

/**
 * What each stage may import, beside itself. Data flow from source/ to display/; an import that is not here turns
 * the flow around or ties two stages that have nothing to say to each other.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  types: [],
  errors: ["types"],
  host: [],
  inspection: ["types"],
  "pixel-arrays": ["types"],
  "sum-plan": ["types"],
  printed: [],
  "option-values": ["errors"],
  options: ["errors", "option-values", "types"],
  "recorded-value": ["errors", "pixel-arrays", "types"],
  check: ["display", "errors", "option-values", "recorded-value"],
  source: ["errors", "pixel-arrays", "types"],
  filters: ["errors", "pixel-arrays", "source", "types"],
  plan: ["errors", "filters", "options", "source", "types"],
  backends: ["errors", "filters", "sum-plan", "types"],
  transform: ["errors", "pixel-arrays", "types"],
  damage: ["backends", "errors", "filters", "types"],
  result: ["backends", "errors", "pixel-arrays", "printed", "source", "types"],
  analysis: ["damage", "errors", "printed", "sum-plan", "transform", "types"],
  run: [
    "backends",
    "damage",
    "errors",
    "filters",
    "host",
    "options",
    "pixel-arrays",
    "plan",
    "result",
    "source",
    "sum-plan",
    "transform",
    "types",
  ],
  display: ["damage", "errors", "host", "inspection", "pixel-arrays", "types"],
};

/** Pure arithmetic on chunk numbers: the readers of chunk indexes need it before there is a plan. */
const ARITHMETIC = "plan/chunk-grid";

/** The only files that know all stages, and the entry and commands that only pass things on. */
const WIRING = [
  "load",
  "stream",
  "verify",
  "inspect",
  "encoded",
  "reduce",
  "reductions",
  "show",
  "index",
  "cli",
];

/** Stages that compute and touch nothing. */
const PURE = [
  "types",
  "errors",
  "pixel-arrays",
  "sum-plan",
  "printed",
  "option-values",
  "options",
  "plan",
  "filters",
  "transform",
  "result",
  "analysis",
  "damage",
];
const PURE_PACKAGES = ["ndarray"];

interface Import {
  readonly file: string;
  /** Folder or file under kernel-ext/src, without extension. */
  readonly stage: string;
  readonly target: string;
}

function sourceFiles(): string[] {
  return readdirSync(SOURCE, { recursive: true })
    .map((name) => String(name).replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".ts"))
    .sort();
}

const stageOf = (path: string): string => path.split("/")[0]!.replace(/\.ts$/, "");

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SOURCE, file), "utf8");
  const statements = text.matchAll(/^(?:import|export)\b(?:[^;"=(]*\bfrom)?\s+"([^"]+)"/gm);
  const calls = text.matchAll(/(?<![.\w])(?:import|require(?:\.resolve)?)\("([^"]+)"/g);
  return [...statements, ...calls].map(([, target]) => ({ file, stage: stageOf(file), target: target! }));
}

const IMPORTS = sourceFiles().flatMap(importsOf);

/** Imports of our own files, as stage to stage. */
function stageImports(): { file: string; stage: string; target: string }[] {
  return IMPORTS.filter(({ target }) => target.startsWith("."))
    .map(({ file, stage, target }) => {
      const path = posix.normalize(posix.join(posix.dirname(file), target));
      return { file, stage, path, target: stageOf(path) };
    })
    .filter(({ stage, target, path }) => stage !== target && path !== ARITHMETIC);
}

test("every stage is named here", () => {
  const known = new Set([...Object.keys(MAY_IMPORT), ...WIRING]);
  const unknown = [...new Set(sourceFiles().map(stageOf))].filter((stage) => !known.has(stage));
  assert.deepEqual(unknown, []);
});

test("imports follow the flow of data", () => {
  const seen = stageImports();
  assert.ok(seen.length > 50, "the imports were found");
  const wrong = seen.filter(
    ({ stage, target }) => !WIRING.includes(stage) && !MAY_IMPORT[stage]?.includes(target),
  );
  assert.deepEqual(
    wrong.map(({ file, target }) => `${file} imports ${target}`),
    [],
  );
});

test("plan, filters, transform, result and damage touch nothing outside", () => {
  const wrong = IMPORTS.filter(({ stage, target }) => {
    return PURE.includes(stage) && !target.startsWith(".") && !PURE_PACKAGES.includes(target);
  });
  assert.deepEqual(
    wrong.map(({ file, target }) => `${file} imports ${target}`),
    [],
  );
});

test("only the notebook runner looks for tslab, and by resolving it for the user's notebook", () => {
  const named = IMPORTS.filter(({ target }) => /^(@tslab|tslab)\b/.test(target)).map(({ file }) => file);
  assert.deepEqual([...new Set(named)], ["cli/notebook/kernel-process.ts"]);
});

test("every file opens with what it owns and what it must not know, and is short", () => {
  for (const file of sourceFiles()) {
    // The command's first line names its interpreter.
    const interpreter = file === "cli/framelab.ts" ? /^#!.*\n/ : /^$/;
    const lines = readFileSync(join(SOURCE, file), "utf8").replace(interpreter, "").split("\n");
    const opening = lines
      .slice(
        0,
        lines.findIndex((line) => !line.startsWith("//")),
      )
      .join("\n");
    assert.match(opening, /^\/\/ Owns: /, file);
    assert.match(opening, /Must not know: /, file);
    assert.ok(lines.length <= 310, `${file} has ${lines.length} lines`);
  }
});

test("no file is a drawer for odds and ends", () => {
  const drawers = sourceFiles().filter((file) => /(^|\/)(utils?|helpers?|common|misc)(\.ts|\/)/.test(file));
  assert.deepEqual(drawers, []);
});

test("a filter or a backend is one folder and one line of its registry", () => {
  const folders = (stage: string): string[] =>
    readdirSync(join(SOURCE, stage), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  const filters = readFileSync(join(SOURCE, "filters", "registry.ts"), "utf8");
  const imported = [...filters.matchAll(/from "\.\/(\w+)";/g)].map(([, name]) => name!);
  assert.deepEqual(imported.filter((name) => name !== "filter").sort(), folders("filters"));
  assert.equal(FILTERS.length, folders("filters").length);
  assert.equal(new Set(FILTERS.map(({ id }) => id)).size, FILTERS.length);
  const names: string[] = BACKENDS.map(({ name }) => name);
  assert.deepEqual(
    folders("backends").filter((name) => !names.includes(name)),
    [],
  );
  assert.equal(names.at(-1), "reference");
});

test("no unbounded decoder is named anywhere in the package", () => {
  const code = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .map((name) => join(ROOT, folder, String(name)))
      .filter((name) => /\.(ts|cc|h|mm|metal)$/.test(name) && !name.includes(join("native", "build")));
  const files = ["kernel-ext/src", "native", "metal"].flatMap(code);
  assert.ok(files.length > 100);
  const unsafe = /LZ4_decompress_fast|LZ4_uncompress\b|LZ4_decompress_(?:safe|generic)|\bunbounded_/;
  assert.deepEqual(
    files.filter((file) => unsafe.test(readFileSync(file, "utf8"))),
    [],
  );
});
