// Owns: the command line: verdicts, tables, JSON, exit codes, help, Ctrl-C.
// Must not know: how frames are decoded.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import type { LoadReport } from "framelab";
import { type Console, processConsole } from "#framelab/cli/command";
import { COMMANDS, dispatch } from "#framelab/cli/main";
import { writeAcquisition, writeSingleFile } from "../fixtures/acquisition";
import { countFrames, scratchFolder } from "./harness";

const BIN = resolve(__dirname, "../../../dist/cli/framelab.js");
const folder = scratchFolder();
const COUNT = 12;
const spec = {
  count: COUNT,
  height: 20,
  width: 31,
  dtype: "u16",
  frames: countFrames("u16", 20, 31),
  nimages: COUNT,
  ntrigger: 1,
} as const;

const good = writeAcquisition(folder, { ...spec, name: "good" }).path;
const damaged = writeAcquisition(folder, {
  ...spec,
  name: "damaged",
  store: (i, chunk) => (i === 3 || i === 7 ? Uint8Array.from(chunk).fill(0xff, 16, 40) : chunk),
}).path;
const absent = writeAcquisition(folder, {
  ...spec,
  name: "absent",
  filesOf: [4, 4, 4],
  absentFiles: [1],
}).path;
const text = join(folder, "notes.txt");
writeFileSync(text, "no HDF5 at all\n");

/** Runs a command line on a console that remembers. */
async function framelab(args: readonly string[], color = false) {
  const lines = { out: [] as string[], err: [] as string[] };
  let events = 0;
  const console: Console = {
    out: (line) => lines.out.push(line),
    err: (line) => lines.err.push(line),
    color,
    signal: new AbortController().signal,
    progress: () => {
      events += 1;
    },
  };
  const code = await dispatch(args, console);
  return { code, out: lines.out.join("\n"), err: lines.err.join("\n"), events };
}

test("an undamaged acquisition is fine: code 0, one row, no details", async () => {
  const { code, out, err, events } = await framelab(["verify", good]);
  assert.equal(code, 0);
  assert.equal(err, "");
  assert.ok(events > 0);
  const lines = out.split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[0]!, /^file +frames +damaged +missing +decoded +speed +verdict$/);
  assert.match(lines[1]!, /good_master\.h5 +12 +0 +0 +14\.9 kB .* fine$/);
});

test("damage: code 1, every damaged frame named, with its place and reason", async () => {
  const { code, out } = await framelab(["verify", good, damaged, "--quiet"]);
  assert.equal(code, 1);
  assert.match(out, /damaged_master\.h5 +12 +2 +0 .* damaged$/m);
  assert.match(out, /^ {2}damaged frames: 3, 7$/m);
  assert.match(out, /^ {2}frame 3, block 0: [a-z-]+: .*damaged_data_000001\.h5, offset \d+\)$/m);
});

test("missing frames: code 1, named with their cause", async () => {
  const { code, out } = await framelab(["verify", absent]);
  assert.equal(code, 1);
  assert.match(out, /absent_master\.h5 +12 +0 +4 .* missing$/m);
  assert.match(out, /missing frames, in data files that are absent or unreadable: 4, 5, 6, 7/);
});

test("an unreadable file is code 2 and does not keep the others from being verified", async () => {
  const { code, out } = await framelab(["verify", text, damaged, join(folder, "nowhere.h5")]);
  assert.equal(code, 2);
  assert.match(out, /notes\.txt .* unreadable$/m);
  assert.match(out, /NotHdf5Error/);
  assert.match(out, /damaged frames: 3, 7/);
  assert.match(out, /nowhere\.h5: MissingFileError/);
});

