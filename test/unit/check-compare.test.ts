// Owns: comparing notebooks without running them: masks, differences of lines, values and pictures, JUnit.
// Must not know: kernels.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import ndarray from "ndarray";
import { PNG } from "pngjs";
import { pairCells } from "#framelab/cli/check/compare";
import { lineDiff } from "#framelab/cli/check/diff";
import { escapeXml, junitText } from "#framelab/cli/check/junit";
import { DEFAULT_MASKS, folderMasks, maskedLines, userMask } from "#framelab/cli/check/masks";
import { seenCell } from "#framelab/cli/check/observed";
import { valueDifferences } from "#framelab/cli/check/values";
import { recordValue } from "#framelab/recorded-value";

const masked = (text: string): string[] => maskedLines(text, DEFAULT_MASKS);

test("times, rates, dates and folders are masked; counts, shapes and relative paths are not", () => {
  for (const [text, expected] of [
    [
      "load done  Frames u16 [16, 16] cpu 0.1 GB/s, 0 damaged  0.18 s",
      "load done  Frames u16 [16, 16] cpu <rate>, 0 damaged  <time>",
    ],
    ["took 2 min 05 s, 900 frames/s", "took <time>, <rate>"],
    ["at 2026-03-01T12:00:01.5Z or 12:00:01", "at <date> or <clock>"],
    ["Sun Mar 01 2026 12:00:01 GMT+0000 (UTC)", "<date>"],
    ["read /data/a b/x.h5", "read <path>/a b/x.h5"],
    ["read file:///data/run/x.h5 and C:\\data\\x.h5", "read <path>/x.h5 and <path>/x.h5"],
    [
      "../demo/x.h5, 103 / 256 frames, 3 scans, https://a.org/b/c",
      "../demo/x.h5, 103 / 256 frames, 3 scans, https://a.org/b/c",
    ],
  ] as const) {
    assert.deepEqual(masked(text), [expected]);
    assert.deepEqual(masked(expected), [expected], "masking twice changes nothing");
  }
  assert.deepEqual(masked("\x1b[31mred\x1b[0m \r\nError: x\r\n    at f (/a/b.js:1:2)\n\n"), [
    "red",
    "Error: x",
  ]);
  const folders = folderMasks(["/my data/raw", "/tmp"]);
  for (const [text, expected] of [
    ["in /my data/raw/x.h5", "in <path>/x.h5"],
    ["in /my data/other/y.h5", "in <path>/y.h5"],
    ["in /tmp/made-KqX2ab/z.h5, and /tmp", "in <path>/z.h5, and <path>/"],
    ["https://a.org/tmp/b/c and ../tmp/d and /tmpfs", "https://a.org/tmp/b/c and ../tmp/d and /tmpfs"],
  ] as const) {
    assert.deepEqual(maskedLines(text, folders), [expected]);
  }
  assert.equal(typeof userMask("("), "string");
  assert.equal(userMask("x*"), "it matches an empty text");
});

test("a line of a whole array is masked in time that grows with its length", () => {
  const line = "1,".repeat(200_000);
  assert.deepEqual(masked(`${line} 1,234.5 s`), [`${line} <time>`]);
});

test("a difference is short, has both sides, and ends also for long texts", () => {
  assert.deepEqual(lineDiff(["a", "b", "c"], ["a", "b", "c"]), []);
  assert.deepEqual(lineDiff(["a", "b", "c"], ["a", "x", "c"]), ["  a", "- b", "+ x", "  c"]);
  assert.deepEqual(lineDiff([], ["new"]), ["+ new"]);
  const far = `${"a".repeat(900)}1${"b".repeat(900)}`;
  const [was, is] = lineDiff([far], [far.replace("1", "2")]);
  assert.match(was!, /^- …a+1b+…$/, "where it differs");
  assert.match(is!, /^\+ …a+2b+…$/);
  assert.ok(was!.length < 210);
  const long = Array.from({ length: 100_000 }, (_, i) => `line ${i}`);
  const other = long.map((line, i) => (i % 2 === 0 ? line : `${line}!`));
  const diff = lineDiff(long, other);
  assert.ok(diff.length <= 41 && diff.includes("- line 1") && diff.includes("+ line 1!"), diff.join("\n"));
});

const differences = (a: unknown, b: unknown, tolerance?: number): string[] => {
  const record = (value: unknown) => recordValue(value, tolerance !== undefined);
  const options = tolerance === undefined ? {} : { tolerance };
  return valueDifferences({ value: record(a), ...options }, { value: record(b), ...options });
};

test("values are equal exactly or within a tolerance; NaN equals NaN", () => {
  const whole = {
    n: Number.NaN,
    i: Infinity,
    z: -0,
    b: 7n,
    t: "é",
    $x: [null, true],
    a: Float32Array.of(1, NaN, -0),
  };
  assert.deepEqual(differences(whole, { ...whole, z: 0, a: Float32Array.of(1, NaN, 0) }), []);
  assert.deepEqual(differences({ a: [1, 2] }, { a: [1, 3] }), [".a[1]: expected 2, got 3"]);
  assert.deepEqual(differences(7, 7n), ["expected 7, got 7n"]);
  assert.deepEqual(differences(1, "1"), ['expected 1, got "1"']);
  assert.deepEqual(differences(1, 1.05, 0.1), []);
  assert.equal(differences(1, 1.2, 0.1).length, 1);
  assert.equal(differences(Number.NaN, 1, 10).length, 1);
  assert.deepEqual(differences({ a: 1 }, { b: 1 }), [
    ".a: expected 1, got nothing",
    ".b: not expected, got 1",
  ]);
});

