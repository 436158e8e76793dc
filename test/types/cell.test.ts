// Owns: what a user's cell sees of the package, judged by tslab's own compiler: no `any`, no error, full completion.
// Must not know: how the package works.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";

interface Converter {
  convert(
    previous: string,
    source: string,
  ): { readonly diagnostics: readonly { readonly messageText: string }[] };
  complete(previous: string, source: string, position: number): { readonly candidates: readonly string[] };
  close(): void;
}

let converter: Converter;
let folder: string;

before(() => {
  // A user's folder: the package in its node_modules, nothing else.
  folder = realpathSync(mkdtempSync(join(tmpdir(), "framelab-cell-")));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(resolve(__dirname, "../../.."), join(folder, "node_modules", "framelab"), "junction");
  process.chdir(folder); // tslab's compiler takes the working directory as its root when it loads.
  const tslab = dirname(require.resolve("tslab/package.json"));
  converter = require(join(tslab, "dist", "converter.js")).createConverter({ isJS: false, isBrowser: false });
});
after(() => {
  converter.close();
  process.chdir(tmpdir());
  rmSync(folder, { recursive: true });
});

// `Anys<T>` is true where T, or anything in it, is `any`. Typed arrays, ndarrays and functions end the walk: what they
// give is asked for one by one.
const PRELUDE = `
import { verify, type EncodedFrames, annulus, centerOfMass, disk, fromImage, load, maxPattern, meanPattern, reduce, show, sumPattern, virtualImage, type DamagedFramesError, type DetectorMask, type Reduced, type Reduction, type ReduceOptions, type Frames, type LoadOptions, type LoadReport, type ProgressEvent, type ShowOptions } from "framelab";
type IsAny<T> = 0 extends 1 & T ? true : false;
type Anys<T> = IsAny<T> extends true ? true
  : T extends string | number | boolean | bigint | null | undefined | ArrayBufferView | AbortSignal | { stride: number[] } | ((...a: never[]) => unknown) ? false
  : T extends readonly (infer U)[] ? Anys<U>
  : true extends { [K in keyof T]-?: Anys<T[K]> }[keyof T] ? true : false;
function typed<T>(value: T, isAny: Anys<T>) {}
`;

function diagnostics(cell: string): string[] {
  return converter.convert("", PRELUDE + cell).diagnostics.map(({ messageText }) => messageText);
}

test("the walk itself finds an any", () => {
  assert.notDeepEqual(diagnostics(`typed({ a: [{ b: JSON.parse("1") }] }, false);`), []);
  assert.notDeepEqual(diagnostics(`typed(JSON.parse("1"), false);`), []);
});

test("frames, their elements and their views are typed", () => {
  assert.deepEqual(
    diagnostics(`
const frames = await load("a_master.h5", { scan: { rows: [0, 8] } });
typed(frames.get(3, 4, 96, 96), false);
typed(frames.pick(3, 4), false);
typed(frames.pick(3, 4).get(1, 2), false);
typed(frames.frame(0), false);
typed(frames.frame(0).data, false);
typed(frames.valid, false);
typed(frames.shape, false);
typed(frames.source, false);
typed(frames.pixelMask, false);
typed(frames.report, false);
typed(frames.data, false);
const counts: number = frames.get(0, 0, 0, 0);
const pixel: number = frames.frame(7).get(1, 1);
const big: Frames<BigUint64Array> = await load<BigUint64Array>("b.h5");
const wide: bigint = big.frame(0).data[0];
`),
    [],
  );
});

test("options, events, errors and reports hold no any", () => {
  assert.deepEqual(
    diagnostics(`
declare const options: LoadOptions; typed(options, false);
declare const shown: ShowOptions; typed(shown, false);
declare const event: ProgressEvent; typed(event, false);
declare const report: LoadReport; typed(report, false);
declare const error: DamagedFramesError; typed(error.report, false); typed(error.code, false); typed(error.todo, false);
const reason: string = report.damaged[0].reason;
const row: number = report.damaged[0].scan.row;
const frames = await load("a.h5", { progress: (event) => { typed(event.framesDone, false); } });
show(frames); show(frames.pick(0)); show(report); show(error, { title: "x", log: true, limits: [0, 1] });
`),
    [],
  );
});

