// Owns: many files and many loads, on every backend: file handles, memory, parallel loads, folders that may not be written.
// Must not know: how files are opened. Judge: the source arrays.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "framelab";
import { type WrittenAcquisition, writeAcquisition } from "../fixtures/acquisition";
import { BITSHUFFLE_FILTER, bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";
import { chunked, group, writeHdf5 } from "../fixtures/hdf5-writer";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";

const folder = scratchFolder();
const HEIGHT = 5;
const WIDTH = 7;

/** A master over `files` data files of one frame each. */
function manyFiles(
  name: string,
  files: number,
  seed: number,
  at: string = join(folder, name),
): WrittenAcquisition {
  return writeAcquisition(at, {
    name,
    count: files,
    height: HEIGHT,
    width: WIDTH,
    dtype: "u16",
    frames: countFrames("u16", HEIGHT, WIDTH, seed),
    filesOf: new Array(files).fill(1),
    file: { superblock: 2 },
  });
}

const truth = (seed: number, files: number): Buffer =>
  stack(countFrames("u16", HEIGHT, WIDTH, seed), upTo(files));

/** Runs lines in a fresh Node that may open `handles` files; `load` is there, and the last word printed is returned. */
function inFreshNode(lines: string, handles: number): string {
  const program = `const { load } = require(${JSON.stringify(require.resolve("framelab"))});
    const { createHash } = require("node:crypto");
    const sha = (frames) => createHash("sha256").update(new Uint8Array(frames.data.buffer, frames.data.byteOffset, frames.data.byteLength)).digest("hex");
    const handles = () => require("node:fs").readdirSync("/proc/self/fd").length;
    (async () => { ${lines} })().catch((error) => { console.error(error); process.exit(1); });`;
  const args = ["-c", `ulimit -n ${handles}; exec "$0" --expose-gc -e "$1"`, process.execPath, program];
  return execFileSync("sh", args, {
    encoding: "utf8",
    timeout: 120_000,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

const sha = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const many = manyFiles("many", 1001, 3);
const onLinux = process.platform === "linux";

for (const backend of BACKENDS_HERE) {
  test(`${backend}: 1001 data files load with 256 file handles`, { skip: !onLinux && "needs /proc" }, () => {
    const options = `{ backend: "${backend}", progress: false, scanShape: null }`;
    const printed = inFreshNode(
      `console.log(sha(await load(${JSON.stringify(many.path)}, ${options})));`,
      256,
    );
    assert.equal(printed.trim(), sha(truth(3, 1001)));
  });

  test(`${backend}: loads at the same time do not mix`, async () => {
    const masters = [11, 12, 13, 14].map((seed) => ({
      seed,
      ...manyFiles(`p${backend}${seed}`, seed, seed),
    }));
    const loads = [...masters, ...masters].map(({ path }) => loadOn(backend, path, { scanShape: null }));
    const loaded = await Promise.all(loads);
    for (const [i, frames] of loaded.entries()) {
      const { seed } = masters[i % masters.length]!;
      assert.ok(bytesOf(frames).equals(truth(seed, seed)));
    }
  });
}

/** Beyond 2^32 bytes; the file is sparse, so that it takes no room. */
const FAR = 5 * 2 ** 30;
const far = (() => {
  const frames = countFrames("u16", HEIGHT, WIDTH, 9);
  const encoded = upTo(3).map((i) => encodeChunk(frames(i), 2));
  const node = chunked({
    dtype: "u16",
    shape: [3, HEIGHT, WIDTH],
    chunkShape: [1, HEIGHT, WIDTH],
    filters: [{ id: BITSHUFFLE_FILTER, values: bitshuffleValues(2) }],
    chunks: (i) => ({ bytes: encoded[i]!, ...(i === 1 ? { declaredAddress: FAR } : {}) }),
  });
  const path = join(folder, "far.h5");
  writeHdf5(path, group({ entry: group({ data: group({ data: node }) }) }));
  const fd = openSync(path, "r+");
  writeSync(fd, encoded[1]!, 0, encoded[1]!.length, FAR);
  closeSync(fd);
  return path;
})();

for (const backend of BACKENDS_HERE) {
  test(`${backend}: chunks behind the first 4 GiB of a file are exact`, async () => {
    const frames = await loadOn(backend, far, { scanShape: null });
    assert.ok(bytesOf(frames).equals(truth(9, 3)));
  });
}

/** The field's standard acquisition, 512 x 512 chunks in 27 files, with small frames; eight of them stored again and again. */
const standard = (() => {
  const side = 512;
  const files = 27;
  const share = (i: number) => Math.floor((side * side * i) / files);
  const kinds = upTo(8).map((i) => countFrames("u16", HEIGHT, WIDTH, 21)(i));
  const encoded = kinds.map((elements) => encodeChunk(elements, 2));
  const { path } = writeAcquisition(join(folder, "standard"), {
    name: "standard",
    count: side * side,
    height: HEIGHT,
    width: WIDTH,
    dtype: "u16",
    frames: (i) => kinds[i % 8]!,
    store: (i) => encoded[i % 8]!,
    filesOf: upTo(files).map((i) => share(i + 1) - share(i)),
  });
  return { path, kinds };
})();

test("262,144 chunks in 27 files are planned and counted", async () => {
  const about = await inspect(standard.path);
  assert.deepEqual([about.ready, about.why], [true, null]);
  assert.deepEqual(about.frames, { planned: 262_144, found: 262_144, complete: 262_144 });
  assert.deepEqual(about.scan, { shape: [512, 512], from: "square" });
  assert.equal(about.files.length, 27);
});

for (const backend of BACKENDS_HERE) {
  test(`${backend}: frames and rows of 262,144 in 27 files are exact, across the files' borders`, async () => {
    const kind = (i: number) => standard.kinds[i % 8]!;
    // The first file holds 9709 frames.
    const list = [262_143, 0, 9708, 9709, 131_071];
    const some = await loadOn(backend, standard.path, { frames: list });
    assert.ok(bytesOf(some).equals(stack(kind, list)));
    const scan = { rows: [18, 511, 246], cols: [0, 512, 7] } as const;
    const part = await loadOn(backend, standard.path, { scan });
    const columns = upTo(74).map((i) => i * 7);
    assert.deepEqual(part.shape, [3, 74, HEIGHT, WIDTH]);
    const positions = [18, 264, 510].flatMap((row) => columns.map((col) => row * 512 + col));
    assert.ok(bytesOf(part).equals(stack(kind, positions)));
  });
}

test("1000 loads of 50 masters keep memory and handles flat", {
  skip: !onLinux && "needs /proc",
}, () => {
  const masters = upTo(50).map((i) => manyFiles(`flat${i}`, 1 + (i % 3), 100 + i).path);
  const printed = inFreshNode(
    `const masters = ${JSON.stringify(masters)};
     const first = [];
     let before;
     for (let round = 0; round < 20; round++) {
       for (const [i, master] of masters.entries()) {
         const frames = await load(master, { progress: false, scanShape: null });
         const digest = sha(frames);
         first[i] ??= digest;
         if (digest !== first[i]) throw new Error(master + " loads differently in round " + round);
         frames.release();
       }
       if (round === 5 || round === 19) {
         global.gc();
         const now = { handles: handles(), rss: process.memoryUsage().rss };
         if (round === 5) before = now;
         else console.log(now.handles - before.handles, Math.round((now.rss - before.rss) / 2 ** 20));
       }
     }`,
    256,
  );
  const [handles, mebibytes] = printed.trim().split(" ").map(Number);
  assert.equal(handles, 0);
  assert.ok(mebibytes! < 32, `grew by ${mebibytes} MiB in 700 loads`);
});

test("nothing is written beside the data, and a folder that may only be read is enough", async () => {
  const at = join(folder, "read only");
  const { path } = manyFiles("still", 3, 5, at);
  const state = () => readdirSync(at).map((name) => `${name} ${statSync(join(at, name)).mtimeMs}`);
  const before = state();
  for (const name of readdirSync(at)) chmodSync(join(at, name), 0o444);
  chmodSync(at, 0o555);
  try {
    for (const backend of BACKENDS_HERE) {
      const frames = await loadOn(backend, path, { scanShape: null });
      assert.ok(bytesOf(frames).equals(truth(5, 3)));
    }
  } finally {
    chmodSync(at, 0o755);
  }
  assert.deepEqual(state(), before);
});

const NAMES = ["two words", "Prüfung ß", "測定 データ", "u\u0308ber cafe\u0301", "a%b#c'd\"e"];
for (const name of NAMES) {
  test(`paths with ${JSON.stringify(name)} load, and the report prints them as they are`, async () => {
    const at = join(folder, name);
    mkdirSync(at);
    const { path } = manyFiles(name, 2, 6, at);
    for (const backend of BACKENDS_HERE) {
      const frames = await loadOn(backend, path, { scanShape: null });
      assert.ok(bytesOf(frames).equals(truth(6, 2)));
      assert.equal(frames.report.path, path);
    }
  });
}
