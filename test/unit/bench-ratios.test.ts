// Owns: the bench's arithmetic on rows made by hand: who is the fastest peer, means, what is left out.
// Must not know: real timings.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";

interface Row {
  readonly case: string;
  readonly contender: string;
  readonly isa: string | null;
  readonly threads: number;
  readonly output?: string;
  readonly gbPerS: number;
}

interface Ratio {
  readonly case: string;
  readonly ratio: number;
  readonly against: string;
}

interface Ratios {
  decodeRatios(rows: readonly Row[], isa: string, how?: { threads?: number; libraries?: string[] }): Ratio[];
  meanRatio(ratios: readonly Ratio[], start?: string): number | null;
  scaling(rows: readonly Row[], isa: string, threads: number): number | null;
  loadRatio(rows: readonly Row[], name: string, output: string, peer: Partial<Row>): number | null;
}

const ratios: Promise<Ratios> = import(
  pathToFileURL(join(__dirname, "..", "..", "..", "bench", "harness", "ratios.mjs")).href
);

function row(set: string, contender: string, isa: string, gbPerS: number, threads = 1): Row {
  return { case: `decode/${set}`, contender, isa, threads, gbPerS };
}

const ROWS: readonly Row[] = [
  row("counts-u8", "framelab", "avx512", 8),
  row("counts-u8", "framelab", "avx2", 6),
  row("counts-u8", "framelab", "avx512", 12, 2),
  row("counts-u8", "kiyo-bitshuffle", "avx512", 1),
  row("counts-u8", "kiyo-bitshuffle", "avx2", 3),
  row("counts-u8", "dectris-compression", "avx512", 4),
  row("counts-u8", "dectris-compression", "avx2", 2),
  row("counts-u8", "lz4", "avx512", 100),
  row("counts-u16", "framelab", "avx512", 32),
  row("counts-u16", "dectris-compression", "sse2", 4),
  row("zeros-u8", "framelab", "avx512", 5),
];

describe("bench ratios", () => {
  it("compares a set with the fastest library compiled for at most that set", async () => {
    const { decodeRatios } = await ratios;
    assert.deepEqual(decodeRatios(ROWS, "avx512"), [
      { case: "decode/counts-u8", ratio: 2, against: "dectris-compression/avx512" },
      { case: "decode/counts-u16", ratio: 8, against: "dectris-compression/sse2" },
    ]);
    assert.deepEqual(decodeRatios(ROWS, "avx2"), [
      { case: "decode/counts-u8", ratio: 2, against: "kiyo-bitshuffle/avx2" },
    ]);
  });

  it("compares with one library alone", async () => {
    const { decodeRatios } = await ratios;
    assert.deepEqual(decodeRatios(ROWS, "avx512", { libraries: ["kiyo-bitshuffle"] }), [
      { case: "decode/counts-u8", ratio: 8 / 3, against: "kiyo-bitshuffle/avx2" },
    ]);
  });

  it("means geometrically, and is null without any ratio", async () => {
    const { decodeRatios, meanRatio } = await ratios;
    assert.equal(meanRatio(decodeRatios(ROWS, "avx512"), "decode/counts")?.toFixed(9), "4.000000000");
    assert.equal(meanRatio(decodeRatios(ROWS, "avx512"), "decode/zeros"), null);
    assert.equal(meanRatio(decodeRatios(ROWS, "neon")), null);
  });

  it("scales over the sets that were run at both thread counts", async () => {
    const { scaling } = await ratios;
    assert.equal(scaling(ROWS, "avx512", 2)?.toFixed(9), "1.500000000");
    assert.equal(scaling(ROWS, "avx2", 2), null);
  });

  it("compares loads of the same case only", async () => {
    const { loadRatio } = await ratios;
    const load = (contender: string, output: string, gbPerS: number, name = "load/a"): Row => {
      return { case: name, contender, isa: null, threads: 2, output, gbPerS };
    };
    const rows = [
      load("framelab", "fresh", 2),
      load("framelab", "reused", 4),
      load("h5wasm", "fresh", 0.5),
      load("h5wasm", "fresh", 0.1, "load/b"),
    ];
    assert.equal(loadRatio(rows, "load/a", "fresh", { contender: "h5wasm" }), 4);
    assert.equal(loadRatio(rows, "load/a", "reused", { contender: "h5wasm" }), 8);
    assert.equal(loadRatio(rows, "load/b", "fresh", { contender: "h5wasm" }), null);
  });
});
