// Owns: tests of links into other files: where their targets are looked for, and that no other place is used.
// Must not know: chunks.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, symlinkSync, unlinkSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { DatasetNotFoundError, MissingFileError } from "#framelab/errors";
import { openAcquisition } from "#framelab/source/index";
import { externalLink, group, softLink, writeHdf5 } from "../fixtures/hdf5-writer";
import { stack, temporaryFolder, writeDataFile, writeMaster } from "./source-fixtures";

const root = temporaryFolder();

function folder(name: string): string {
  const made = path.join(root, name);
  mkdirSync(made, { recursive: true });
  return made;
}

/** A master in `at` whose only link names `target`; its path. */
function masterNaming(at: string, target: string, name = "scan_master.h5"): string {
  const master = path.join(at, name);
  writeMaster(master, { data: { data_000001: target } });
  return master;
}

async function fileOf(master: string): Promise<string | undefined> {
  return (await openAcquisition(master)).segments[0]?.file;
}

test("a relative link counts from the master's folder; a decoy in the working directory is never read", async () => {
  const at = folder("relative");
  const elsewhere = folder("working directory");
  writeDataFile(path.join(at, "x_data_000001.h5"), { frames: 3 });
  writeDataFile(path.join(elsewhere, "x_data_000001.h5"), { frames: 5, rows: 9, cols: 9 });
  const master = masterNaming(at, "x_data_000001.h5");
  const before = process.cwd();
  process.chdir(elsewhere);
  try {
    const acquisition = await openAcquisition(path.relative(elsewhere, master));
    assert.equal(acquisition.path, master);
    assert.equal(acquisition.segments[0]?.file, path.join(at, "x_data_000001.h5"));
    assert.deepEqual(acquisition.detector, [4, 6]);
    // The file beside the master gone, the decoy still is no answer.
    unlinkSync(path.join(at, "x_data_000001.h5"));
    await assert.rejects(openAcquisition(master), (error: Error) => {
      assert.ok(error instanceof MissingFileError);
      assert.ok(error.message.includes(path.join(at, "x_data_000001.h5")), "lists the path tried");
      assert.ok(!error.message.includes(elsewhere), "does not try the working directory");
      return true;
    });
  } finally {
    process.chdir(before);
  }
});

test("a symbolic link to a master: its own folder first, then the folder behind it", async () => {
  const at = folder("behind");
  const linked = folder("in front");
  writeDataFile(path.join(at, "x.h5"), { frames: 3 });
  const link = path.join(linked, "link_master.h5");
  symlinkSync(masterNaming(at, "x.h5"), link);
  assert.equal(await fileOf(link), path.join(at, "x.h5"));
  writeDataFile(path.join(linked, "x.h5"), { frames: 2 });
  assert.equal(await fileOf(link), path.join(linked, "x.h5"));
});

test("absolute and foreign paths are also tried by their bare name beside the master", async () => {
  const at = folder("foreign");
  const file = path.join(at, "x_data_000001.h5");
  writeDataFile(file, { frames: 3 });
  const named = [
    "D:\\data\\2024\\x_data_000001.h5",
    "\\\\detector-pc\\share\\x_data_000001.h5",
    "/home/dcu/acquisition/x_data_000001.h5",
    "raw/x_data_000001.h5",
    "raw\\x_data_000001.h5",
    "./x_data_000001.h5",
  ];
  for (const name of named) assert.equal(await fileOf(masterNaming(at, name)), file, name);
  // The place that the link says goes before the bare name.
  writeDataFile(path.join(folder("foreign/raw"), "x_data_000001.h5"), { frames: 2 });
  assert.equal(await fileOf(masterNaming(at, "raw/x_data_000001.h5")), path.join(at, "raw/x_data_000001.h5"));
  assert.equal(
    await fileOf(masterNaming(at, "raw\\x_data_000001.h5")),
    path.join(at, "raw/x_data_000001.h5"),
  );
  const absolute = path.join(folder("far away"), "x_data_000001.h5");
  copyFileSync(file, absolute);
  assert.equal(await fileOf(masterNaming(at, absolute)), absolute);
});

test("names with spaces, umlauts, CJK and both Unicode normal forms", async () => {
  const at = folder("Größe 測定 データ");
  for (const name of ["Probe mit Ä.h5", "試料 1.h5", "データ.h5", "a b  c.h5"]) {
    writeDataFile(path.join(at, name), { frames: 3 });
    assert.equal(await fileOf(masterNaming(at, name)), path.join(at, name), name);
  }
  // Written by one system in composed letters, copied by another that decomposes them, and the other way.
  for (const [stored, linked] of [
    ["NFD", "NFC"],
    ["NFC", "NFD"],
  ] as const) {
    const file = path.join(at, `Köln ${stored}.h5`.normalize(stored));
    writeDataFile(file, { frames: 3 });
    const found = await fileOf(masterNaming(at, `Köln ${stored}.h5`.normalize(linked)));
    assert.equal(found?.normalize("NFC"), file.normalize("NFC"));
  }
});

