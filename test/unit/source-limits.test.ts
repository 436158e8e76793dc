// Owns: tests of what source/ withstands: hostile bytes, deadlines, memory, many files, parallel opens, process exit.
// Must not know: how the limits are enforced.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { AbortError, FrameLabError, NotHdf5Error, UnsupportedLayoutError } from "#framelab/errors";
import type { Acquisition } from "#framelab/source/acquisition";
import { openAcquisition } from "#framelab/source/index";
import { askFile } from "#framelab/source/metadata/client";
import { chunked, externalLink, group, type Node, writeHdf5 } from "../fixtures/hdf5-writer";
import { mask, stack, temporaryFolder, writeAcquisition, writeDataFile } from "./source-fixtures";

const root = temporaryFolder();

function newFolder(name: string): string {
  const made = path.join(root, name);
  mkdirSync(made);
  return made;
}

/** Opens a damaged file: an acquisition or a named error, nothing else; after it the good file is what it was. */
async function opensOrRefuses(file: string, good: string, truth: Acquisition): Promise<void> {
  try {
    await openAcquisition(file, { deadlineMs: 10_000 });
  } catch (error) {
    assert.ok(error instanceof FrameLabError, `${file}: ${(error as Error).stack}`);
    assert.ok(error.message.length > 20, error.message);
  }
  assert.deepEqual(await openAcquisition(good), truth);
}

test("a master cut at every 64th byte is refused by name, and good files open exactly after it", async () => {
  const at = newFolder("cut");
  const good = writeAcquisition(at, [3, 3], { nimages: 1, ntrigger: 6, mask: mask(4, 6, [2]) });
  const truth = await openAcquisition(good);
  const bytes = readFileSync(good);
  const cut = path.join(at, "cut.h5");
  for (let left = 0; left < bytes.length; left += 64) {
    writeFileSync(cut, bytes.subarray(0, left));
    await assert.rejects(openAcquisition(cut), NotHdf5Error, `${left} of ${bytes.length} bytes`);
    // Padded to its old length with zeros, the superblock no longer gives it away.
    if (left % 512 !== 0) continue;
    writeFileSync(cut, Buffer.concat([bytes.subarray(0, left), Buffer.alloc(bytes.length - left)]));
    await opensOrRefuses(cut, good, truth);
  }
});

test("300 masters with one byte changed are an acquisition or a named error, and harm no later open", async () => {
  const at = newFolder("mutated");
  const good = writeAcquisition(at, [3, 3], { nimages: 1, ntrigger: 6, mask: mask(4, 6, [2]) });
  const truth = await openAcquisition(good);
  const bytes = readFileSync(good);
  let state = 20260;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let i = 0; i < 300; i++) {
    const mutated = Buffer.from(bytes);
    mutated[random(bytes.length)]! ^= 1 + random(255);
    const file = path.join(at, "mutated.h5");
    writeFileSync(file, mutated);
    await opensOrRefuses(file, good, truth);
  }
});

/** A raw deflate stream in a zlib wrapper that inflates to `mebibytes` MiB of zeros (its checksum is never reached). */
function zeros(mebibytes: number): Uint8Array {
  const block = deflateRawSync(Buffer.alloc(2 ** 20), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Uint8Array.of(0x78, 0x9c), ...new Array<Buffer>(mebibytes).fill(block)]);
}

test("a pixel mask that inflates to a gigabyte is a note: the metadata reader's memory is bounded", async () => {
  const file = path.join(newFolder("memory"), "bomb.h5");
  const pixel_mask = chunked({
    dtype: "u32",
    shape: [4, 6],
    maxShape: [null, null],
    chunkShape: [16384, 16384],
    filters: [{ id: 1, values: [4] }],
    chunks: [{ bytes: zeros(1024) }],
  });
  const detector = group({ detectorSpecific: group({ pixel_mask }) });
  writeHdf5(
    file,
    group({ entry: group({ data: group({ data: stack({ frames: 2 }) }), instrument: group({ detector }) }) }),
  );
  await openAcquisition(writeAcquisition(newFolder("before"), [2]));
  const before = process.resourceUsage().maxRSS;
  const { found, pixelMask, notes } = await openAcquisition(file);
  const grownMiB = (process.resourceUsage().maxRSS - before) / 1024;
  assert.deepEqual([found, pixelMask], [2, null]);
  assert.equal(notes[0]?.code, "pixel-mask-unread");
  assert.ok(grownMiB < 512, `${grownMiB} MiB`);
});

test("a mask larger than any detector's is not read", async () => {
  const file = path.join(newFolder("large mask"), "m.h5");
  const pixel_mask = chunked({ dtype: "u32", shape: [10000, 10000], chunkShape: [100, 10000], chunks: [] });
  const specific = group({ detectorSpecific: group({ pixel_mask }) });
  const data = group({ data: stack({ frames: 1, rows: 1, cols: 1 }) });
  writeHdf5(file, group({ entry: group({ data, instrument: group({ detector: specific }) }) }));
  await assert.rejects(openAcquisition(file), /\[10000, 10000\], the detector is \[1, 1\]/);
});

