// Owns: tests of what an acquisition is: masters, single files, data files alone, sidecars, masks, datatypes.
// Must not know: chunks.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import {
  DatasetNotFoundError,
  MissingFileError,
  NotHdf5Error,
  OptionError,
  UnsupportedLayoutError,
} from "#framelab/errors";
import { openAcquisition } from "#framelab/source/index";
import type { Dtype } from "#framelab/types";
import { dataset, group, numbers, scalar, text, writeHdf5 } from "../fixtures/hdf5-writer";
import {
  firstImage,
  mask,
  stack,
  temporaryFolder,
  writeAcquisition,
  writeDataFile,
  writeMaster,
} from "./source-fixtures";

const root = temporaryFolder();
let folders = 0;

function newFolder(): string {
  folders += 1;
  const made = path.join(root, `${folders}`);
  mkdirSync(made);
  return made;
}

test("a master: planned and found, detector, dtype, scan from the square, mask", async () => {
  const pixelMask = mask(4, 6, [5, 23]);
  const master = writeAcquisition(newFolder(), [100, 100, 56], {
    nimages: 1,
    ntrigger: 256,
    mask: pixelMask,
  });
  const acquisition = await openAcquisition(master);
  assert.equal(acquisition.kind, "master");
  assert.equal(acquisition.dtype, "u16");
  assert.deepEqual(acquisition.detector, [4, 6]);
  assert.deepEqual([acquisition.planned, acquisition.found], [256, 256]);
  assert.deepEqual(acquisition.scan, { shape: [16, 16], from: "square" });
  assert.deepEqual(acquisition.notes, []);
  assert.deepEqual(
    acquisition.segments.map((s) => [s.firstFrame, s.frames, s.dataset, s.facts?.shape]),
    [
      [0, 100, "/entry/data/data", [100, 4, 6]],
      [100, 100, "/entry/data/data", [100, 4, 6]],
      [200, 56, "/entry/data/data", [56, 4, 6]],
    ],
  );
  assert.deepEqual(acquisition.pixelMask?.shape, [4, 6]);
  const flagged = [...(acquisition.pixelMask?.data ?? [])].flatMap((value, i) => (value ? [i] : []));
  assert.deepEqual(flagged, [5, 23]);
  // Everything crosses threads.
  assert.deepEqual(structuredClone(acquisition), acquisition);
});

test("old-style and new-style groups, data_1, data_2, data_10, data files of any name", async () => {
  for (const superblock of [0, 3] as const) {
    const at = newFolder();
    const data: Record<string, string> = {};
    for (let i = 1; i <= 11; i++) {
      writeDataFile(path.join(at, `run ${12 - i}.nxs`), { frames: i }, { superblock });
      data[`data_${i}`] = `run ${12 - i}.nxs`;
    }
    writeMaster(path.join(at, "m.h5"), { data }, { superblock });
    const { segments } = await openAcquisition(path.join(at, "m.h5"));
    assert.deepEqual(
      segments.map((s) => s.frames),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    );
  }
});

test("image_nr_low orders data files whose link names do not", async () => {
  const at = newFolder();
  const lows = [7, 1, 4];
  lows.forEach((low, i) => {
    writeDataFile(path.join(at, `f${i}.h5`), { frames: 3, attributes: firstImage(low) });
  });
  writeMaster(path.join(at, "m.h5"), { data: { data_1: "f0.h5", data_2: "f1.h5", data_3: "f2.h5" } });
  const { segments } = await openAcquisition(path.join(at, "m.h5"));
  assert.deepEqual(
    segments.map((s) => path.basename(s.file)),
    ["f1.h5", "f2.h5", "f0.h5"],
  );
});

