// Owns: batches over files for tests of backends: intact and damaged chunks, output between guard bytes, repeated chunks.
// Must not know: which backend decodes them.
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { Batch } from "#framelab/backends/backend";
import { lowerFilters } from "#framelab/filters/lower";
import { bitshuffleValues, encodeChunk, joinBytes } from "../fixtures/bitshuffle-encoder";

export interface Stack {
  readonly batch: Batch;
  readonly sources: readonly Uint8Array[];
  readonly close: () => void;
}

const GUARD_BYTES = 32;
const GUARD = 0xab;

/** Makers of batches of u16 chunks of `elements` elements, in a folder that is gone after the file's tests. */
export function batchFiles(elements: number) {
  const chunkBytes = 2 * elements;
  const program = lowerFilters({
    filters: [{ id: 32008, name: "bitshuffle", values: bitshuffleValues(2) }],
    dtype: "u16",
    littleEndian: true,
    chunkElements: elements,
    place: "test",
  });
  const folder = mkdtempSync(join(tmpdir(), "framelab-batch-"));
  after(() => rmSync(folder, { recursive: true }));
  let files = 0;

  /** Frames behind 7 other bytes, `gap` bytes apart, last frame first in the output; `damaged` ones are refused. */
  function stack(count: number, damaged: readonly number[] = [], gap = 0): Stack {
    const sources = Array.from({ length: count }, (_, frame) =>
      Uint8Array.from({ length: chunkBytes }, (_, i) =>
        (i * (frame + 1)) % 11 === 0 ? (frame + 1) & 255 : 0,
      ),
    );
    const chunks = sources.map((source, frame) => {
      const chunk = encodeChunk(source, 2);
      if (damaged.includes(frame)) chunk[16] = 0;
      return chunk;
    });
    const file = join(folder, `${files++}.bin`);
    const space = new Uint8Array(gap).fill(0xee);
    writeFileSync(file, joinBytes([new Uint8Array(7), ...chunks.flatMap((chunk) => [chunk, space])]));
    const storedBytes = Float64Array.from(chunks, (chunk) => chunk.length);
    const address = new Float64Array(count);
    let fileBytes = 7;
    for (let i = 0; i < count; i++) {
      address[i] = fileBytes;
      fileBytes += storedBytes[i]! + gap;
    }
    const fd = openSync(file, "r");
    const filterMask = new Uint32Array(count);
    const target = Float64Array.from(sources, (_, i) => (count - 1 - i) * chunkBytes);
    const batch = { program, fd, file, fileBytes, count, address, storedBytes, filterMask, target };
    return { batch, sources, close: () => closeSync(fd) };
  }

  /** Output of `bytes` bytes with guard bytes on both sides. */
  function guarded(bytes: number) {
    const buffer = new ArrayBuffer(bytes + 2 * GUARD_BYTES);
    const all = new Uint8Array(buffer).fill(GUARD);
    const around = () => [...all.subarray(0, GUARD_BYTES), ...all.subarray(GUARD_BYTES + bytes)];
    return {
      output: { buffer, start: GUARD_BYTES, bytes },
      frame: (i: number) => all.subarray(GUARD_BYTES + i * chunkBytes, GUARD_BYTES + (i + 1) * chunkBytes),
      guards: () => around().every((byte) => byte === GUARD),
    };
  }

  return { chunkBytes, program, folder, stack, guarded };
}

/** The first chunk of a batch, `count` times, to the same target. */
export function repeated(batch: Batch, count: number): Batch {
  return {
    ...batch,
    count,
    address: new Float64Array(count).fill(batch.address[0]!),
    storedBytes: new Float64Array(count).fill(batch.storedBytes[0]!),
    filterMask: new Uint32Array(count),
    target: new Float64Array(count),
  };
}
