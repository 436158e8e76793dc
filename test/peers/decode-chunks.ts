// Owns: a program for the peers: lowers the filters of each chunk case, decodes it with the reference, writes the bytes.
// Must not know: how cases are made, what they should decode to.
import { readFileSync, writeFileSync } from "node:fs";
import type { Dtype } from "framelab";
import { decodeChunk } from "#framelab/backends/reference/decode-chunk";
import { lowerFilters } from "#framelab/filters/lower";
import type { FilterFact } from "#framelab/source/acquisition";

interface ChunkCase {
  readonly dtype: Dtype;
  readonly littleEndian: boolean;
  readonly chunkElements: number;
  readonly filters: FilterFact[];
  readonly filterMask: number;
  readonly stored: string;
}

/** Input: JSON list of cases, bytes as base64. Output: JSON list of { reasons, bytes }. */
function main(input: string, output: string): void {
  const cases = JSON.parse(readFileSync(input, "utf8")) as ChunkCase[];
  const results = cases.map(({ stored, filterMask, ...facts }) => {
    const program = lowerFilters({ ...facts, place: "peer" });
    const out = new Uint8Array(program.chunkBytes);
    const damage = decodeChunk(program, Buffer.from(stored, "base64"), filterMask, out);
    return { reasons: damage.map(({ reason }) => reason), bytes: Buffer.from(out).toString("base64") };
  });
  writeFileSync(output, JSON.stringify(results));
}

main(process.argv[2]!, process.argv[3]!);
