// Owns: cpu and reference refuse the same chunks and give the same bytes, on 1,000 random damaged files, at 1, 2, 7 threads.
// Must not know: acquisitions, why a chunk is refused.
import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { type Batch, CONTROL_WORDS } from "#framelab/backends/backend";
import { openCpuBackend } from "#framelab/backends/cpu/index";
import { referenceBackend } from "#framelab/backends/reference/index";
import { lowerFilters } from "#framelab/filters/lower";
import {
  BITSHUFFLE_FILTER,
  bitshuffleValues,
  encodeChunk,
  encodeLz4FilterChunk,
  joinBytes,
  LZ4_FILTER,
} from "../fixtures/bitshuffle-encoder";
import { DTYPES, seededRandom, sourceValues, storedElements } from "../parity/sources";

const FILES = 1000;
const opened = openCpuBackend();
const skip = "reason" in opened ? `no native backend: ${opened.reason}` : false;
const folder = mkdtempSync(join(tmpdir(), "framelab-parity-"));
after(() => rmSync(folder, { recursive: true }));

type Random = () => number;
const pick = (random: Random, n: number): number => Math.floor(random() * n);

/** One chunk as a random filter stores it. */
function store(bytes: Uint8Array, elementBytes: number, kind: number): Uint8Array {
  if (kind === 0) return encodeLz4FilterChunk(bytes, 300);
  return encodeChunk(bytes, elementBytes, kind === 1 ? 0 : 64, { compressor: kind === 3 ? "none" : "lz4" });
}

/** A file of 1 to 12 chunks, most of them with a wrong byte, a wrong length or a wrong place in the index. */
function randomBatch(i: number): Batch {
  const random = seededRandom(i + 1);
  const row = DTYPES[pick(random, DTYPES.length)]!;
  const elements = 1 + pick(random, 700);
  const littleEndian = random() < 0.5;
  const kind = pick(random, 4);
  const values = kind === 0 ? [0] : bitshuffleValues(row.bytes, kind === 1 ? 0 : 64, kind === 3 ? 0 : 2);
  const id = kind === 0 ? LZ4_FILTER : BITSHUFFLE_FILTER;
  const program = lowerFilters({
    filters: [{ id, name: "", values }],
    dtype: row.dtype,
    littleEndian,
    chunkElements: elements,
    place: "test",
  });
  const count = 1 + pick(random, 12);
  const chunks = Array.from({ length: count }, (_, k) => {
    const chunk = store(
      storedElements(row, sourceValues(row, elements, i + k), littleEndian),
      row.bytes,
      kind,
    );
    for (let n = pick(random, 3); n > 0; n--) chunk[pick(random, chunk.length)] = pick(random, 256);
    return chunk;
  });
  const storedBytes = Float64Array.from(chunks, (chunk) => chunk.length);
  const address = new Float64Array(count);
  for (let k = 1; k < count; k++) address[k] = address[k - 1]! + storedBytes[k - 1]!;
  if (random() < 0.3) storedBytes[pick(random, count)]! += pick(random, 40) - 20;
  if (random() < 0.1) address[pick(random, count)] = pick(random, 1e6);
  const filterMask = Uint32Array.from({ length: count }, () => (random() < 0.1 ? 1 : 0));
  const target = Float64Array.from({ length: count }, (_, k) => (count - 1 - k) * program.chunkBytes);
  const file = join(folder, `${i}.bin`);
  const bytes = joinBytes(chunks);
  writeFileSync(file, bytes);
  return {
    program,
    fd: openSync(file, "r"),
    file,
    fileBytes: bytes.length,
    count,
    address,
    storedBytes,
    filterMask,
    target,
  };
}

it(`cpu equals reference on ${FILES} random files`, { skip }, async () => {
  const threads = [1, 2, 7].map((n) => {
    const cpu = openCpuBackend({ threads: n });
    assert.ok("backend" in cpu);
    return cpu.backend;
  });
  let accepted = 0;
  let refused = 0;
  for (let i = 0; i < FILES; i++) {
    const batch = randomBatch(i);
    const bytes = batch.count * batch.program.chunkBytes;
    const run = async (backend: (typeof threads)[number]) => {
      const buffer = new ArrayBuffer(bytes);
      const words = new Int32Array(CONTROL_WORDS);
      const status = await backend.decode(batch, { buffer, start: 0, bytes }, { words });
      return { status, words: [...words], buffer };
    };
    const judge = await run(referenceBackend());
    const isRefused = (k: number): boolean => ((judge.status.refused?.[k >> 3] ?? 0) >> (k & 7)) % 2 === 1;
    for (const backend of threads) {
      const cpu = await run(backend);
      assert.deepEqual([cpu.status, cpu.words], [judge.status, judge.words], `file ${i}, ${backend.device}`);
      for (let k = 0; k < batch.count; k++) {
        if (isRefused(k)) continue;
        const place = [batch.target[k]!, batch.program.chunkBytes] as const;
        const same = Buffer.from(cpu.buffer, ...place).equals(Buffer.from(judge.buffer, ...place));
        assert.ok(same, `file ${i}, chunk ${k}, ${backend.device}`);
      }
    }
    for (let k = 0; k < batch.count; k++) isRefused(k) ? refused++ : accepted++;
    closeSync(batch.fd);
  }
  assert.ok(accepted > FILES && refused > FILES, `${accepted} accepted, ${refused} refused`);
});
