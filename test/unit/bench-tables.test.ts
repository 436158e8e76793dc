// Owns: the bench's tables and picture of a small run made by hand: every figure is worked out here.
// Must not know: real timings.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";

interface Tables {
  resultTables(results: unknown): string;
}

const harness = (file: string) =>
  import(pathToFileURL(join(__dirname, "..", "..", "..", "bench", "harness", file)).href);

const decode = (contender: string, isa: string, gbPerS: number) => ({
  ...{ case: "decode/counts-u8", contender, isa, threads: 1, gbPerS },
  ...{ minMs: 10, medianMs: 20 },
});
const format = (contender: string, isa: string, gbPerS: number) => ({
  ...decode(contender, isa, gbPerS),
  case: "formats/block592-u16",
});
const load = (kind: string, contender: string, output: string, minMs: number) => ({
  ...{ case: `${kind}/scan`, contender, isa: null, threads: 1, output, minMs, medianMs: 2 * minMs },
  ...{ gbPerS: 1000 / minMs, backend: "cpu", device: "1 thread" },
});

const ROWS = [
  decode("framelab", "avx512", 6),
  decode("framelab-unchecked", "avx512", 6.3),
  decode("dectris-compression", "avx512", 4),
  format("framelab", "avx512", 9),
  format("kiyo-bitshuffle", "avx512", 2),
  format("dectris-compression", "avx512", 6),
  load("load", "framelab", "fresh", 100),
  load("load", "framelab", "reused", 50),
  load("load", "h5wasm", "fresh", 1000),
  load("cold", "framelab", "fresh", 200),
  load("cold", "plain read", "none", 180),
  { case: "growth/scan-u8", frames: 1000, threads: 2, minMs: 9, medianMs: 12 },
  { case: "cores/scan", frames: 500, threads: 1, minMs: 10, medianMs: 10.5 },
  { case: "picture/first", minMs: 1500, medianMs: 1600 },
  { case: "loop/scan", idle: { meanMs: 1, p99Ms: 2 }, busy: { meanMs: 1.5, p99Ms: 8 } },
];

const RESULTS = {
  machine: { cpu: "a <processor>", cores: 2 },
  date: "2026-01-02T00:00:00Z",
  skipped: [{ what: "h5py", why: "no Python" }],
  data: [
    {
      name: "counts-u8",
      streams: { ratio: 6, sequences: 205, streamBytes: 1189, withoutLiterals: 0.5, offsetTwo: 0.25 },
    },
  ],
  formats: [{ name: "block592-u16", blockBytes: 592, streams: { sequences: 10, streamBytes: 66 } }],
  rows: ROWS,
};

/** Lines of the tables, without the padding that nobody reads. */
const lines: Promise<string[]> = harness("tables.mjs").then((tables: Tables) =>
  tables.resultTables(RESULTS).split("\n"),
);

describe("bench tables", () => {
  for (const [what, line] of [
    ["decoding, best and median", "| framelab avx512 | 6.00 / 3.00 |"],
    ["the ratio over the fastest library", "| counts-u8 | 1.50 x dectris |"],
    ["means over the 15 data sets alone", "| **all, geometric mean** | 1.50 x |"],
    ["other formats, a data set a row", "| block592-u16, 10 sequences, 66 B a block | 9.00 | 2.00 | 6.00 |"],
    ["their ratio over the fastest library", "| block592-u16 | 592 | 1.50 x dectris |"],
    ["what checks cost", "| counts-u8 | +5.0 % |"],
    [
      "whole loads, fresh and reused side by side",
      "| scan | h5wasm, 1 process | fresh | 1000 / 2000 | 1.00 | 10.00 x | 20.00 x |",
    ],
    ["cold loads beside a plain read", "| scan | FrameLab, fresh output | 200 / 400 | 90 % |"],
    ["growth with frames", "| scan-u8 | 1000 | 2 | 9.00 / 12.0 | 9.0 |"],
    ["growth with cores", "| scan | 500 | 1 | 10.0 / 10.5 | 20.0 |"],
    [
      "the first picture",
      "| a notebook's first picture, from the start of its kernel's process, ms | 1500 / 1600 |",
    ],
    ["the event loop", "| event-loop delay during a load over idle, mean | 1.50 x |"],
    ["its 99th percentile", "| the same, 99th percentile | 4.00 x |"],
    ["what was left out", "* h5py: no Python"],
  ] as const) {
    it(`says ${what}`, async () => {
      assert.ok((await lines).includes(line), `${line}\n\nis not in\n\n${(await lines).join("\n")}`);
    });
  }

  it("has no section for what was not measured", async () => {
    const { resultTables }: Tables = await harness("tables.mjs");
    const text = resultTables({ ...RESULTS, rows: ROWS.slice(0, 3), skipped: [], formats: undefined });
    for (const title of ["loads", "Other block sizes", "Growth", "Before", "Left out"])
      assert.ok(!text.includes(`### ${title}`));
    assert.ok(!text.includes("Cold"));
  });

  it("draws both bars of a data set to one scale, with every name escaped", async () => {
    const { decodePicture } = await harness("picture.mjs");
    const svg: string = decodePicture(RESULTS);
    const widths = [...svg.matchAll(/<rect x="130".*? width="([\d.]+)"/g)].map(([, width]) => Number(width));
    assert.equal(widths.length, 2);
    assert.ok(Math.abs(widths[0]! / widths[1]! - 1.5) < 0.001);
    assert.ok(svg.includes("a &#60;processor&#62;") && !svg.includes("<processor>"));
    assert.equal(decodePicture({ ...RESULTS, rows: ROWS.slice(3) }), null);
  });
});
