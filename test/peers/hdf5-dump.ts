// Owns: printing facts and chunk tables of datasets as JSON, for the Python judges beside this file.
// Must not know: what they should be.
// Usage: node hdf5-dump.js manifest.json     manifest: [{ file, dataset, ranges: [[first, count], …] }, …]
import { readFileSync, writeSync } from "node:fs";
import { FrameLabError } from "#framelab/errors";
import type { ChunkTable, DatasetFacts } from "#framelab/source/acquisition";
import { readChunkTable } from "#framelab/source/hdf5/chunk-table";
import { describe, loadH5wasm, withFacts } from "../unit/hdf5-describe";

interface Wanted {
  readonly file: string;
  readonly dataset: string;
  readonly ranges: readonly (readonly [number, number])[];
}

function plainTable(table: ChunkTable): object {
  const written = Array.from(table.address, (address) => (Number.isNaN(address) ? null : address));
  return { address: written, bytes: [...table.bytes], filterMask: [...table.filterMask] };
}

function plainFacts(facts: DatasetFacts): object {
  return { ...facts, fillValue: Buffer.from(facts.fillValue).toString("hex") };
}

async function main(): Promise<void> {
  const h5wasm = await loadH5wasm();
  for (const wanted of JSON.parse(readFileSync(process.argv[2]!, "utf8")) as Wanted[]) {
    const described = describe(h5wasm, wanted.file, wanted.dataset);
    let answer: object;
    try {
      answer = withFacts(described, (fd, facts) => ({
        facts: plainFacts(facts),
        tables: wanted.ranges.map(([first, count]) => plainTable(readChunkTable(fd, facts, first, count))),
      }));
    } catch (error) {
      if (!(error instanceof FrameLabError)) throw error;
      answer = { refused: error.message };
    }
    let line = Buffer.from(`${JSON.stringify(answer)}\n`);
    while (line.length > 0) line = line.subarray(writeSync(1, line));
  }
}

void main();
