// Owns: the damage card as a notebook shows it by itself: when, in which order, what it holds, how long it can get.
// Must not know: how frames are decoded. The kernel is a stand-in of the shape that the package looks for.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, beforeEach, test } from "node:test";
import {
  type DamagedBlock,
  DamagedFramesError,
  forEachBatch,
  load,
  meanPattern,
  show,
  verify,
} from "framelab";
import { PNG } from "pngjs";
import { runNotebook } from "#framelab/cli/notebook/run";
import { evidenceOf, keepEvidence, pictureOf } from "#framelab/damage/evidence";
import { damageBundle } from "#framelab/display/show/damage-card";
import { writeAcquisition } from "../fixtures/acquisition";
import { chunkPlaces } from "../fixtures/bitshuffle-encoder";
import { Random } from "../fixtures/random";
import { plainReport } from "../fixtures/report";

const folder = mkdtempSync(join(tmpdir(), "framelab-card-"));
/** What the notebook was sent, in order; an update of a display stands where it came. */
let sent: string[] = [];
const host = globalThis as { __tslab__?: unknown };
const tslab = { newDisplay: () => ({ html: (html: string) => sent.push(html), text: () => {} }) };
beforeEach(() => {
  sent = [];
  host.__tslab__ = { require: () => tslab };
});
after(() => {
  delete host.__tslab__;
  rmSync(folder, { recursive: true });
});

// 64 x 128 pixels of u16 in blocks of 4096 elements: a frame has two, the second is rows 32 to 63.
const [HEIGHT, WIDTH, BLOCK] = [64, 128, 4096];
const elementAt = (frame: number, i: number): number => (i * 7 + frame) % 50;
const elements = (frame: number): Uint8Array =>
  new Uint8Array(Uint16Array.from({ length: HEIGHT * WIDTH }, (_, i) => elementAt(frame, i)).buffer);

const { path } = writeAcquisition(folder, {
  name: "card",
  count: 12,
  height: HEIGHT,
  width: WIDTH,
  dtype: "u16",
  frames: elements,
  scanShape: [3, 4],
  store(frame, chunk) {
    if (frame !== 6 && frame !== 7) return chunk;
    const { offset, bytes } = chunkPlaces(chunk, 2).blocks[1]!;
    return chunk.slice().fill(0, offset + 8, offset + bytes);
  },
});

const cards = (): string[] => sent.filter((html) => html.includes("frames are damaged"));
const images = (html: string): PNG[] =>
  [...html.matchAll(/src="data:image\/png;base64,([^"]+)"/g)].map(([, data]) =>
    PNG.sync.read(Buffer.from(data!, "base64")),
  );
const alts = (html: string): string[] => [...html.matchAll(/<img alt="([^"]*)"/g)].map(([, alt]) => alt!);

async function refused(): Promise<DamagedFramesError> {
  try {
    await load(path);
  } catch (error) {
    assert.ok(error instanceof DamagedFramesError);
    return error;
  }
  return assert.fail("the load was not refused");
}

test("a refused load shows its card behind its progress and before the error arrives", async () => {
  const error = await refused();
  assert.equal(cards().length, 1);
  assert.equal(sent.at(-1), cards()[0]);
  assert.match(sent.at(-2)!, /load failed/);
  assert.deepEqual(error.report.scanShape, [3, 4]);
});

test("show of the error, and of its report, gives the same card again", async () => {
  const error = await refused();
  show(error);
  show(error.report);
  assert.equal(cards().length, 3);
  assert.equal(new Set(cards()).size, 1);
});