test("absent, cut and empty data files are segments without facts; with none left it is an error", async () => {
  const at = newFolder();
  const master = writeAcquisition(at, [10, 10, 10, 6], { nimages: 36, ntrigger: 1 });
  rmSync(path.join(at, "scan_data_000002.h5"));
  writeFileSync(path.join(at, "scan_data_000003.h5"), "");
  truncateSync(path.join(at, "scan_data_000004.h5"), 700);
  const { segments, planned, found } = await openAcquisition(master);
  assert.deepEqual([planned, found], [36, 10]);
  assert.deepEqual(
    segments.map((s) => [s.firstFrame, s.frames, s.facts === null]),
    [
      [0, 10, false],
      [10, 10, true],
      [20, 10, true],
      [30, 6, true],
    ],
  );
  assert.match(segments[1]!.problem ?? "", /does not exist/);
  assert.match(segments[2]!.problem ?? "", /is empty/);
  assert.match(segments[3]!.problem ?? "", /cut short/);
  assert.equal(segments[1]!.file, path.join(at, "scan_data_000002.h5"));

  rmSync(path.join(at, "scan_data_000001.h5"));
  await assert.rejects(openAcquisition(master), (error: Error) => {
    assert.ok(error instanceof MissingFileError);
    assert.match(error.message, /None of the 4 data files .* 36 frames were planned and 0 are found/);
    assert.ok(error.message.includes(path.join(at, "scan_data_000001.h5")), "names the path tried");
    return true;
  });
});

test("short and long scans keep their plan", async () => {
  const short = await openAcquisition(writeAcquisition(newFolder(), [10, 3], { nimages: 1, ntrigger: 16 }));
  assert.deepEqual([short.planned, short.found], [16, 13]);
  assert.deepEqual(short.scan?.shape, [4, 4]);
  assert.deepEqual(short.segments.at(-1), {
    firstFrame: 13,
    frames: 3,
    file: "",
    dataset: "",
    start: 0,
    step: 1,
    facts: null,
    problem: "the acquisition planned 16 frames and its data files hold 13",
  });
  const long = await openAcquisition(writeAcquisition(newFolder(), [10, 10], { nimages: 1, ntrigger: 16 }));
  assert.deepEqual([long.planned, long.found, long.segments.length], [16, 20, 2]);
});

test("an EIGER series stays a series; an attribute scan_shape wins wherever it stands", async () => {
  const series = await openAcquisition(writeAcquisition(newFolder(), [9], { nimages: 9, ntrigger: 1 }));
  assert.equal(series.scan, null);
  const scan_shape = numbers("i64", [2], [2, 8]);
  for (const place of ["rootAttributes", "dataAttributes", "detectorAttributes"] as const) {
    const given = writeAcquisition(newFolder(), [16], { nimages: 1, ntrigger: 16, [place]: { scan_shape } });
    assert.deepEqual((await openAcquisition(given)).scan, { shape: [2, 8], from: "attribute" }, place);
  }
  const big = { scan_shape: numbers("u32", [2], [4, 2], "big") };
  const onStack = writeAcquisition(newFolder(), [8], {}, { attributes: big });
  assert.deepEqual((await openAcquisition(onStack)).scan?.shape, [4, 2]);
  const words = writeAcquisition(newFolder(), [16], { dataAttributes: { scan_shape: text("4x4") } });
  assert.equal((await openAcquisition(words)).scan, null);
});

test("data files that differ in detector or dtype are refused by both names", async () => {
  for (const odd of [
    { rows: 6, cols: 4 },
    { rows: 4, cols: 6, dtype: "u32" as Dtype },
  ]) {
    const at = newFolder();
    const master = writeAcquisition(at, [3, 3]);
    writeDataFile(path.join(at, "scan_data_000002.h5"), { frames: 3, ...odd });
    await assert.rejects(openAcquisition(master), (error: Error) => {
      assert.ok(error instanceof UnsupportedLayoutError);
      assert.match(error.message, /scan_data_000001\.h5 holds frames of u16 \[4, 6\].*scan_data_000002\.h5/);
      return true;
    });
  }
});

