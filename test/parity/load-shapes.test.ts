// Owns: every detector shape up to 40 x 40 and the odd large ones through `load`, judged by the source arrays.
// Must not know: how chunks decode.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { load } from "framelab";
import { BITSHUFFLE_FILTER, bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";
import { type ChunkedDatasetNode, chunked, dtypeBytes, group, writeHdf5 } from "../fixtures/hdf5-writer";
import { Random } from "../fixtures/random";

const folder = mkdtempSync(join(tmpdir(), "framelab-shapes-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const DTYPES = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"] as const;
const blocksOf = (width: number) => [0, 64, 512, 1024, 8192 / width];
const SIDES = Array.from({ length: 40 }, (_, i) => i + 1);

interface Stack {
  readonly node: ChunkedDatasetNode;
  readonly frames: readonly Uint8Array[];
}

function stackOf(
  dtype: (typeof DTYPES)[number],
  rows: number,
  cols: number,
  blockElements: number,
  count: number,
): Stack {
  const width = dtypeBytes(dtype);
  const random = new Random(rows, cols, blockElements, width);
  const frames = Array.from({ length: count }, () => {
    const frame = new Uint8Array(rows * cols * width);
    for (let at = 0; at < frame.length; at += width) frame[at] = random.below(20);
    return frame;
  });
  const node = chunked({
    dtype,
    shape: [count, rows, cols],
    chunkShape: [1, rows, cols],
    filters: [{ id: BITSHUFFLE_FILTER, values: bitshuffleValues(width, blockElements) }],
    chunks: (i) => encodeChunk(frames[i], width, blockElements),
  });
  return { node, frames };
}

async function loadedBytes(path: string, dataset: string, frames?: number[]): Promise<Buffer> {
  const loaded = await load(path, { dataset, scanShape: null, progress: false, ...(frames && { frames }) });
  const { buffer, byteOffset, byteLength } = loaded.data;
  return Buffer.from(buffer, byteOffset, byteLength);
}

for (const rows of SIDES) {
  test(`frames of ${rows} x 1 … ${rows} x 40 load exactly`, async () => {
    const stacks = SIDES.map((cols) => stackOf(DTYPES[(rows + cols) % 3], rows, cols, 0, 2));
    const path = join(folder, `${rows}.h5`);
    writeHdf5(path, group(Object.fromEntries(stacks.map(({ node }, i) => [`w${SIDES[i]}`, node]))));
    for (const [i, { frames }] of stacks.entries()) {
      assert.ok(
        (await loadedBytes(path, `/w${SIDES[i]}`)).equals(Buffer.concat(frames)),
        `width ${SIDES[i]}`,
      );
    }
  });
}

test("every type and block size loads exactly on awkward shapes", async () => {
  for (const [rows, cols] of [
    [1, 7],
    [13, 11],
    [37, 40],
  ]) {
    const stacks = DTYPES.flatMap((dtype) =>
      blocksOf(dtypeBytes(dtype)).map((blockElements) => stackOf(dtype, rows, cols, blockElements, 2)),
    );
    const path = join(folder, `types-${rows}.h5`);
    writeHdf5(path, group(Object.fromEntries(stacks.map(({ node }, i) => [`d${i}`, node]))));
    for (const [i, { frames }] of stacks.entries()) {
      assert.ok((await loadedBytes(path, `/d${i}`)).equals(Buffer.concat(frames)), `dataset ${i}`);
    }
  }
});

for (const [rows, cols] of [
  [229, 65],
  [743, 647],
  [1065, 1030],
]) {
  test(`frames of ${rows} x ${cols} load exactly, whole and their ends by selection`, async () => {
    const { node, frames } = stackOf("u16", rows, cols, 0, 3);
    const path = join(folder, `large-${rows}.h5`);
    writeHdf5(path, group({ large: node }));
    assert.ok((await loadedBytes(path, "/large")).equals(Buffer.concat(frames)));
    assert.ok((await loadedBytes(path, "/large", [2, 0])).equals(Buffer.concat([frames[2], frames[0]])));
  });
}
