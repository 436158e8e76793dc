// Owns: reading data files ahead: which bytes are asked for, in which order, how far, and when it stops.
// Must not know: what is in the files. What it gains is the bench's matter.
import assert from "node:assert/strict";
import { closeSync, fstatSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type LoadOptions, load, verify } from "framelab";
import { type Addon, loadAddon, useAddon } from "#framelab/backends/addon";
import { openCancelScope } from "#framelab/run/cancel";
import { AHEAD_BYTES, ReadAhead } from "#framelab/run/read-ahead";
import { writeAcquisition } from "../fixtures/acquisition";
import { encodeChunk } from "../fixtures/bitshuffle-encoder";
import { scratchFolder } from "./harness";

const MIB = 2 ** 20;
const folder = scratchFolder();
const found = loadAddon();
assert.ok("addon" in found);
const { addon } = found;

/** A part of a file that is asked for: file number of the system, offset and bytes. */
type Part = readonly [file: number, offset: number, bytes: number];

/** Every part that is asked for from now on; `answer` says how each one ends. */
function watched(answer: (asked: readonly Part[]) => Promise<void> = async () => {}): Part[] {
  const asked: Part[] = [];
  const readAhead: Addon["readAhead"] = ({ fd, offset, bytes }) => {
    asked.push([fstatSync(fd).ino, offset, bytes]);
    return answer(asked);
  };
  useAddon({ ...addon, readAhead });
  return asked;
}

/** A file of so many bytes that takes none on disk. */
function file(name: string, mib: number) {
  const at = path.join(folder, name);
  writeFileSync(at, "");
  truncateSync(at, mib * MIB);
  return { path: at, bytes: mib * MIB };
}

function inode(at: string): number {
  const fd = openSync(at, "r");
  try {
    return fstatSync(fd).ino;
  } finally {
    closeSync(fd);
  }
}

/** Until nothing is asked for any more. */
async function settled(asked: readonly Part[]): Promise<void> {
  for (let seen = -1; asked.length > seen; ) {
    seen = asked.length;
    for (let turn = 0; turn < 10; turn++) await new Promise((next) => setImmediate(next));
  }
}

test("files are read from their starts in steps, one after the other, each once", async () => {
  const asked = watched();
  const ahead = new ReadAhead(openCancelScope(undefined));
  const [a, b] = [file("a", 20), file("b", 1)];
  for (const next of [a, a, b]) ahead.add(next);
  await settled(asked);
  const [first, second] = [inode(a.path), inode(b.path)];
  assert.deepEqual(asked, [
    [first, 0, 8 * MIB],
    [first, 8 * MIB, 8 * MIB],
    [first, 16 * MIB, 4 * MIB],
    [second, 0, MIB],
  ]);
});

test("no more is read ahead than fits, and the next file when an earlier one is reached", async () => {
  const asked = watched();
  const ahead = new ReadAhead(openCancelScope(undefined));
  const files = [file("1", 60), file("2", 60), file("3", 60), file("4", 300), file("5", 1)];
  const inodes = files.map(({ path: at }) => inode(at));
  for (const next of files) ahead.add(next);
  const readFiles = async (): Promise<number[]> => {
    await settled(asked);
    return [...new Set(asked.map(([ino]) => inodes.indexOf(ino)))];
  };
  assert.deepEqual(await readFiles(), [0, 1]);
  ahead.reach(files[0]!.path);
  assert.deepEqual(await readFiles(), [0, 1, 2]);
  ahead.reach(files[0]!.path);
  assert.deepEqual(await readFiles(), [0, 1, 2], "a file that was reached is reached once");
  ahead.reach(files[2]!.path);
  assert.deepEqual(await readFiles(), [0, 1, 2, 3]);
  const long = asked.filter(([ino]) => ino === inodes[3]);
  assert.equal(
    long.reduce((sum, [, , bytes]) => sum + bytes, 0),
    AHEAD_BYTES,
  );
  ahead.reach(files[3]!.path);
  assert.deepEqual(await readFiles(), [0, 1, 2, 3, 4]);
});

test("a file that is reached while it is read is left to whoever reached it", async () => {
  const ahead = new ReadAhead(openCancelScope(undefined));
  const [a, b] = [file("reached", 40), file("behind", 1)];
  const asked = watched(async ({ length }) => {
    if (length === 2) ahead.reach(a.path);
  });
  ahead.add(a);
  ahead.add(b);
  await settled(asked);
  assert.deepEqual(
    asked.map(([, offset]) => offset),
    [0, 8 * MIB, 0],
  );
});

