// Owns: tests of source/ on real detector files, in the folder that FRAMELAB_REAL_FILES names.
// Must not know: how they are decoded. Expected values are those of the folder's PROVENANCE.md.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { DatasetNotFoundError, MissingFileError } from "#framelab/errors";
import { openAcquisition } from "#framelab/source/index";

const root = process.env.FRAMELAB_REAL_FILES;
const skip =
  root === undefined ? "FRAMELAB_REAL_FILES is not set: real detector files are not tested" : false;

function at(...parts: string[]): string {
  return path.join(root ?? "", ...parts);
}

test("ARINA: a master with 16 frames as a 4 x 4 scan, its mask, its data file alone", { skip }, async () => {
  const master = await openAcquisition(at("rosettasciio-arina", "test_00_master.h5"));
  assert.deepEqual(
    [master.kind, master.dtype, master.detector, master.planned, master.found],
    ["master", "u32", [192, 192], 16, 16],
  );
  assert.deepEqual(master.scan, { shape: [4, 4], from: "square" });
  assert.equal(
    master.pixelMask?.data.reduce((sum, flag) => sum + flag, 0),
    0,
  );
  const facts = master.segments[0]!.facts!;
  assert.deepEqual(facts.filters, [{ id: 32008, name: facts.filters[0]!.name, values: [0, 3, 4, 0, 2] }]);
  assert.deepEqual(facts.layout.kind === "chunked" && facts.layout.chunkShape, [1, 192, 192]);
  const alone = await openAcquisition(at("rosettasciio-arina", "test_00_data_000001.h5"));
  assert.equal(alone.kind, "data-file");
  assert.match(alone.notes[0]?.text ?? "", /test_00_master\.h5/);
});

test("ARINA sidecars are refused and point to their masters", { skip }, async () => {
  for (const [folder, name] of [
    ["openNCEM-arina", "au_145mm_68kx_microprobe_01"],
    ["rosettasciio-arina", "test_00"],
    ["rosettasciio-arina/old", "MEA_ptycho_15"],
  ] as const) {
    await assert.rejects(openAcquisition(at(folder, `${name}.h5`)), (error: Error & { todo?: string }) => {
      assert.ok(error instanceof DatasetNotFoundError);
      assert.ok(error.todo?.includes(at(folder, `${name}_master.h5`)), error.message);
      return true;
    });
    if (name === "test_00") continue;
    await assert.rejects(openAcquisition(at(folder, `${name}_master.h5`)), (error: Error) => {
      assert.ok(error instanceof MissingFileError);
      assert.ok(error.message.includes(at(folder, `${name}_data_000001.h5`)), error.message);
      return true;
    });
  }
});

test("an aborted series of 5000 planned frames: 5 are there, the others are named", { skip }, async () => {
  const master = at("dectris-h5-testfiles", "dataset_artificial_large_001", "test_master.h5");
  const { planned, found, segments, scan } = await openAcquisition(master);
  assert.deepEqual([planned, found, scan], [5000, 5, null]);
  assert.equal(segments.filter((segment) => segment.facts !== null).length, 1);
  assert.ok(segments.every((segment) => segment.frames === 5));
  assert.equal(path.basename(segments[1]!.file), "test_data_000002.h5");
  assert.match(segments[1]!.problem ?? "", /does not exist/);
});

test("DECTRIS artificial master: mask flags and frames", { skip }, async () => {
  const master = at("dectris-h5-testfiles", "dataset_artificial_small_001", "test_master.h5");
  const { planned, found, pixelMask, detector } = await openAcquisition(master);
  assert.deepEqual([planned, found, detector], [5, 5, [13, 11]]);
  assert.equal(
    pixelMask?.data.reduce((sum, flag) => sum + flag, 0),
    142,
  );
});

const EIGER = [
  ["datasets_eiger1", "eiger1_testmode10_2datafiles_4images_bslz4", "u16", [1065, 1030]],
  ["datasets_eiger1", "eiger1_testmode10_2datafiles_4images_lz4", "u16", [1065, 1030]],
  ["datasets_eiger2", "eiger2_simread7_2datafiles_4images_bslz4", "u16", [512, 1028]],
  ["datasets_eiger2", "eiger2_simread7_2datafiles_4images_bslz4_uint8", "u8", [512, 1028]],
  ["datasets_eiger2", "eiger2_simread7_2datafiles_4images_bslz4_uint32", "u32", [512, 1028]],
  ["datasets_eiger2", "eiger2_simread7_2datafiles_4images_lz4", "u16", [512, 1028]],
] as const;

test("EIGER data files alone: two frames each, every chunk inside the file", { skip }, async () => {
  for (const [folder, name, dtype, detector] of EIGER) {
    for (const number of [1, 2]) {
      const file = at("dectris-h5-testfiles", folder, `${name}_data_00000${number}.h5`);
      const acquisition = await openAcquisition(file);
      assert.deepEqual([acquisition.dtype, acquisition.detector, acquisition.found], [dtype, detector, 2]);
      assert.equal(acquisition.segments[0]!.facts!.fileBytes, statSync(file).size);
    }
  }
});

test("other layouts list their stacks, which open by name, through links too", { skip }, async () => {
  for (const version of ["earliest", "v110"]) {
    const file = at("dectris-h5-testfiles", "datasets_different_h5ver", `dataset_${version}.h5`);
    await assert.rejects(openAcquisition(file), /\/data\/chunked_bslz4 \[3, 10, 10\] u32/);
    const paged = await openAcquisition(file, { dataset: "/data/chunked_fixed_array_paged_bslz4" });
    assert.deepEqual([paged.found, paged.detector], [5000, [2, 2]]);
    const linked = await openAcquisition(file, { dataset: "/data/sub_hard/chunked_external" });
    assert.equal(path.basename(linked.segments[0]!.file), `dataset_${version}_external.h5`);
    const plain = await openAcquisition(file, { dataset: "/data/not_chunked" });
    assert.equal(plain.segments[0]!.facts!.layout.kind, "contiguous");
  }
});

test("a file of another filter test and a single frame", { skip }, async () => {
  await assert.rejects(openAcquisition(at("hdf5plugin", "regression_0.4.0.h5")), DatasetNotFoundError);
  const { found, detector, dtype } = await openAcquisition(at("hdf5plugin", "bitshuffle.h5"));
  assert.deepEqual([found, detector, dtype], [1, [2167, 2070], "u32"]);
});