test("zero frames are an error; a data file of zero frames among others is a note", async () => {
  await assert.rejects(openAcquisition(writeAcquisition(newFolder(), [0])), (error: Error) => {
    assert.ok(error instanceof DatasetNotFoundError);
    assert.match(error.message, /\[0, 4, 6\]: it holds no frames/);
    return true;
  });
  const { segments, notes } = await openAcquisition(writeAcquisition(newFolder(), [5, 0, 5]));
  assert.deepEqual(
    segments.map((s) => [s.firstFrame, s.frames]),
    [
      [0, 5],
      [5, 5],
    ],
  );
  assert.equal(notes[0]?.code, "data-file-without-frames");
});

test("one file with its own frames: /entry/data/data, data_NNNNNN, and any path through the option dataset", async () => {
  const at = newFolder();
  const single = path.join(at, "single.h5");
  writeMaster(single, { data: { data: stack({ frames: 16 }) }, nimages: 1, ntrigger: 16 });
  const one = await openAcquisition(single);
  assert.deepEqual([one.kind, one.found, one.segments.length], ["single-file", 16, 1]);

  const several = path.join(at, "several.h5");
  writeMaster(several, {
    data: { data_2: stack({ frames: 2 }), data_10: stack({ frames: 10 }), other: stack({ frames: 1 }) },
  });
  const parts = await openAcquisition(several);
  assert.deepEqual(
    parts.segments.map((s) => [s.dataset, s.frames]),
    [
      ["/entry/data/data_2", 2],
      ["/entry/data/data_10", 10],
    ],
  );
  assert.equal((await openAcquisition(several, { dataset: "/entry/data/other" })).found, 1);
  assert.equal((await openAcquisition(several, { dataset: "entry/data" })).found, 12);

  const early = path.join(at, "early.h5");
  writeHdf5(early, group({ entry: group({ data_000001: stack({ frames: 7 }) }) }));
  assert.equal((await openAcquisition(early)).found, 7);
});

test("a layout that is not known lists the stacks that were seen", async () => {
  const file = path.join(newFolder(), "other.h5");
  const image = dataset(numbers("u16", [2, 2], [1, 2, 3, 4]));
  writeHdf5(
    file,
    group({ exp: group({ det: stack({ frames: 4, dtype: "f32" }), image }), scan: stack({ frames: 2 }) }),
  );
  for (const options of [{}, { dataset: "/exp/nothing" }, { dataset: "/exp" }]) {
    await assert.rejects(openAcquisition(file, options), (error: Error) => {
      assert.ok(error instanceof DatasetNotFoundError, error.message);
      assert.match(error.message, /\/exp\/det \[4, 4, 6\] f32/);
      assert.match(error.message, /\/scan \[2, 4, 6\] u16/);
      assert.doesNotMatch(error.message, /\/exp\/image/);
      return true;
    });
  }
  await assert.rejects(openAcquisition(file, { dataset: "/exp/image" }), /\[2, 2\], no stack of frames/);
  assert.equal((await openAcquisition(file, { dataset: "/exp/det" })).dtype, "f32");
  await assert.rejects(openAcquisition(file, { dataset: "" }), OptionError);
  await assert.rejects(openAcquisition(file, { dataset: "a\0b" }), OptionError);
  await assert.rejects(openAcquisition(""), OptionError);
});

test("a data file alone opens with a note that names its master", async () => {
  const at = newFolder();
  const master = writeAcquisition(at, [3, 3], { nimages: 6 });
  const alone = await openAcquisition(path.join(at, "scan_data_000002.h5"));
  assert.deepEqual([alone.kind, alone.found, alone.planned], ["data-file", 3, 3]);
  assert.equal(alone.notes[0]?.code, "data-file-alone");
  assert.match(alone.notes[0]?.text ?? "", /scan_master\.h5/);
  // Found by its link where the names do not tell.
  writeDataFile(path.join(at, "odd name.h5"), { frames: 3 });
  writeMaster(path.join(at, "other_master.h5"), { data: { data_000001: "D:\\x\\odd name.h5" } });
  const odd = await openAcquisition(path.join(at, "odd name.h5"));
  assert.match(odd.notes[0]?.text ?? "", /other_master\.h5/);
  // A master that names other files only is not its master.
  writeDataFile(path.join(at, "stranger.h5"), { frames: 3 });
  assert.equal((await openAcquisition(path.join(at, "stranger.h5"))).kind, "single-file");
  rmSync(master);
});

