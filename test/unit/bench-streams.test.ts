// Owns: the tables of the streams bench, on rows made by hand: ratios to others and to a plain read, memory over frames.
// Must not know: real timings.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

interface Tables {
  streamTables(rows: readonly object[], table: Table): string[];
}

const tables: Promise<Tables> = import(
  pathToFileURL(join(__dirname, "..", "..", "..", "bench", "harness", "stream-tables.mjs")).href
);

const row = (work: string, contender: string, gbPerS: number) => {
  return { case: "streams/small", contender, threads: 2, work, minMs: 10, medianMs: 12, gbPerS };
};
const memory = (work: string, frames: number, peakMb: number) => {
  return { case: `streams/memory-${frames}`, contender: "framelab", threads: 2, work, frames, peakMb };
};
const cells: Table = (head, rows) => [head, ...rows].map((line) => line.join("|")).join("\n");

it("says how many times another contender FrameLab is, and what part of a plain read", async () => {
  const rows = [
    row("stream", "framelab", 4),
    row("stream", "h5py+NumPy", 0.5),
    row("read", "plain read", 20),
  ];
  const [title, speeds, ...more] = (await tables).streamTables(rows, cells);
  assert.match(title!, /^### Streams/);
  assert.deepEqual(speeds!.split("\n").slice(1), [
    "stream small|FrameLab, 2 threads|10 / 12|4.00|0.20 x|",
    "stream small|h5py+NumPy, one process|10 / 12|0.50|0.03 x|8.00 x",
    "read small|plain read, one process|10 / 12|20.0||",
  ]);
  assert.deepEqual(more, []);
});

it("lists memory by work and frames, and is nothing without rows of its own", async () => {
  const rows = [memory("stream", 1000, 180.2), memory("stream", 10_000, 190.6), memory("verify", 1000, 150)];
  const parts = (await tables).streamTables([row("stream", "framelab", 4), ...rows], cells);
  assert.equal(parts.at(-1), "work|1,000 frames|10,000 frames\nstream|180|191\nverify|150|–");
  assert.deepEqual((await tables).streamTables([{ case: "decode/counts-u16" }], cells), []);
});
