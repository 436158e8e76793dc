// Owns: filter pipelines beside bitshuffle and LZ4 through `load` on every backend: exact, and their damage by its reason.
// Must not know: which backend runs which filter. Judge: the source arrays.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type BackendName, BackendUnavailableError, DamagedFramesError } from "framelab";
import { BITSHUFFLE_FILTER, bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";
import {
  DEFLATE,
  deflate,
  FLETCHER32,
  shuffleBytes,
  shuffleFilter,
  withFletcher32,
} from "../fixtures/filter-encoders";
import { chunked, type FilterSpec, group, type StoredChunk, writeHdf5 } from "../fixtures/hdf5-writer";
import { BACKENDS_HERE, bytesOf, countFrames, loadOn, scratchFolder, stack, upTo } from "./harness";

const folder = scratchFolder();
const COUNT = 6;
const HEIGHT = 19;
const WIDTH = 27;
const u16 = countFrames("u16", HEIGHT, WIDTH);
const BITSHUFFLE: FilterSpec = { id: BITSHUFFLE_FILTER, values: bitshuffleValues(2) };

/**
 * Runs `work` with every backend by name, and with "auto", which must come to its end. A backend that does not run the
 * steps of a pipeline has to say so.
 */
async function onEvery(work: (backend: "auto" | BackendName) => Promise<void>): Promise<void> {
  await work("auto");
  for (const backend of BACKENDS_HERE) {
    await work(backend).catch((error: unknown) => {
      if (!(error instanceof BackendUnavailableError)) throw error;
      assert.notEqual(backend, "reference");
      assert.match(error.message, /does not run the steps \w/);
    });
  }
}

interface Pipeline {
  readonly filters: readonly FilterSpec[];
  readonly encode: (elements: Uint8Array) => Uint8Array;
}

const PIPELINES: Readonly<Record<string, Pipeline>> = {
  deflate: { filters: [DEFLATE], encode: deflate },
  "byte shuffle and deflate": {
    filters: [shuffleFilter(2), DEFLATE],
    encode: (elements) => deflate(shuffleBytes(elements, 2)),
  },
  "byte shuffle, deflate and Fletcher32": {
    filters: [shuffleFilter(2), DEFLATE, FLETCHER32],
    encode: (elements) => withFletcher32(deflate(shuffleBytes(elements, 2))),
  },
  "bitshuffle+LZ4 and Fletcher32": {
    filters: [BITSHUFFLE, FLETCHER32],
    encode: (elements) => withFletcher32(encodeChunk(elements, 2)),
  },
  "Fletcher32 alone": { filters: [FLETCHER32], encode: withFletcher32 },
  "no filter": { filters: [], encode: (elements) => elements },
};

function write(
  name: string,
  { filters, encode }: Pipeline,
  store = (_: number, chunk: Uint8Array): StoredChunk | Uint8Array => chunk,
): string {
  const frames = chunked({
    dtype: "u16",
    shape: [COUNT, HEIGHT, WIDTH],
    chunkShape: [1, HEIGHT, WIDTH],
    filters,
    chunks: (i) => store(i, encode(u16(i))),
  });
  const path = join(folder, `${name}.h5`);
  writeHdf5(path, group({ entry: group({ data: group({ data: frames }) }) }));
  return path;
}

for (const [name, pipeline] of Object.entries(PIPELINES)) {
  const path = write(name, pipeline);
  test(`${name}: exact, whole, by list and by a stepped range`, () =>
    onEvery(async (backend) => {
      const load = (options = {}) => loadOn(backend, path, { scanShape: null, ...options });
      assert.ok(bytesOf(await load()).equals(stack(u16, upTo(COUNT))));
      assert.ok(bytesOf(await load({ frames: [5, 0, 5] })).equals(stack(u16, [5, 0, 5])));
      assert.ok(bytesOf(await load({ frames: { from: 1, to: 6, step: 2 } })).equals(stack(u16, [1, 3, 5])));
    }));
}

/** Chunk 2 with another byte where `at` points; negative counts from the end. */
const spoilt = (at: number, flip: number) => (i: number, chunk: Uint8Array) => {
  const changed = Uint8Array.from(chunk);
  if (i === 2) changed[at < 0 ? chunk.length + at : at]! ^= flip;
  return changed;
};
const cut = (bytes: number) => (i: number, chunk: Uint8Array) => (i === 2 ? chunk.subarray(0, bytes) : chunk);

/** Behind the header of 12 bytes, the block's length and a token with its length extension: literals. */
const A_LITERAL = 12 + 4 + 6;
const DAMAGED: [
  what: string,
  pipeline: string,
  store: (i: number, chunk: Uint8Array) => Uint8Array,
  reason: string,
][] = [
  [
    "a flipped literal bit that LZ4 cannot see",
    "bitshuffle+LZ4 and Fletcher32",
    spoilt(A_LITERAL, 4),
    "checksum-mismatch",
  ],
  ["a flipped bit of raw values", "Fletcher32 alone", spoilt(100, 1), "checksum-mismatch"],
  [
    "a flipped bit of the checksum",
    "byte shuffle, deflate and Fletcher32",
    spoilt(-1, 128),
    "checksum-mismatch",
  ],
  ["a deflate stream that is cut", "byte shuffle and deflate", cut(40), "inflate-failed"],
  ["a deflate header that is none", "deflate", spoilt(0, 255), "inflate-failed"],
  ["an unfiltered chunk that is short", "no filter", cut(HEIGHT * WIDTH * 2 - 1), "raw-size-mismatch"],
];

for (const [what, name, store, reason] of DAMAGED) {
  const path = write(`damaged ${what}`, PIPELINES[name]!, store);
  test(`${name}: ${what} is ${reason} of its frame alone`, () =>
    onEvery(async (backend) => {
      const error = await loadOn(backend, path, { scanShape: null }).catch((e: unknown) => e);
      if (error instanceof BackendUnavailableError) throw error;
      assert.ok(error instanceof DamagedFramesError, String(error));
      assert.deepEqual(
        error.report.damaged.map((block) => [block.frame, block.reason]),
        [[2, reason]],
      );
      const rest = await loadOn(backend, path, { scanShape: null, onDamage: "mask" });
      assert.deepEqual([...rest.valid], [1, 1, 0, 1, 1, 1]);
      const zeros = new Uint8Array(HEIGHT * WIDTH * 2);
      assert.ok(bytesOf(rest).equals(stack((i) => (i === 2 ? zeros : u16(i)), upTo(COUNT))));
    }));
}

test("without a checksum the flipped literal bit is a valid chunk of other counts: nobody can tell", async () => {
  const { filters } = PIPELINES["bitshuffle+LZ4 and Fletcher32"]!;
  const plain = { filters: filters.slice(0, 1), encode: (elements: Uint8Array) => encodeChunk(elements, 2) };
  const path = write("unseen", plain, spoilt(A_LITERAL, 4));
  for (const backend of BACKENDS_HERE) {
    const frames = await loadOn(backend, path, { scanShape: null });
    assert.deepEqual([...frames.valid], [1, 1, 1, 1, 1, 1]);
    assert.ok(!bytesOf(frames.frame(2)).equals(Buffer.from(u16(2))));
  }
});

test("a chunk that skipped one of two filters by its mask is exact on every backend", async () => {
  const skip = (i: number): StoredChunk => {
    const both = deflate(shuffleBytes(u16(i), 2));
    const forms = [
      { bytes: both, filterMask: 0 },
      { bytes: deflate(u16(i)), filterMask: 1 },
      { bytes: shuffleBytes(u16(i), 2), filterMask: 2 },
      { bytes: u16(i), filterMask: 3 },
    ];
    return forms[i % 4]!;
  };
  const path = write("skipped", PIPELINES["byte shuffle and deflate"]!, skip);
  await onEvery(async (backend) => {
    const frames = await loadOn(backend, path, { scanShape: null });
    assert.ok(bytesOf(frames).equals(stack(u16, upTo(COUNT))));
  });
});

test("bytes behind what a chunk needs are accepted and noted; an index that points past the file is damage", async () => {
  const pipeline = { filters: [BITSHUFFLE], encode: (elements: Uint8Array) => encodeChunk(elements, 2) };
  const longer = write("longer", pipeline, (i, chunk) =>
    i === 3 ? Buffer.concat([chunk, Uint8Array.of(1, 2, 3)]) : chunk,
  );
  const past = write("past", pipeline, (i, chunk) =>
    i === 1
      ? { bytes: chunk, declaredAddress: 2 ** 40 }
      : i === 4
        ? { bytes: chunk, declaredBytes: 2 ** 31 }
        : chunk,
  );
  for (const backend of BACKENDS_HERE) {
    const frames = await loadOn(backend, longer, { scanShape: null });
    assert.ok(bytesOf(frames).equals(stack(u16, upTo(COUNT))));
    assert.deepEqual(
      frames.report.notes.map(({ code }) => code),
      ["trailing-bytes"],
    );
    const rest = await loadOn(backend, past, { scanShape: null, onDamage: "mask" });
    assert.deepEqual([...rest.valid], [1, 0, 1, 1, 0, 1]);
    assert.deepEqual(
      rest.report.damaged.map(({ frame, reason }) => [frame, reason]),
      [
        [1, "chunk-past-file"],
        [4, "chunk-past-file"],
      ],
    );
  }
});