test("a file that takes longer than the deadline is refused, and the next one opens", async () => {
  const good = writeAcquisition(newFolder("deadline"), [3]);
  const truth = await openAcquisition(good);
  // Far more questions than five milliseconds can answer stand for a file on which HDF5 does not come back.
  const endless = new Array(200_000).fill({ ask: "object", path: "/entry/data/data_000001" } as const);
  await assert.rejects(askFile(good, endless, { deadlineMs: 5 }), (error: Error) => {
    assert.ok(error instanceof UnsupportedLayoutError);
    assert.match(error.message, /took longer than 0\.005 s/);
    return true;
  });
  assert.deepEqual(await openAcquisition(good), truth);
});

test("cancelled before, while waiting and while running: AbortError, and the others go on", async () => {
  const good = writeAcquisition(newFolder("cancel"), [3, 3, 3]);
  const truth = await openAcquisition(good);
  await assert.rejects(openAcquisition(good, { signal: AbortSignal.abort() }), AbortError);
  const control = new AbortController();
  const cancelled = [1, 2, 3].map(() =>
    assert.rejects(openAcquisition(good, { signal: control.signal }), AbortError),
  );
  const other = openAcquisition(good);
  setImmediate(() => control.abort());
  await Promise.all(cancelled);
  assert.deepEqual(await other, truth);
});

test("more absent attributes than one h5wasm instance bears", async () => {
  const good = writeAcquisition(newFolder("absent"), [3]);
  const attributes = new Array<string>(30).fill("scan_shape");
  for (let i = 0; i < 5; i++) {
    const queries = new Array(200).fill({ ask: "object", path: "/entry/data", attributes } as const);
    const answers = await askFile(good, queries);
    assert.equal(answers.length, 200);
    assert.ok(answers.every((answer) => "ok" in answer));
  }
});

test("parallel opens of different acquisitions do not mix", async () => {
  const masters = [1, 2, 3, 4, 5, 6].map((n) =>
    writeAcquisition(newFolder(`parallel ${n}`), [n, n, n], {}, { rows: n, cols: n + 1 }),
  );
  const opened = await Promise.all([...masters, ...masters].map((master) => openAcquisition(master)));
  opened.forEach((acquisition, i) => {
    const n = (i % 6) + 1;
    assert.deepEqual(acquisition.detector, [n, n + 1]);
    assert.equal(acquisition.found, 3 * n);
    assert.ok(acquisition.segments.every((s) => path.dirname(s.file) === path.dirname(masters[n - 1]!)));
  });
});

/** Runs a few lines in a fresh Node process that may open at most `files` files; its standard output. */
function inFreshNode(lines: string, files: number): string {
  const source = require.resolve("#framelab/source/index");
  const program = `const { openAcquisition } = require(${JSON.stringify(source)});\n${lines}`;
  return execFileSync("sh", ["-c", `ulimit -n ${files}; exec "$0" -e "$1"`, process.execPath, program], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
  });
}

test("1001 data files open with 256 file handles, and none stays open", () => {
  const at = newFolder("many");
  const members: Record<string, Node> = {};
  writeDataFile(path.join(at, "data.h5"), { frames: 2 });
  for (let i = 1; i <= 1001; i++) members[`data_${i}`] = externalLink("data.h5", "/entry/data/data");
  const master = path.join(at, "master.h5");
  writeHdf5(master, group({ entry: group({ data: group(members) }) }), { superblock: 2 });
  const counts = inFreshNode(
    `const open = () => require("fs").existsSync("/proc/self/fd") ? require("fs").readdirSync("/proc/self/fd").length : 0;
     (async () => {
       await openAcquisition(${JSON.stringify(path.join(at, "data.h5"))});
       const before = open();
       const { found, segments } = await openAcquisition(${JSON.stringify(master)});
       console.log(found, segments.length, open() - before);
     })();`,
    256,
  );
  assert.equal(counts.trim(), "2002 1001 0");
});

test("an idle metadata reader lets Node end, and nothing of HDF5 reaches the terminal", () => {
  const at = newFolder("exit");
  const good = writeAcquisition(at, [3]);
  const bad = path.join(at, "bad.h5");
  const bytes = readFileSync(good);
  bytes.fill(0xff, 100, 400);
  writeFileSync(bad, bytes);
  const before = readdirSync(at);
  const source = require.resolve("#framelab/source/index");
  const program = `const { openAcquisition } = require(${JSON.stringify(source)});
    (async () => {
      await openAcquisition(${JSON.stringify(bad)}).then(() => console.log("opened"), (e) => console.log(e.code));
      console.log((await openAcquisition(${JSON.stringify(good)})).found);
    })();`;
  const output = execFileSync("sh", ["-c", 'exec "$0" -e "$1" 2>&1', process.execPath, program], {
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.match(output, /^(not-hdf5|unsupported-layout|dataset-not-found)\n3\n$/);
  assert.deepEqual(readdirSync(at), before);
});