test("a sidecar is refused and points to the master", async () => {
  const at = newFolder();
  const master = writeAcquisition(at, [3]);
  const sidecar = path.join(at, "scan.h5");
  writeHdf5(sidecar, group({ "scan [BF]": group({ Image: dataset(numbers("f32", [2, 2], [1, 2, 3, 4])) }) }));
  await assert.rejects(openAcquisition(sidecar), (error: Error & { todo?: string }) => {
    assert.ok(error instanceof DatasetNotFoundError);
    assert.match(error.todo ?? "", /sidecar/);
    assert.ok(error.todo?.includes(master));
    return true;
  });
});

test("pixel masks: absent, all zero, of any integer type; another shape is an error", async () => {
  const open = async (pixelMask?: ReturnType<typeof mask>): Promise<unknown> => {
    const facts = pixelMask === undefined ? {} : { mask: pixelMask };
    const { pixelMask: read } = await openAcquisition(writeAcquisition(newFolder(), [2], facts));
    return read === null ? null : [...read.data].reduce((sum, value) => sum + value, 0);
  };
  assert.equal(await open(), null);
  assert.equal(await open(mask(4, 6)), 0);
  for (const dtype of ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"] as const) {
    assert.equal(await open(mask(4, 6, [0, 7, 23], dtype)), 3, dtype);
  }
  assert.equal(await open(numbers("u32", [4, 6], new Array(24).fill(0x80000001), "big")), 24 * 0x80000001);
  // A flag above the low 32 bits stays a flag.
  assert.equal(await open(numbers("u64", [4, 6], new Array(24).fill(1n << 40n))), 24);
  for (const shape of [[6, 4], [4, 7], [24], [1, 4, 6]]) {
    const count = shape.reduce((product, extent) => product * extent, 1);
    await assert.rejects(open(numbers("u32", shape, new Array(count).fill(0))), (error: Error) => {
      assert.ok(error instanceof UnsupportedLayoutError);
      assert.ok(error.message.includes(`[${shape.join(", ")}], the detector is [4, 6]`), error.message);
      return true;
    });
  }
});

test("every dtype in both byte orders; anything else is refused by its name", async () => {
  const at = newFolder();
  for (const dtype of ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"] as const) {
    for (const order of ["little", "big"] as const) {
      const file = path.join(at, `${dtype} ${order}.h5`);
      writeDataFile(file, { frames: 2, dtype, order });
      const acquisition = await openAcquisition(file);
      assert.equal(acquisition.dtype, dtype);
      const { littleEndian } = acquisition.segments[0]!.facts!;
      if (dtype.slice(1) !== "8") assert.equal(littleEndian, order === "little", `${dtype} ${order}`);
    }
  }
  const words = dataset({ type: { kind: "string", bytes: 3 }, shape: [1, 2, 2], bytes: new Uint8Array(12) });
  writeHdf5(path.join(at, "words.h5"), group({ entry: group({ data: group({ data: words }) }) }));
  await assert.rejects(openAcquisition(path.join(at, "words.h5")), (error: Error) => {
    assert.ok(error instanceof UnsupportedLayoutError);
    assert.match(error.message, /type string of 3 bytes/);
    return true;
  });
  const five = dataset(numbers("u8", [1, 1, 2, 2, 2], new Array(8).fill(0)));
  writeHdf5(path.join(at, "five.h5"), group({ entry: group({ data: group({ data: five }) }) }));
  await assert.rejects(openAcquisition(path.join(at, "five.h5")), /5 axes \[1, 1, 2, 2, 2\]/);
});

test("a plan that is no number of frames is a note", async () => {
  const { planned, notes } = await openAcquisition(
    writeAcquisition(newFolder(), [3], { nimages: 1, ntrigger: 2 ** 45 }),
  );
  assert.equal(planned, 3);
  assert.equal(notes[0]?.code, "planned-unusable");
});