test("--json is one list with the whole reports and the errors", async () => {
  const { code, out } = await framelab(["verify", "--json", good, damaged, text]);
  assert.equal(code, 2);
  const list = JSON.parse(out) as {
    file: string;
    status: string;
    report?: LoadReport;
    error?: { code: string };
  }[];
  assert.deepEqual(
    list.map(({ file, status }) => [file, status]),
    [
      [good, "fine"],
      [damaged, "damaged"],
      [text, "unreadable"],
    ],
  );
  assert.deepEqual([...new Set(list[1]!.report!.damaged.map(({ frame }) => frame))], [3, 7]);
  assert.equal(list[2]!.error!.code, "not-hdf5");
});

test("inspect says what is in files, as text and as JSON, and whether they can be loaded", async () => {
  const fine = await framelab(["inspect", good]);
  assert.equal(fine.code, 0);
  assert.match(fine.out, /good_master\.h5/);
  assert.match(fine.out, /\b12\b/);
  const { code, out } = await framelab(["inspect", absent, "--json"]);
  assert.equal(code, 1);
  const [about] = JSON.parse(out) as { ready: boolean; frames: { planned: number; found: number } }[];
  assert.deepEqual([about!.ready, about!.frames.planned, about!.frames.found], [false, 12, 8]);
  assert.equal((await framelab(["inspect", text])).code, 2);
  assert.equal((await framelab(["inspect"])).code, 2);
});

test("wrong usage: code 2, what is wrong, and where help is", async () => {
  for (const [args, message] of [
    [["verify"], /needs at least one file/],
    [["verify", "--jsn", good], /'--jsn'/],
    [["verify", "--backend", "gpu", good], /"gpu"; allowed: "auto"/],
    [["verfy", good], /There is no command "verfy"/],
  ] as const) {
    const { code, out, err } = await framelab(args);
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, message);
    assert.match(err, /npx framelab( verify)? --help says how it is used/);
  }
});

test("help names every command, and every command explains itself and its exit codes", async () => {
  const { code, out } = await framelab(["--help"]);
  assert.equal(code, 0);
  for (const { name, summary } of COMMANDS) {
    assert.ok(out.includes(name) && out.includes(summary));
    const help = await framelab([name, "--help"]);
    assert.equal(help.code, 0);
    assert.match(help.out, new RegExp(`npx framelab ${name}`));
    assert.match(help.out, /130 +stopped by Ctrl-C/);
  }
  assert.match((await framelab(["--version"])).out, /^\d+\.\d+\.\d+$/);
});

test("colour only where it is wanted, and control characters of a file's name never reach the terminal", async () => {
  const plain = await framelab(["verify", good, damaged]);
  assert.ok(!plain.out.includes("\x1b"));
  const coloured = await framelab(["verify", good, damaged], true);
  assert.ok(coloured.out.includes("\x1b[32mfine\x1b[0m"));
  assert.ok(coloured.out.includes("\x1b[31mdamaged\x1b[0m"));
  const evil = await framelab(["verify", join(folder, "a\x1b[2Jb.h5")]);
  assert.ok(!evil.out.includes("\x1b"));
});

test("as a process: code and JSON through a pipe", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, "verify", damaged, "--json"], {
    encoding: "utf8",
  });
  assert.equal(status, 1, stderr);
  assert.equal(JSON.parse(stdout)[0].status, "damaged");
});

test("Ctrl-C in the middle stops a verification with code 130", async () => {
  const one = countFrames("u16", 192, 192)(0);
  const { path } = writeSingleFile(join(folder, "long.h5"), {
    ...spec,
    name: "long",
    count: 20_000,
    height: 192,
    width: 192,
    frames: () => one,
    nimages: null,
    ntrigger: null,
  });
  const console = processConsole();
  const err: string[] = [];
  let last = 0;
  const code = await dispatch(["verify", path, good], {
    ...console,
    out: () => assert.fail("a stopped command has no result"),
    err: (line) => err.push(line),
    progress(event) {
      last = event.framesDone;
      if (event.framesDone > 0) process.emit("SIGINT");
    },
  });
  console.close();
  assert.equal(code, 130);
  assert.deepEqual(err, ["Stopped."]);
  assert.ok(last > 0 && last < 20_000);
});
