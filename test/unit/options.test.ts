// Owns: checks that every bad option is refused by name, value and what is allowed.
// Must not know: files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OptionError } from "#framelab/errors";
import { checkLoadOptions, checkVerifyOptions } from "#framelab/options";

const check = (options: unknown, path: unknown = "a.h5") => checkLoadOptions(path, options);

test("defaults: everything from the file, throw on damage and on missing frames", () => {
  const { backend, scanShape, scan, frames, onDamage, onMissing, memoryLimit } = check(undefined);
  assert.deepEqual(
    { backend, scanShape, scan, frames, onDamage, onMissing, memoryLimit },
    {
      backend: "auto",
      scanShape: undefined,
      scan: undefined,
      frames: { kind: "all" },
      onDamage: "throw",
      onMissing: "throw",
      memoryLimit: undefined,
    },
  );
});

const bad: [name: string, options: unknown, place: string, got: string][] = [
  ["an unknown name", { scanshape: [4, 4] }, "scanshape", "scanshape"],
  ["an unknown nested name", { scan: { row: [0, 1] } }, "scan.row", "row"],
  ["options that are no object", 5, "options", "5"],
  ["a misspelt backend", { backend: "gpu" }, "backend", '"gpu"'],
  ["an empty dataset", { dataset: "" }, "dataset", '""'],
  ["a scan shape of one number", { scanShape: [4] }, "scanShape", "[4]"],
  ["a scan shape of fractions", { scanShape: [4, 2.5] }, "scanShape", "[4,2.5]"],
  ["a scan shape with a zero", { scanShape: [0, 4] }, "scanShape", "[0,4]"],
  [
    "a scan shape beyond 2^53",
    { scanShape: [2 ** 40, 2 ** 40] },
    "scanShape",
    "[1099511627776,1099511627776]",
  ],
  ["an empty range of rows", { scan: { rows: [4, 4] } }, "scan.rows", "[4,4]"],
  ["a negative start", { scan: { cols: [-1, 4] } }, "scan.cols", "[-1,4]"],
  ["a zero step", { scan: { cols: [0, 4, 0] } }, "scan.cols", "[0,4,0]"],
  ["a negative frame", { frames: [0, -1] }, "frames", "[0,-1]"],
  ["no frames", { frames: [] }, "frames", "[]"],
  ["a frame that is text", { frames: ["0"] }, "frames", '["0"]'],
  ["a frame range backwards", { frames: { from: 5, to: 2 } }, "frames", '{"from":5,"to":2}'],
  ["a detector range with a step", { detector: { rows: [0, 8, 2] } }, "detector.rows", "[0,8,2]"],
  ["an empty detector range", { detector: { cols: [3, 3] } }, "detector.cols", "[3,3]"],
  ["a detector range that is none", { detector: { cols: 3 } }, "detector.cols", "3"],
  ["an unknown detector axis", { detector: { row: [0, 1] } }, "detector.row", "row"],
  ["a bin of 3", { bin: 3 }, "bin", "3"],
  ["a bin of 1", { bin: 1 }, "bin", "1"],
  ["a bin as text", { bin: "2" }, "bin", '"2"'],
  ["a dtype that is not narrow", { dtype: "u32" }, "dtype", '"u32"'],
  ["a misspelt treatment", { flagged: "mean" }, "flagged", '"mean"'],
  ["a misspelt damage rule", { onDamage: "ignore" }, "onDamage", '"ignore"'],
  ["a misspelt rule for missing frames", { onMissing: "zero" }, "onMissing", '"zero"'],
  ["a signal that is none", { signal: {} }, "signal", "{}"],
  ["progress as text", { progress: "yes" }, "progress", '"yes"'],
  ["a memory limit of zero", { memoryLimit: 0 }, "memoryLimit", "0"],
  ["a memory limit that is no number", { memoryLimit: Number.NaN }, "memoryLimit", "NaN"],
];

for (const [name, options, place, got] of bad) {
  test(`${name} is refused`, () => {
    assert.throws(
      () => check(options),
      (error: unknown) => {
        assert.ok(error instanceof OptionError);
        assert.equal(error.place, place);
        assert.equal(error.got, got);
        assert.ok(error.message.includes(place) && error.message.includes(error.expected ?? "?"));
        return true;
      },
    );
  });
}

for (const path of [null, "", 7, "a\0b"]) {
  test(`the path ${JSON.stringify(path)} is refused`, () => {
    assert.throws(() => check({}, path), { name: "OptionError", place: "path" });
  });
}

for (const [path, says] of [
  ["file:///data/run_master.h5", /fileURLToPath/],
  [new URL("file:///data/run_master.h5"), /file:\/\/\/data\/run_master\.h5.*fileURLToPath/],
  ["https://host/run_master.h5", /copied or mounted/],
  ["s3://bucket/run_master.h5", /copied or mounted/],
] as const) {
  test(`the URL ${path} is refused with a hint`, () => {
    assert.throws(() => check({}, path), { name: "OptionError", place: "path", message: says });
  });
}

test("a Windows path is no URL", () => {
  assert.doesNotThrow(() => check({}, "D:\\data\\run_master.h5"));
});

test("verify takes no option about what is returned", () => {
  for (const name of ["detector", "bin", "dtype", "flagged", "onDamage", "onMissing"]) {
    assert.throws(() => checkVerifyOptions("a.h5", { [name]: 2 }), { name: "OptionError", place: name });
  }
});

test("typed arrays and ranges are frames", () => {
  assert.deepEqual(check({ frames: Uint32Array.of(3, 1, 3) }).frames, { kind: "list", list: [3, 1, 3] });
  assert.deepEqual(check({ frames: { from: 2, to: 9, step: 3 } }).frames, {
    kind: "range",
    from: 2,
    to: 9,
    step: 3,
  });
});
