// Owns: `framelab check`: update and compare, failures by cell, what it refuses, exit codes, no process left behind.
// Must not know: how notebooks run or are compared.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { dispatch } from "#framelab/cli/main";
import { CHECK_MIME } from "#framelab/recorded-value";
import { scratchFolder } from "./harness";

const BIN = resolve(__dirname, "../../../dist/cli/framelab.js");
const PACKAGE = JSON.stringify(resolve(__dirname, "../../../dist/index.js"));
const folder = scratchFolder();

interface Source {
  readonly source: string;
  readonly tags?: readonly string[];
}

function write(name: string, sources: readonly (string | Source)[], more: object = {}): string {
  const cells = sources.map((one) => {
    const { source, tags } = typeof one === "string" ? { source: one, tags: undefined } : one;
    return { cell_type: "code", metadata: tags ? { tags } : {}, source, execution_count: null, outputs: [] };
  });
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4, ...more }));
  return path;
}

async function check(...args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await dispatch(["check", ...args], {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    color: false,
    signal: new AbortController().signal,
    progress: () => {},
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

test("without expectations it fails and says what to do; updated, it is the same; changed, it names the cell", async () => {
  const cells = [
    `const { check } = require(${PACKAGE});`,
    `check("sum", 12n); check("list", { a: Float32Array.of(1, NaN) }); console.log("took", Math.random(), "s", "é😀")`,
    { source: `throw new RangeError("meant")`, tags: ["raises-exception"] },
  ];
  const path = write("a b ä.ipynb", cells);
  const file = join(folder, "a b ä.expected.json");
  const none = await check(path);
  assert.equal(none.code, 1);
  assert.match(none.out, /neither stored outputs nor expectations .*--update/);
  const masks = ["--mask", "took [\\d.]+"];
  assert.equal((await check(path, "--update", ...masks)).code, 0);
  const written = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual(written.masks, ["took [\\d.]+"]);
  assert.deepEqual(written.cells[1].text, ["<masked> s é😀"]);
  assert.deepEqual(written.cells[1].values.sum, { value: { $bigint: "12" } });
  assert.deepEqual(written.cells[2].text, ["stderr| RangeError: meant"]);
  assert.equal((await check(path)).code, 0);
  write("a b ä.ipynb", [
    cells[0]!,
    String(cells[1]).replace("12n", "13n"),
    { ...(cells[2] as Source), source: `throw 1` },
  ]);
  const junit = join(folder, "made", "checks.xml");
  const changed = await check(path, "--junit", junit);
  assert.equal(changed.code, 1);
  assert.match(changed.out, /cell 2: .*\n {4}value "sum" differs: expected 12n, got 13n/);
  assert.match(changed.out, /cell 3: throw 1\n.*\n {4}- stderr\| RangeError: meant\n {4}\+ stderr\| 1/);
  assert.match(readFileSync(junit, "utf8"), /tests="3" failures="2" errors="0"/);
});

test("a notebook that keeps its outputs is compared with them, and updated in place", async () => {
  const path = write("kept.ipynb", [`console.log("new")`]);
  const notebook = JSON.parse(readFileSync(path, "utf8"));
  notebook.cells[0].outputs = [{ output_type: "stream", name: "stdout", text: ["old\r\n"] }];
  // A byte order mark and CRLF, as an editor on Windows leaves them.
  writeFileSync(path, `\ufeff${JSON.stringify(notebook, null, 1).replaceAll("\n", "\r\n")}`);
  const { code, out } = await check(path);
  assert.equal(code, 1);
  assert.match(out, /- old\n {4}\+ new/);
  assert.equal((await check(path, "--update")).code, 0);
  assert.equal((await check(path)).code, 0);
  assert.equal(existsSync(join(folder, "kept.expected.json")), false);
});

test("failures in the run itself: a cell, a late rejection, a name used twice, an exit, a cell that never ends", async () => {
  const cases: [string, readonly string[], RegExp, string?][] = [
    ["fails", [`1`, `throw new Error("broken <b>")`], /cell 2: .*\n {4}failed:\n {4}.*Error: broken <b>/],
    [
      "late",
      [`Promise.reject(new Error("late")); await new Promise((r) => setTimeout(r, 50));`],
      /cell 1: .*\n {4}Unhandled rejection: Error: late/,
    ],
    [
      "twice",
      [`const { check } = require(${PACKAGE}); check("x", 1);`, `check("x", 1)`],
      /cell 2: .*\n {4}the name "x" is checked more than once/,
    ],
    [
      "exits",
      [`1`, `process.exit(0)`, `3`],
      /ended in cell 2 with status 0[\s\S]*cell 3: 3\n {4}did not run/,
    ],
    [
      "hangs",
      [`for (;;);`, `2`],
      /cell 1 was still running after 8 s\n[\s\S]*cell 1: .*\n {4}began and did not end\n {2}cell 2: 2\n {4}did not run/,
      "8",
    ],
  ];
  for (const [name, sources, message, timeout = "60"] of cases) {
    const { code, out } = await check(write(`${name}.ipynb`, sources), "--update", "--timeout", timeout);
    assert.equal(code, 1, name);
    assert.match(out, message);
    assert.equal(
      existsSync(join(folder, `${name}.expected.json`)),
      false,
      "only what runs whole is expected",
    );
  }
});

test("what is no TypeScript notebook is named, code 2, without a stack, and the others run", async () => {
  const good = write("good.ipynb", [`1`]);
  await check(good, "--update");
  const text = join(folder, "text.ipynb");
  writeFileSync(text, "{ not json");
  mkdirSync(join(folder, "dir.ipynb"));
  const python = {
    metadata: { kernelspec: { name: "python3", language: "python", display_name: "Python 3" } },
  };
  const bad: [string, RegExp][] = [
    [text, /text\.ipynb is not a readable notebook/],
    [join(folder, "dir.ipynb"), /is a folder/],
    [join(folder, "nowhere.ipynb"), /does not exist/],
    [write("old.ipynb", [], { nbformat: 3 }), /of format 3\. Open it in JupyterLab/],
    [write("python.ipynb", [`1`], python), /is for the kernel "Python 3"/],
    [
      write("bare.ipynb", [], { cells: [{ cell_type: "code", metadata: {} }] }),
      /entry 1 of cells has no source/,
    ],
  ];
  for (const [path, message] of bad) {
    const { code, out, err } = await check(path);
    assert.equal(code, 2);
    assert.match(out, message);
    assert.doesNotMatch(out + err, /^\s+at /m);
  }
  const both = await check(text, good, good);
  assert.equal(both.code, 2);
  assert.match(both.err, /good\.ipynb was given twice and runs once/);
  assert.match(both.out, /2 notebooks: 1 same, 1 unusable$/);
});

test("wrong usage: code 2 and a sentence", async () => {
  for (const [args, message] of [
    [[], /needs at least one notebook/],
    [["x.ipynb", "--mask", "("], /--mask "\(" cannot be used/],
    [["x.ipynb", "--timeout", "soon"], /--timeout is "soon"/],
    [
      ["a/x.ipynb", "b/x.ipynb", "--expected", "e"],
      /Two notebooks would have their expectations in e\/x\.json/,
    ],
  ] as const) {
    const { code, err } = await check(...args);
    assert.equal(code, 2);
    assert.match(err, message);
  }
});

test("hostile notebooks and expectations: code 1 or 2 and a sentence, never a stack, never a wait", async () => {
  const path = write("hostile.ipynb", [`1`]);
  const file = join(folder, "hostile.expected.json");
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const notObject = { toString: 1 };
  const output = (one: object): object => ({
    cells: [{ cell_type: "code", metadata: {}, source: `1`, execution_count: 1, outputs: [one] }],
  });
  const array = { $array: { dtype: "u8", shape: [1, notObject], sha256: "0", elements: null } };
  const named = { data: { [CHECK_MIME]: { name: "a", value: array } } };
  const deepOutput = write("deep-output.ipynb", [], output({ data: "deep" }));
  writeFileSync(deepOutput, readFileSync(deepOutput, "utf8").replace(`"deep"`, `{"a":${deep}}`));
  const expected = { format: 1, cells: [{ id: null, text: [], values: { a: { value: array } } }] };
  const hostile: [string, string | null, number, RegExp][] = [
    [path, `{"format":${deep}}`, 2, /not readable as expectations: it is nested deeper than 500/],
    [path, JSON.stringify(expected), 1, /value "a" was not checked: expected \{"\$array"/],
    [deepOutput, null, 2, /not a readable notebook: it is nested deeper than 500/],
    [write("name.ipynb", [], output({ output_type: "stream", name: notObject, text: "x" })), null, 1, /- x/],
    [write("error.ipynb", [], output({ output_type: "error", ename: notObject })), null, 1, /- stderr\| :/],
    [write("value.ipynb", [], output(named)), null, 1, /value "a" was not checked/],
    [write("spec.ipynb", [`1`], { metadata: { kernelspec: { language: notObject } } }), null, 1, /--update/],
  ];
  for (const [notebook, text, code, message] of hostile) {
    if (text !== null) writeFileSync(file, text);
    const found = await check(notebook);
    assert.match(found.out, message);
    assert.equal(found.code, code, notebook);
    assert.doesNotMatch(found.out + found.err, /^\s+at |\.js:\d/m);
  }
});

test("what is no regular file is refused before it is opened", {
  skip: process.platform !== "linux",
}, async () => {
  const path = write("pipe.ipynb", [`1`]);
  execFileSync("mkfifo", [join(folder, "pipe.expected.json"), join(folder, "tube.ipynb")]);
  assert.match((await check(path)).out, /pipe\.expected\.json is not readable .* not a regular file/);
  assert.match((await check(join(folder, "tube.ipynb"))).out, /cannot be read: it is not a regular file/);
  const updated = await check(write("odd.ipynb", [`1`]), "--update", "--expected", "/proc/none");
  assert.equal(updated.code, 2);
  assert.match(updated.out, /\/proc\/none\/odd\.json cannot be written/);
});

test("--junit is tried before the notebooks run, and never takes the place of what is checked", async () => {
  const path = write("junit.ipynb", [`require("fs").writeFileSync("ran", "")`]);
  const file = join(folder, "junit.expected.json");
  writeFileSync(file, `{"format":1,"cells":null}`);
  const taken = /is a file that is checked/;
  const places: [string, RegExp][] = [
    ["", /it has no name/],
    [folder, /it is a folder/],
    [join(path, "x.xml"), /cannot be written/],
    [path, taken],
    [file, taken],
    ...(process.platform === "linux" ? ([["/proc/none/x.xml", /cannot be written/]] as const) : []),
  ] as [string, RegExp][];
  for (const [place, message] of places) {
    const { code, err } = await check(path, "--update", "--junit", place);
    assert.equal(code, 2, place);
    assert.match(err, message);
  }
  assert.equal(existsSync(join(folder, "ran")), false, "no notebook ran");
  const placed = join(folder, "new", "folder", "x.xml");
  assert.equal((await check(path, "--update", "--junit", placed)).code, 0);
  assert.match(readFileSync(placed, "utf8"), /<testsuites /);
});

test("a display that no JSON can hold fails its own cell, and the cells behind it run", async () => {
  const circle = `const tslab = require("tslab"); const a = { b: {} }; a.b = a; tslab.display.raw("a/b", a);`;
  const { code, out } = await check(write("circle.ipynb", [circle, `2`]), "--update");
  assert.equal(code, 1);
  assert.match(out, /cell 1: .*\n {4}failed:[\s\S]*circular structure/);
  assert.doesNotMatch(out, /cell 2|kernel/);
});

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A killed process that nobody has waited for yet is no process any more.
    return !/^\S+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

for (const [signal, status] of [
  ["SIGINT", 130],
  ["SIGTERM", "SIGTERM"],
  ["SIGKILL", "SIGKILL"],
] as const) {
  test(`${signal} leaves no process: the kernel and what a cell started end too`, {
    skip: process.platform !== "linux" && "needs Linux",
  }, async () => {
    const pids = join(folder, `pids-${signal}`);
    const path = write(`${signal}.ipynb`, [
      `const sleep = require("child_process").spawn("sleep", ["600"]);
require("fs").writeFileSync(${JSON.stringify(`${pids}.tmp`)}, process.pid + " " + sleep.pid);
require("fs").renameSync(${JSON.stringify(`${pids}.tmp`)}, ${JSON.stringify(pids)});
for (;;);`,
    ]);
    const child = spawn(process.execPath, [BIN, "check", path, "--update"], { stdio: "ignore" });
    while (!existsSync(pids)) await new Promise((done) => setTimeout(done, 100));
    child.kill(signal);
    const [code, name] = await once(child, "exit");
    assert.equal(code ?? name, status);
    const started = readFileSync(pids, "utf8").split(" ").map(Number);
    assert.equal(started.length, 2);
    while (started.some(alive)) await new Promise((done) => setTimeout(done, 50));
  });
}