test("the card shows the damaged frame as far as it can be read beside the nearest good one", async () => {
  await refused();
  const card = cards()[0]!;
  assert.deepEqual(alts(card), [
    "the scan, 3 x 4, row 0 on top",
    "frame 6 at (1, 2), damaged: 50 % can be read, the rest is striped",
    "frame 5 at (1, 1), good",
  ]);
  const [map, damaged, good] = images(card) as [PNG, PNG, PNG];
  const colors = ({ data, width }: PNG, top: number, bottom: number): Set<string> => {
    const seen = new Set<string>();
    for (let y = top; y < bottom; y++) {
      for (let x = 2; x < width - 2; x++) {
        const at = 4 * (y * width + x);
        seen.add([...data.subarray(at, at + 3)].join());
      }
    }
    return seen;
  };
  const stripes = new Set(["179,21,27", "246,222,222"]);
  assert.equal(damaged.height, good.height);
  // Three pixels of the picture a pixel of the frame.
  assert.deepEqual(colors(damaged, 2 + 96, 2 + 192), stripes);
  assert.ok(colors(damaged, 2, 2 + 96).size >= 50);
  for (const stripe of stripes) assert.ok(!colors(damaged, 2, 2 + 96).has(stripe));
  assert.ok(colors(good, 2, 2 + 192).size >= 50);
  // Cells 120 pixels wide; (1, 2) and (1, 3) are red.
  const red = (row: number, col: number): boolean => {
    const at = 4 * ((2 + row * 120 + 60) * map.width + 2 + col * 120 + 60);
    return map.data[at]! > 150 && map.data[at + 1]! < 80;
  };
  const marked = [0, 1, 2].flatMap((row) =>
    [0, 1, 2, 3].filter((col) => red(row, col)).map((col) => [row, col]),
  );
  assert.deepEqual(marked, [
    [1, 2],
    [1, 3],
  ]);
});

test("the kept pictures are the source's elements where blocks are whole, and known nowhere else", async () => {
  const { report } = await refused();
  const { damaged, neighbour } = evidenceOf(report)!;
  const source = (frame: number): Float64Array =>
    Float64Array.from({ length: HEIGHT * WIDTH }, (_, i) => elementAt(frame, i));
  assert.deepEqual([damaged.frame, damaged.share, damaged.binned], [6, 0.5, 1]);
  assert.deepEqual(damaged.values.subarray(0, BLOCK), source(6).subarray(0, BLOCK));
  assert.deepEqual([...new Set(damaged.known.subarray(0, BLOCK))], [1]);
  assert.deepEqual([...new Set(damaged.known.subarray(BLOCK))], [0]);
  assert.deepEqual(neighbour!.values, source(5));
  assert.deepEqual([neighbour!.frame, neighbour!.share], [5, 1]);
});

test("masked, streamed, encoded, reduced and verified work shows the card too, once; `progress: false` none", async () => {
  const mask = { onDamage: "mask" } as const;
  const works: (() => Promise<unknown>)[] = [
    () => load(path, mask),
    () => load(path, { ...mask, representation: "encoded" }),
    () => forEachBatch(path, () => {}, mask),
    () => forEachBatch(path, () => {}).catch(() => {}),
    () => meanPattern(path),
    () => verify(path),
  ];
  for (const [i, work] of works.entries()) {
    sent = [];
    await work();
    assert.equal(cards().length, 1, `work ${i}`);
    assert.equal(images(cards()[0]!).length, 3, `work ${i}`);
  }
  sent = [];
  await load(path, { ...mask, progress: false });
  assert.deepEqual(sent, []);
  await load(path, { frames: [0, 1] });
  assert.deepEqual(cards(), []);
});

test("a part of encoded frames has the pictures of its damaged frame, and no others", async () => {
  const scan = await load(path, { representation: "encoded", onDamage: "mask" });
  const [with6, without] = [await scan.scan({ rows: [1, 2] }), await scan.scan({ rows: [0, 1] })];
  assert.equal(evidenceOf(with6.report)?.damaged.frame, 6);
  assert.equal(evidenceOf(without.report), null);
});

test("outside a notebook nothing is shown or kept", async (context) => {
  delete host.__tslab__;
  // Passed on: the test runner writes there, too.
  const write = context.mock.method(process.stdout, "write");
  const error = await refused();
  const written = write.mock.calls.map(({ arguments: [text] }) => String(text)).join("");
  assert.doesNotMatch(written, /frames are damaged|load failed/);
  assert.deepEqual(sent, []);
  assert.equal(evidenceOf(error.report), null);
});