test("encoded frames are a type of their own, and what they give is typed", () => {
  assert.deepEqual(
    diagnostics(`
const scan = await load("a_master.h5", { representation: "encoded", memoryLimit: 4e9 });
const encoded: EncodedFrames = scan; typed(scan.shape, false); typed(scan.report, false); typed(scan.pixelMask, false);
typed(await scan.frame(3), false); typed((await scan.frame(3)).get(1, 2), false); const count: number = await scan.get(0, 1, 2, 3);
const part = await scan.scan({ rows: [0, 4], cols: [1, 9, 2] }); typed(part.get(0, 0, 1, 1), false); show(part);
const big = await load<BigUint64Array>("b.h5", { representation: "encoded" }); const wide: bigint = await big.get(1, 2, 3);
const image: Reduced = await virtualImage(scan, disk({ center: [1, 2], radius: 3 })); const { mean } = await reduce(big, { mean: meanPattern() });
typed(mean.get(0, 0), false); const plain: Frames = await load("a.h5", { representation: "counts" });
`),
    [],
  );
});

test("reductions keep their names, and their results are typed", () => {
  assert.deepEqual(
    diagnostics(`
const mask: DetectorMask = disk({ center: [96, 96], radius: 20 });
declare const options: ReduceOptions; typed(options, false);
const frames = await load("a.h5"); const big = await load<BigUint64Array>("b.h5");
const described: Reduction = virtualImage(mask); typed(described, false); typed(mask, false);
const results = await reduce("a_master.h5", { bf: described, df: virtualImage(annulus({ center: [1, 2], inner: 3, outer: 4 })),
  mean: meanPattern(), sum: sumPattern(), max: maxPattern(), com: centerOfMass() }, { onDamage: "throw" });
typed(results, false); typed(results.bf.get(1, 2), false); typed(results.com.pick(null, null, 0), false);
const bf: Reduced = results.bf; const count: number = bf.get(0, 0); const notes = bf.notes; typed(notes, false);
const same = await reduce(big, { only: centerOfMass(mask) }, { progress: false }); typed(same.only.report, false);
const image: Reduced = await virtualImage("a.h5", mask, { scan: { rows: [0, 3] } });
const loaded: Reduced = await virtualImage(frames, fromImage(frames.frame(0))); const mean: Reduced = await meanPattern(big);
const com: Reduced = await centerOfMass("a.h5", mask); show(image); show(com.pick(null, null, 0));
`),
    [],
  );
});

test("misuse is a compile error, not an any", () => {
  for (const cell of [
    `await load("a.h5", { onDamge: "mask" });`,
    `await load("a.h5", { onDamage: "skip" });`,
    `await load("a.h5", { backend: "gpu" });`,
    `await load(3);`,
    `const frames = await load("a.h5"); frames.nothing;`,
    `const frames = await load("a.h5"); const text: string = frames.get(0);`,
    `const { bf } = await reduce("a.h5", { df: meanPattern() });`,
    `await reduce("a.h5", { bf: meanPattern("a.h5") });`,
    `await meanPattern(await load("a.h5"), { frames: [1] });`,
    `virtualImage("a.h5");`,
    `const scan = await load("a.h5", { representation: "encoded" }); scan.pick(0);`,
    `await verify("a.h5", { representation: "encoded" });`,
    `disk({ center: [1, 2, 3], radius: 4 });`,
    `const image = virtualImage(disk({ center: [1, 2], radius: 3 })); image.get(1);`,
    `show("text");`,
    `show((await load("a.h5")), { colormap: "jet" });`,
  ]) {
    assert.notEqual(diagnostics(cell).length, 0, cell);
  }
});

test("completion lists the options and the members of frames", () => {
  const options = `import { load } from "framelab"; load("a.h5", { `;
  const { candidates } = converter.complete("", `${options} })`, options.length);
  assert.deepEqual([...candidates].sort(), [
    "backend",
    "bin",
    "dataset",
    "detector",
    "dtype",
    "flagged",
    "frames",
    "memoryLimit",
    "onDamage",
    "onMissing",
    "progress",
    "representation",
    "scan",
    "scanShape",
    "signal",
    "threshold",
  ]);
  const member = `import { load } from "framelab"; const f = await load("a.h5"); f.`;
  const members = new Set(converter.complete("", member, member.length).candidates);
  for (const name of [
    "get",
    "pick",
    "frame",
    "valid",
    "report",
    "pixelMask",
    "shape",
    "pixelType",
    "release",
  ]) {
    assert.ok(members.has(name), name);
  }
});
