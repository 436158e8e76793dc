// Owns: tests of files that are opened several at a time: whose trouble is whose, what is asked again, what is cancelled.
// Must not know: how many are asked for at once, how threads talk.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { AbortError, UnsupportedLayoutError } from "#framelab/errors";
import { openAcquisition } from "#framelab/source/index";
import { askFile } from "#framelab/source/metadata/client";
import { group, virtualDataset, writeHdf5 } from "../fixtures/hdf5-writer";
import { temporaryFolder, writeAcquisition, writeDataFile } from "./source-fixtures";
import { meetTroubledFiles, SLOW_MS, timesOpened, trouble } from "./troubled-files";

meetTroubledFiles();
const root = temporaryFolder();
const FRAMES = [2, 3, 4, 5, 6] as const;

/** Deadline of a file that hangs, and shortest one of healthy files beside it, in milliseconds. */
const DEADLINE_MS = 1000;
/** Deadline where nothing hangs. */
const PATIENT_MS = 60_000;

interface Scan {
  readonly master: string;
  readonly files: readonly string[];
}

/** A master and its five data files. */
function scan(name: string): Scan {
  const folder = path.join(root, name);
  mkdirSync(folder);
  const master = writeAcquisition(folder, FRAMES);
  const files = FRAMES.map((_, i) => path.join(folder, `scan_data_00000${i + 1}.h5`));
  return { master, files };
}

/** Frames of each segment, null where its file could not be opened. */
async function framesOf({ master }: Scan, deadlineMs?: number): Promise<(number | null)[]> {
  const { segments } = await openAcquisition(master, deadlineMs === undefined ? {} : { deadlineMs });
  return segments.map(({ facts }) => facts?.shape[0] ?? null);
}

let measured = 0;

/** A deadline for healthy files beside one that hangs: a hundred times what one takes while the machine is as busy as now. */
async function deadlineNow(): Promise<number> {
  const healthy = scan(`measured ${measured++}`);
  await framesOf(healthy);
  // The thread runs now.
  const before = performance.now();
  await framesOf(healthy);
  const each = (performance.now() - before) / (1 + FRAMES.length);
  return Math.max(DEADLINE_MS, 100 * each);
}

/** Asserts that of the five files the third alone is lost, for this reason. */
async function losesTheThird(
  { master, files }: Scan,
  why: RegExp,
  deadlineMs: number = PATIENT_MS,
): Promise<void> {
  const { segments, notes, found } = await openAcquisition(master, { deadlineMs });
  assert.deepEqual(
    segments.map(({ facts }) => facts?.shape[0] ?? null),
    [2, 3, null, 5, 6],
  );
  assert.deepEqual(
    segments.map(({ file }) => file),
    files,
  );
  assert.equal(found, 2 + 3 + 5 + 6);
  assert.match(segments[2]!.problem ?? "", why);
  assert.ok(segments[2]!.problem?.includes(files[2]!));
  assert.deepEqual(
    notes
      .filter(({ text }) => /cannot be read|cannot open/.test(text))
      .map(({ text }) => files.filter((file) => text.includes(file))),
    [[files[2]]],
  );
}

/** Opens of a file that is read without trouble. */
async function usualOpens(): Promise<number> {
  const healthy = scan("healthy");
  assert.deepEqual(await framesOf(healthy), FRAMES);
  const [usual] = healthy.files.map(timesOpened);
  assert.ok(usual! > 0);
  assert.deepEqual(
    healthy.files.map(timesOpened),
    FRAMES.map(() => usual),
  );
  return usual!;
}

const usual = usualOpens();

test("a file that never opens costs itself: the others are asked for once", async () => {
  const stuck = scan("stuck");
  trouble(stuck.files[2]!, "hangs");
  await losesTheThird(stuck, /took longer than [\d.]+ s/, await deadlineNow());
  const opens = stuck.files.map(timesOpened);
  assert.deepEqual(opens, [await usual, await usual, 1, await usual, await usual]);
});

test("a file at which the reader ends costs itself: the others are asked for once", async () => {
  const fatal = scan("fatal");
  trouble(fatal.files[2]!, "ends");
  await losesTheThird(fatal, /ended with code 3/);
  const opens = fatal.files.map(timesOpened);
  assert.deepEqual(opens, [await usual, await usual, 1, await usual, await usual]);
});

test("a file that HDF5 gives up on is followed by exact ones", async () => {
  const damaged = scan("damaged");
  const bytes = readFileSync(damaged.files[2]!);
  // The signature of a group's list of names: HDF5 finds out when it looks for one, and is left by an exception.
  bytes.write("XNOD", bytes.lastIndexOf("SNOD"), "latin1");
  writeFileSync(damaged.files[2]!, bytes);
  await losesTheThird(damaged, /symbol table node signature/);
  // The reader that it was left in opens no other file.
  const opens = await usual;
  assert.deepEqual(damaged.files.map(timesOpened), [opens, opens, opens, opens, opens]);
});

test("a file that became a pipe before HDF5 opened it is refused at once, and the thread goes on", async () => {
  const piped = scan("piped");
  trouble(piped.files[2]!, "pipe");
  await losesTheThird(piped, /HDF5 library cannot open it/);
});

