// Owns: copying decoded chunks that are not exactly one frame from scratch into the frames of the output.
// Must not know: decoding, files. Offsets are bytes; frames lie at multiples of the frame size.
import type { OutputMemory } from "../backends/backend";
import type { ChunkJobs } from "../plan/jobs";

/** Copies the part of decoded chunk `j` that lies inside the dataset to every output frame that uses it. */
export function scatterChunk(jobs: ChunkJobs, j: number, decoded: Uint8Array, output: OutputMemory): void {
  const { chunks, program, use } = jobs;
  const [depth, rows, cols] = chunks.shape;
  const size = program.elementBytes;
  const frameBytes = chunks.height * chunks.width * size;
  const place = jobs.chunk[j] % chunks.perRow;
  const top = Math.floor(place / chunks.across) * rows;
  const left = (place % chunks.across) * cols;
  // Padding of edge chunks lies behind the dataset's extent and is never copied.
  const height = Math.min(rows, chunks.height - top);
  const rowBytes = Math.min(cols, chunks.width - left) * size;
  const chunkRowBytes = cols * size;
  for (let k = jobs.firstUse[j]; k <= jobs.lastUse[j]; k++) {
    const inChunk = (use.local[k] % depth) * rows * chunkRowBytes;
    const frame = new Uint8Array(output.buffer, output.start + use.output[k] * frameBytes, frameBytes);
    for (let y = 0; y < height; y++) {
      const from = inChunk + y * chunkRowBytes;
      frame.set(decoded.subarray(from, from + rowBytes), ((top + y) * chunks.width + left) * size);
    }
  }
}