test("a file that HDF5 cannot open says why", async () => {
  const file = path.join(newFolder(), "m.h5");
  writeDataFile(file, { frames: 1 }, { superblock: 2 });
  const { readFileSync } = await import("node:fs");
  const bytes = readFileSync(file);
  bytes[40]! ^= 1; // root group address: the superblock's checksum no longer fits
  writeFileSync(file, bytes);
  await assert.rejects(openAcquisition(file), (error: Error) => {
    assert.ok(error instanceof NotHdf5Error, error.message);
    assert.match(error.message, /HDF5 library cannot open it: .*checksum/);
    return true;
  });
});

test("scalars of any number type are read", async () => {
  const at = newFolder();
  const file = path.join(at, "m.h5");
  const specific = group({
    nimages: dataset(scalar("i16", 4, "big")),
    ntrigger: dataset(numbers("f64", [1], [3])),
  });
  const entry = group({
    data: group({ data: stack({ frames: 12 }) }),
    instrument: group({ detector: group({ detectorSpecific: specific }) }),
  });
  writeHdf5(file, group({ entry }));
  assert.equal((await openAcquisition(file)).planned, 12);
});

/** Written by h5py 3 (libver "latest"), gzip, base64: a virtual dataset over two files, and types without a dtype. */
const ODD_DATASETS =
  "H4sIAAWIDGsC/+v0cHHj5ZLiYubgYICB/1CgIwHhG0DFVz03WObv4RLExFDBJISsEAa4mBgYGRgEBBgYWNlRtbLxMwClWJLy83OuMqEI" +
  "ZSTmpD1khgoJgYTYk/NzC3JSK96yQDUjXMbQovLsIhFOgJqdkliSaMYI1erKQB1gcpy/jDQn7KS2E24ukzYFO0GRtYMnGxkzMDKaMDAw" +
  "MTMywgIPGtoM0CBmwCXOzMPAKAAXF2BgBfqCmZuDD6iDGRYDYH/MYRjUQK985QJw2DAiwoIRzc8wGpc4syIDYwQTRF6AA6aOg8HN0SfY" +
  "lSEkKBQYkYzgAOLiACYBZkYGCdTAZWgeFGHx1t7qH8VhIcLAKKjAD08XXKwMXMCkzYDsfRYJtIw6YfClC2EFa2GKw8KMgTGMCeLPIgYG" +
  "QQV5aIwrMIhzMIjXA1mZDCzYhJFDiwcaWgowp+XROyy+BP9VhocFC9h/TJB4xu9yWAkHN+gAw5AHxfaNOv7OHt5sAqB4Z03NKymq3Ayr" +
  "taBiuQUllT9ZIWKff7zXYxg+wN3Z34cRkrNRkv42WFaApX2GinhQXRZvAAKGehmmDPrgsNIHiYIJcFXCiGQ2E7R6YWRihprNCBZDppkZ" +
  "mJANNgIZzIBUNeE2jwmHecEzDqYh9GjwM4yCUTAKRsEoGAWjYBSMglEwCkbBKBgFo4AEAAA9EDDKLBgAAA==";

test("a virtual dataset without any source names the first, a type without a dtype is refused by its name", async () => {
  const file = path.join(newFolder(), "odd.h5");
  writeFileSync(file, gunzipSync(Buffer.from(ODD_DATASETS, "base64")));
  const refusals: [string | undefined, RegExp][] = [
    ["/bool", /type enum of 1 bytes/],
    ["/half", /type 16-bit float/],
    ["/complex", /type compound of 8 bytes/],
  ];
  for (const [dataset, message] of refusals) {
    await assert.rejects(openAcquisition(file, dataset === undefined ? {} : { dataset }), (error: Error) => {
      assert.ok(error instanceof UnsupportedLayoutError, error.message);
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(openAcquisition(file, { dataset: "/empty" }), DatasetNotFoundError);
  await assert.rejects(openAcquisition(file), (error: Error) => {
    assert.ok(error instanceof MissingFileError, error.message);
    assert.match(error.message, /None of the 2 data files .*x_data_000001\.h5/);
    return true;
  });
});