test("a file that was answered in time, while the main thread computed, is no late one", async () => {
  const { files } = scan("busy");
  const opens = await usual;
  const query = { ask: "object", path: "/entry/data/data" } as const;
  await askFile(files[1]!, [query]);
  // What comes behind the immediates of a turn of the event loop are timers, and messages behind them.
  await new Promise((next) => setImmediate(next));
  const asked = askFile(files[0]!, [query], { deadlineMs: 200 });
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (timesOpened(files[0]!) < opens) Atomics.wait(pause, 0, 0, 5);
  Atomics.wait(pause, 0, 0, DEADLINE_MS);
  const [answer] = await asked;
  assert.ok("ok" in answer && answer.ok.kind === "dataset");
});

test("every file but one is in trouble", async () => {
  const bad = scan("bad");
  for (const i of [0, 3]) trouble(bad.files[i]!, "ends");
  for (const i of [1, 4]) trouble(bad.files[i]!, "hangs");
  assert.deepEqual(await framesOf(bad, await deadlineNow()), [null, null, 4, null, null]);
});

test("a deadline counts from when its file is taken up, not while it waits for another", async () => {
  const { files } = scan("slow");
  trouble(files[0]!, "slow");
  const query = { ask: "object", path: "/entry/data/data" } as const;
  const asked = files.map((file, i) =>
    askFile(file, [query], { deadlineMs: i === 0 ? PATIENT_MS : SLOW_MS - 200 }),
  );
  const answers = await Promise.all(asked);
  assert.deepEqual(
    answers.map(([answer]) =>
      "ok" in answer && answer.ok.kind === "dataset" ? answer.ok.metadata.shape?.[0] : null,
    ),
    FRAMES,
  );
});

test("the deadline of file 3 of 5 names file 3 and no other", async () => {
  const { files } = scan("third");
  trouble(files[2]!, "hangs");
  const query = { ask: "object", path: "/entry/data/data" } as const;
  const asked = files.map((file, i) => askFile(file, [query], { deadlineMs: i === 2 ? 300 : PATIENT_MS }));
  const settled = await Promise.allSettled(asked);
  assert.deepEqual(
    settled.map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected", "fulfilled", "fulfilled"],
  );
  const { reason } = settled[2] as PromiseRejectedResult;
  assert.ok(reason instanceof UnsupportedLayoutError);
  assert.equal(reason.place, files[2]);
  assert.match(
    reason.message,
    /scan_data_000003\.h5 cannot be read: reading its metadata took longer than 0\.3 s/,
  );
});

test("cancelled while a file hangs: at once, what was not taken up is never opened, and others go on", async () => {
  const { files } = scan("cancelled");
  const other = scan("other");
  trouble(files[0]!, "hangs");
  const control = new AbortController();
  const query = { ask: "object", path: "/entry/data/data" } as const;
  const options = { signal: control.signal, deadlineMs: DEADLINE_MS };
  const cancelled = files.map((file) => assert.rejects(askFile(file, [query], options), AbortError));
  const opened = framesOf(other);
  while (timesOpened(files[0]!) === 0) await new Promise((again) => setTimeout(again, 5));
  control.abort();
  await Promise.all(cancelled);
  assert.deepEqual(await opened, FRAMES);
  assert.deepEqual(files.map(timesOpened), [1, 0, 0, 0, 0]);
});

test("an acquisition cancelled half way is an AbortError", async () => {
  const half = scan("half");
  trouble(half.files[3]!, "slow");
  const control = new AbortController();
  const opening = openAcquisition(half.master, { signal: control.signal });
  const isCancelled = assert.rejects(opening, AbortError);
  while (timesOpened(half.files[3]!) === 0) await new Promise((again) => setTimeout(again, 5));
  control.abort();
  await isCancelled;
  assert.deepEqual(await framesOf(scan("after")), FRAMES);
});

/** A virtual dataset over five data files, of which the second never opens. */
function virtualScan(
  name: string,
  dtype: "u8" | "u16",
): { master: string; sources: string[]; frames: number } {
  const folder = path.join(root, name);
  mkdirSync(folder);
  const sources = FRAMES.map((frames, i) => {
    const file = path.join(folder, `source_${i}.h5`);
    writeDataFile(file, { frames });
    return file;
  });
  trouble(sources[1]!, "hangs");
  const [rows, cols] = [4, 6];
  let start = 0;
  const mappings = FRAMES.map((block, i) => {
    const to = [
      { start, block },
      { start: 0, block: rows },
      { start: 0, block: cols },
    ];
    start += block;
    return { file: path.basename(sources[i]!), dataset: "/entry/data/data", from: "all", to } as const;
  });
  const data = virtualDataset({ dtype, shape: [start, rows, cols], mappings });
  const master = path.join(folder, "virtual_master.h5");
  writeHdf5(master, group({ entry: group({ data: group({ data }) }) }));
  return { master, sources, frames: start };
}

test("a source of a virtual dataset that never opens costs its own frames", async () => {
  const { master, sources, frames: all } = virtualScan("virtual", "u16");
  const { segments, found } = await openAcquisition(master, { deadlineMs: await deadlineNow() });
  assert.deepEqual(
    segments.map(({ facts, frames, file }) => [facts?.shape[0] ?? null, frames, file]),
    FRAMES.map((frames, i) => [i === 1 ? null : frames, frames, sources[i]]),
  );
  assert.equal(found, all - FRAMES[1]);
});

test("a virtual dataset that is refused for its first source has none of the others opened", async () => {
  const { master, sources } = virtualScan("refused", "u8");
  const deadlineMs = await deadlineNow();
  await assert.rejects(openAcquisition(master, { deadlineMs }), UnsupportedLayoutError);
  assert.deepEqual(await framesOf(scan("after refusal")), FRAMES);
  assert.deepEqual(sources.slice(2).map(timesOpened), [0, 0, 0]);
});
