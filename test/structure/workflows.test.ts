// Owns: what must hold of the workflows without running them: they parse, are pinned, and name only what exists.
// Must not know: what their steps do.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";

const ROOT = resolve(__dirname, "../../..");
const FOLDER = join(ROOT, ".github", "workflows");

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly needs?: string | readonly string[];
  readonly "runs-on"?: string;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly on?: unknown;
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const WORKFLOWS = readdirSync(FOLDER).map((name) => ({
  name,
  workflow: parse(readFileSync(join(FOLDER, name), "utf8")) as Workflow,
}));
const STEPS = WORKFLOWS.flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).flatMap(([job, { steps }]) =>
    (steps ?? []).map((step) => ({ ...step, where: `${name}, ${job}` })),
  ),
);

/** Commands of a step that name something of ours, as `[kind, name]`. */
function named(run: string): [kind: "script" | "file", name: string][] {
  const scripts = [...run.matchAll(/\bnpm (?:run )?([a-z][\w:-]*)/g)].map(([, name]) => name!);
  const files = [...run.matchAll(/(?:\bnode |^|\s)((?:scripts|test|\.ci)\/[\w./-]+)/gm)].map(
    ([, name]) => name!,
  );
  return [
    ...scripts
      .filter((name) => !["ci", "install", "pack", "publish"].includes(name))
      .map((name): ["script", string] => ["script", name]),
    ...files.map((name): ["file", string] => ["file", name]),
  ];
}

test("every workflow parses, has jobs with machines, and says what it may do", () => {
  assert.deepEqual(WORKFLOWS.map(({ name }) => name).sort(), ["ci.yml", "macos.yml", "release.yml"]);
  for (const { name, workflow } of WORKFLOWS) {
    assert.ok(workflow.on, name);
    assert.ok(workflow.permissions, `${name} says no permissions`);
    const jobs = Object.keys(workflow.jobs);
    assert.ok(jobs.length > 0, name);
    for (const [job, { needs = [], "runs-on": machine, steps }] of Object.entries(workflow.jobs)) {
      assert.ok(machine && steps && steps.length > 0, `${name}, ${job}`);
      for (const other of [needs].flat()) assert.ok(jobs.includes(other), `${name}: ${job} needs ${other}`);
    }
  }
});

test("workflows name only scripts and files that exist", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const all = STEPS.flatMap(({ run = "", where }) =>
    named(run).map(([kind, name]) => ({ kind, name, where })),
  );
  assert.ok(all.some(({ name }) => name === "verify:metal"));
  for (const { kind, name, where } of all) {
    const exists = kind === "script" ? name in scripts : existsSync(join(ROOT, name));
    assert.ok(exists, `${where}: there is no ${kind} ${name}`);
  }
  assert.deepEqual(named("npm run nothing && node scripts/nothing.mjs"), [
    ["script", "nothing"],
    ["file", "scripts/nothing.mjs"],
  ]);
});

test("actions are pinned to commits, each with its version behind it", () => {
  for (const { uses, where } of STEPS) if (uses) assert.match(uses, /^actions\/[\w-]+@[0-9a-f]{40}$/, where);
  for (const { name } of WORKFLOWS)
    for (const line of readFileSync(join(FOLDER, name), "utf8").split("\n"))
      if (line.includes("uses:"))
        assert.match(line, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, `${name}: ${line.trim()}`);
});

test("a release is packed from a tested binary for each of four targets", async () => {
  const { TARGETS } = (await import(`file://${join(ROOT, "scripts", "prebuild.mjs")}`)) as {
    TARGETS: string[];
  };
  const text = readFileSync(join(FOLDER, "release.yml"), "utf8");
  for (const target of TARGETS) assert.ok(text.includes(`target: ${target}`), target);
});
