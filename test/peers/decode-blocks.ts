// Owns: a program for the peers: decodes a file of LZ4 block cases with the reference and writes one verdict a case.
// Must not know: how cases are made, what other decoders say.
import { readFileSync, writeFileSync } from "node:fs";
import { decodeLz4Block } from "#framelab/backends/reference/lz4-block";

/**
 * Input: u32 LE count, then per case u32 decoded bytes, u32 stream bytes, stream. Output: JSON lines, one a case:
 * [reason or null, decoded bytes as base64 where accepted].
 */
function main(input: string, output: string): void {
  const cases = readFileSync(input);
  const lines: string[] = [];
  let at = 4;
  for (let left = cases.readUInt32LE(0); left > 0; left--) {
    const block = new Uint8Array(cases.readUInt32LE(at));
    const stream = cases.subarray(at + 8, at + 8 + cases.readUInt32LE(at + 4));
    at += 8 + stream.length;
    const { reason } = decodeLz4Block(stream, block);
    lines.push(JSON.stringify([reason, reason ? null : Buffer.from(block).toString("base64")]));
  }
  writeFileSync(output, lines.join("\n"));
}

main(process.argv[2]!, process.argv[3]!);