test("arrays: by shape, type and digest, whatever their strides; elementwise with a tolerance", () => {
  const data = Uint16Array.from({ length: 200 }, (_, i) => i);
  const array = recordValue(ndarray(data, [10, 20]), false) as {
    $array: { sha256: string; elements?: unknown };
  };
  // Little-endian elements in row-major order, hashed here from the bytes themselves.
  assert.equal(array.$array.sha256, createHash("sha256").update(Buffer.from(data.buffer)).digest("hex"));
  assert.equal(array.$array.elements, undefined);
  const turned = ndarray(
    Uint16Array.from({ length: 200 }, (_, i) => Math.floor(i / 10) + 20 * (i % 10)),
    [20, 10],
  );
  assert.deepEqual(differences(ndarray(data, [10, 20]), turned.transpose(1, 0)), []);
  assert.match(
    differences(ndarray(data, [10, 20]), ndarray(data, [20, 10]))[0]!,
    /u16 \[10, 20\].*u16 \[20, 10\]/,
  );
  assert.match(
    differences(
      data,
      data.map((x) => x + 1),
    )[0]!,
    /other elements/,
  );
  assert.deepEqual(
    differences(
      ndarray(Float64Array.of(1, 2, 3, 4), [2, 2]),
      ndarray(Float64Array.of(1, 2, 3, 4.5), [2, 2]),
      0.1,
    ),
    ["f64 [2, 2]: 1 of 4 elements differ by more than 0.1, the first at [1, 1]: expected 4, got 4.5"],
  );
});

test("what cannot be written down is refused with its place", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const [value, message] of [
    [{ a: [() => 1] }, /value\.a\[0\] is function/],
    [Promise.resolve(1), /a promise; await it first/],
    [new Map(), /a Map/],
    [circle, /a circle/],
    [undefined, /undefined/],
    [ndarray(new Uint8Array(3), [2, 2]), /shorter than its shape/],
    [ndarray(["a", "b"] as unknown as number[]), /an array of f64 that holds a string/],
    [ndarray([1n] as unknown as number[]), /an array of f64 that holds a bigint/],
    [ndarray(new Uint8Array(3), [-1]), /shape, strides or element type/],
    [ndarray(new Uint8Array(3), [1.5]), /shape, strides or element type/],
  ] as const) {
    assert.throws(() => recordValue(value, false), message);
  }
  assert.throws(() => recordValue(new Uint8Array(100_001), true), /up to 100000 elements/);
});

function png(level: number, red: number): string {
  const image = new PNG({ width: 3, height: 2, deflateLevel: level });
  image.data.fill(255);
  image.data[0] = red;
  return PNG.sync.write(image, { deflateLevel: level }).toString("base64");
}

test("pictures are compared by pixels, HTML is left out, broken pictures do no harm", () => {
  const lines = (data: Record<string, unknown>): readonly string[] =>
    seenCell([{ output_type: "display_data", data, metadata: {} }], []).text;
  assert.notEqual(png(0, 9), png(9, 9));
  assert.deepEqual(lines({ "image/png": png(0, 9) }), lines({ "image/png": [`${png(9, 9)}\n`] }));
  assert.notDeepEqual(lines({ "image/png": png(9, 8) }), lines({ "image/png": png(9, 9) }));
  assert.match(lines({ "image/png": "iVBORw0KGgo=" })[0]!, /cannot be decoded/);
  assert.deepEqual(lines({ "text/html": "<b>" }), ["[text/html: not compared]"]);
  const both = seenCell(
    [{ output_type: "display_data", data: { "text/plain": "t", "text/html": "<b>" }, metadata: {} }],
    [],
  );
  assert.deepEqual([both.text, both.leftOut], [["t"], ["text/html"]]);
  assert.deepEqual(
    seenCell([{ output_type: "x" }, { output_type: "display_data", data: 3 }] as never, []).text,
    [],
  );
});

test("cells are found by id, so that a new one shifts no other", () => {
  const cell = (id: string | null) => ({ id, text: [], values: {} });
  const { pairs, gone } = pairCells(["a", "new", "b"], [cell("a"), cell("b"), cell("old")]);
  assert.deepEqual([pairs.map((one) => one?.id ?? null), gone], [["a", null, "b"], 1]);
  assert.equal(pairCells([null, null], [cell(null)]).pairs[1], null);
});

test("JUnit: escaped, counted, without characters that XML cannot hold", () => {
  assert.equal(escapeXml(`<a b="c">&'\x00\ud800é😀`), "&lt;a b=&quot;c&quot;&gt;&amp;&apos;\ufffd\ufffdé😀");
  const cells = [
    { label: "cell 1", source: "", faults: [] },
    { label: "cell 2", source: "", faults: ["a < b\n- 1\n+ 2"] },
  ];
  const text = junitText([
    { path: "a&b.ipynb", verdict: "differs", seconds: 1, cells, faults: [], notes: [] },
  ]);
  assert.match(text, /<testsuites name="framelab check" tests="2" failures="1" errors="0" time="1\.000">/);
  assert.match(text, /<failure message="a &lt; b">a &lt; b\n- 1\n\+ 2<\/failure>/);
});