test("soft links are followed inside a file, absolute and relative, and across groups", async () => {
  const file = path.join(folder("soft"), "soft.h5");
  const members = {
    entry: group({ data: softLink("/real/group") }),
    real: group({
      group: softLink("../real/frames"),
      frames: group({ data: softLink("../stack") }),
      stack: stack({ frames: 4 }),
    }),
  };
  // HDF5 has no "..": such a link leads nowhere.
  writeHdf5(file, group(members));
  await assert.rejects(openAcquisition(file), DatasetNotFoundError);
  writeHdf5(
    file,
    group({
      entry: group({ data: softLink("/real/group") }),
      real: group({
        group: softLink("frames"),
        frames: group({ data: softLink("/real/stack") }),
        stack: stack({ frames: 4 }),
      }),
    }),
  );
  const { found, segments } = await openAcquisition(file);
  assert.equal(found, 4);
  assert.equal(segments[0]?.dataset, "/real/stack");
});

test("soft links in a circle end", async () => {
  const file = path.join(folder("circle"), "circle.h5");
  writeHdf5(
    file,
    group({ entry: group({ data: softLink("/b"), self: softLink("self") }), b: softLink("/entry/data") }),
  );
  await assert.rejects(openAcquisition(file), DatasetNotFoundError);
  for (const dataset of ["/entry/data", "/entry/self", "/b/c/d"]) {
    await assert.rejects(openAcquisition(file, { dataset }), /soft links in a row/);
  }
});

test("a link to a link to a link ends at the data; links in a circle end in an error", async () => {
  const at = folder("chain");
  writeDataFile(path.join(at, "end.h5"), { frames: 3 });
  writeHdf5(path.join(at, "two.h5"), group({ deep: externalLink("end.h5", "/entry") }));
  writeHdf5(path.join(at, "one.h5"), group({ entry: group({ data: externalLink("two.h5", "/deep/data") }) }));
  const { segments } = await openAcquisition(masterNaming(at, "one.h5"));
  assert.equal(segments[0]?.file, path.join(at, "end.h5"));
  assert.equal(segments[0]?.dataset, "/entry/data/data");

  writeHdf5(
    path.join(at, "ping.h5"),
    group({ entry: group({ data: externalLink("pong.h5", "/entry/data") }) }),
  );
  writeHdf5(
    path.join(at, "pong.h5"),
    group({ entry: group({ data: externalLink("ping.h5", "/entry/data") }) }),
  );
  await assert.rejects(openAcquisition(masterNaming(at, "ping.h5")), /links to other files in a row/);
  // A group of data files that lies in another file.
  const group2 = path.join(at, "group_master.h5");
  writeHdf5(group2, group({ entry: externalLink("scan_master.h5", "/entry") }));
  masterNaming(at, "one.h5");
  assert.equal((await openAcquisition(group2)).segments[0]?.file, path.join(at, "end.h5"));
});

test("a link to something that is no dataset, or to another kind of file, is that part's problem", async () => {
  const at = folder("not data");
  writeDataFile(path.join(at, "good.h5"), { frames: 3 });
  writeHdf5(path.join(at, "group.h5"), group({ entry: group({ data: group({ data: group({}) }) }) }));
  writeHdf5(path.join(at, "bare.h5"), group({}));
  mkdirSync(path.join(at, "folder.h5"));
  const master = path.join(at, "scan_master.h5");
  const data = {
    data_1: "good.h5",
    data_2: "group.h5",
    data_3: "bare.h5",
    data_4: "folder.h5",
    data_5: "gone.h5",
  };
  writeMaster(master, { data, nimages: 15 });
  const { segments, planned, found } = await openAcquisition(master);
  assert.deepEqual([planned, found], [15, 3]);
  assert.deepEqual(
    segments.map((s) => [path.basename(s.file), s.firstFrame, s.frames, s.facts !== null]),
    [
      ["good.h5", 0, 3, true],
      ["group.h5", 3, 3, false],
      ["bare.h5", 6, 3, false],
      ["folder.h5", 9, 3, false],
      ["gone.h5", 12, 3, false],
    ],
  );
  const problems = segments.map((s) => s.problem ?? "");
  assert.match(problems[1]!, /is a group/);
  assert.match(problems[2]!, /does not exist/);
  assert.match(problems[3]!, /is a folder/);
  assert.match(problems[4]!, /does not exist \(tried /);
});

test("a name with a slash in it does not lead HDF5 into another file", async () => {
  const at = folder("slash");
  writeHdf5(path.join(at, "other.h5"), group({ x: stack({ frames: 9 }) }));
  const file = path.join(at, "slash.h5");
  const inside = stack({ frames: 2 });
  writeHdf5(file, group({ inside, link: externalLink("other.h5", "/"), "link/x": stack({ frames: 1 }) }));
  await assert.rejects(openAcquisition(file), (error: Error) => {
    assert.ok(error instanceof DatasetNotFoundError);
    assert.match(error.message, /\/inside \[2, 4, 6\]/);
    assert.doesNotMatch(error.message, /\/link\/x/);
    return true;
  });
});