test("in a kernel the error of a cell is one line behind the card, without the kernel's stack", async () => {
  const root = resolve(__dirname, "../../..");
  const source = `const { load } = require(${JSON.stringify(join(root, "dist", "index.js"))});\nawait load(${JSON.stringify(path)});`;
  const cell = {
    cell_type: "code",
    metadata: { tags: ["raises-exception"] },
    source,
    outputs: [],
    execution_count: null,
  };
  const notebook = join(folder, "error.ipynb");
  writeFileSync(notebook, JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  const { cells } = await runNotebook(notebook);
  const [progress, card, error, ...more] = cells[0]!.outputs.filter(
    (output) => output.output_type !== "stream" || output.text !== "",
  );
  const text = (output: typeof card): string =>
    output?.output_type === "stream" ? String(output.text) : String(output?.data["text/plain"]);
  assert.match(text(progress), /^load failed/);
  assert.match(text(card), /^2 of 12 frames are damaged\n/);
  assert.match(
    text(error),
    /^DamagedFramesError: Frames 6 to 7: a compressed HDF5 chunk is truncated or corrupt\. .*\n$/,
  );
  assert.deepEqual(more, []);
});

test("a card of thousands of damaged, missing and suspect frames with pictures stays below 250 kB", () => {
  const random = new Random(5);
  const [rows, cols] = [512, 512];
  const place = (frame: number) => ({ frame, scan: { row: Math.floor(frame / cols), col: frame % cols } });
  const file = `/data/${"x".repeat(250)}.h5`;
  const frames = Array.from({ length: 60_000 }, () => random.uint32() % (rows * cols));
  const damaged = frames.slice(0, 20_000).map((frame): DamagedBlock => {
    return {
      ...place(frame),
      file,
      dataset: "/d",
      offset: frame,
      block: 1,
      reason: "offset-zero",
      detail: "",
    };
  });
  const missing = frames
    .slice(20_000, 40_000)
    .map((frame) => ({ ...place(frame), file, reason: "chunk" as const }));
  const suspect = frames.slice(40_000).map((frame) => ({ ...place(frame), backend: "cpu" as const }));
  const planned = rows * cols;
  const report = plainReport({
    ...{ damaged, missing, suspect, scanShape: [rows, cols] },
    frames: { planned, found: planned, selected: planned },
  });
  // Noise does not compress: the worst pictures there are.
  const picture = pictureOf({
    ...{ ...place(frames[0]!), rows: 512, cols: 512, elementBytes: 2 },
    elements: Uint16Array.from({ length: 512 * 512 }, () => random.uint32()),
    known: new Uint8Array(2 * 512 * 512).fill(1),
  });
  keepEvidence(report, { damaged: picture, neighbour: picture });
  const { text, html, png } = damageBundle(report, "");
  assert.ok(html.length < 250_000, `${html.length} bytes of HTML`);
  assert.ok(png!.length < 60_000, `${png!.length} bytes of PNG`);
  assert.ok(text.length < 12_000, `${text.length} characters of text`);
});

test("a picture averages whole pixels, and one unread pixel makes its value unknown", () => {
  const known = new Uint8Array(384 * 2).fill(1);
  known[2] = 0;
  const elements = Float64Array.from({ length: 384 * 2 }, (_, i) => i);
  const picture = pictureOf({ frame: 0, scan: null, rows: 2, cols: 384, elements, elementBytes: 1, known });
  assert.deepEqual([picture.rows, picture.cols, picture.binned], [1, 192, 2]);
  assert.equal(picture.values[0], (0 + 1 + 384 + 385) / 4);
  assert.deepEqual([...picture.known.subarray(0, 3)], [1, 0, 1]);
  assert.equal(picture.share, 767 / 768);
});