test("it ends with its work, and after a cancel", async () => {
  for (const end of ["dispose", "abort"] as const) {
    const controller = new AbortController();
    const cancel = openCancelScope(controller.signal);
    const ahead = new ReadAhead(cancel);
    const asked = watched(async ({ length }) => {
      if (length === 2) end === "abort" ? controller.abort() : cancel.dispose();
    });
    ahead.add(file("long", 100));
    ahead.add(file("other", 1));
    await settled(asked);
    assert.equal(asked.length, 2, end);
  }
});

test("a file that cannot be read, or is gone, is passed over", async () => {
  const asked = watched(async ({ length }) => {
    if (length === 1) throw new Error("the system fails");
  });
  const ahead = new ReadAhead(openCancelScope(undefined));
  const files = [file("fails", 9), file("gone", 1), file("good", 1)];
  const inodes = files.map(({ path: at }) => inode(at));
  rmSync(files[1]!.path);
  for (const next of files) ahead.add(next);
  await settled(asked);
  assert.deepEqual(
    asked.map(([ino]) => ino),
    [inodes[0], inodes[2]],
  );
});

const [SIDE, FILES] = [16, 5];
const frame = (i: number): Uint8Array => new Uint8Array(SIDE * SIDE).fill(i + 1);
const scan = writeAcquisition(folder, {
  ...{ name: "scan", count: FILES, height: SIDE, width: SIDE, dtype: "u8" },
  filesOf: new Array<number>(FILES).fill(1),
  frames: frame,
  store: (i: number) => encodeChunk(frame(i), 1, 0),
});

/** Numbers of the data files that a load asks for. */
async function askedBy(options: LoadOptions): Promise<number[]> {
  const asked = watched();
  const frames = await load(scan.path, { progress: false, scanShape: null, ...options });
  assert.ok(frames.report.damaged.length === 0);
  await settled(asked);
  return asked.map(([ino]) => scan.dataFiles.findIndex((at) => inode(at) === ino));
}

test("a load of everything asks for its data files, one of a part for none", async () => {
  assert.deepEqual(await askedBy({}), [0, 1, 2, 3, 4]);
  assert.deepEqual(await askedBy({ backend: "reference" }), [0, 1, 2, 3, 4]);
  assert.deepEqual(await askedBy({ frames: { from: 0, to: 5 } }), []);
  assert.deepEqual(await askedBy({ frames: [3] }), []);
  assert.deepEqual(await askedBy({ detector: { rows: [0, 4] } }), []);
});

test("what is read ahead changes nothing: a load and a check where it fails throughout are exact", async () => {
  watched(async () => {
    throw new Error("the system fails");
  });
  const frames = await load(scan.path, { progress: false, scanShape: null });
  const counts = Array.from({ length: FILES }, (_, i) => frame(i));
  assert.deepEqual(Buffer.concat(counts).equals(frames.data as Uint8Array), true);
  const report = await verify(scan.path, { progress: false });
  assert.deepEqual([report.damaged.length, report.missing.length], [0, 0]);
});

test("the addon reads as far as the file goes, and refuses what is no part of a file", async () => {
  const at = path.join(folder, "short");
  writeFileSync(at, Buffer.alloc(3 * MIB));
  const fd = openSync(at, "r");
  /** Bytes that this process had from the system: Linux counts them. */
  const got = (): number => Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "latin1"))![1]);
  const before = process.platform === "linux" ? got() : 0;
  assert.equal(await addon.readAhead({ fd, offset: MIB, bytes: 8 * MIB }), undefined);
  if (process.platform === "linux") assert.ok(got() - before >= 2 * MIB && got() - before < 2.5 * MIB);
  assert.equal(await addon.readAhead({ fd, offset: 2 ** 53 - 1, bytes: 2 ** 53 - 1 }), undefined);
  closeSync(fd);
  assert.equal(await addon.readAhead({ fd, offset: 0, bytes: MIB }), undefined);
  assert.throws(() => addon.readAhead({ fd: -1, offset: 0, bytes: MIB }), /fd/);
  assert.throws(() => addon.readAhead({ fd, offset: 0.5, bytes: MIB }), /offset/);
  assert.throws(() => addon.readAhead({ fd, offset: 0, bytes: Number.NaN }), /bytes/);
});
