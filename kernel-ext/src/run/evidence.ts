// Owns: reading the first damaged frame of a piece of work once more, as far as it can be read, and a good one near it.
// Must not know: how pictures are drawn, who shows them.
import { decodeChunk } from "../backends/reference/decode-chunk";
import { decodeReadable, type Readable } from "../backends/reference/decode-readable";
import { type Evidence, type FramePicture, keepEvidence, pictureOf } from "../damage/evidence";
import { kernel } from "../host";
import { pixelArray } from "../pixel-arrays";
import type { ChunkJobs } from "../plan/jobs";
import type { LoadReport } from "../types";
import { type DataFile, storedChunk, withDataFile } from "./data-file";
import { pickFrames } from "./pick-frames";
import type { Prepared } from "./prepare";
import { scatterChunk } from "./scatter";
import { segmentJobs } from "./segment-jobs";

/** Larger frames have no picture: two of them, with their masks, must stay small beside a load's batches. */
const LARGEST_FRAME_BYTES = 32 * 2 ** 20;

/** Good frames are looked for this far from the damaged one. */
const REACH = 1000;

/** Keeps pictures for the card of a report with damage. In a notebook only: nothing else shows them. */
export async function gatherEvidence(prepared: Prepared, report: LoadReport): Promise<LoadReport> {
  if (report.damaged.length > 0 && kernel() !== null) {
    try {
      const evidence = await readEvidence(prepared, report);
      if (evidence !== null) keepEvidence(report, evidence);
    } catch {
      // The file may be gone by now. The pictures are an aid: the report stands without them.
    }
  }
  return report;
}

/** The pictures themselves; null where the frames are too large. @throws BackendError, MissingFileError. */
export async function readEvidence(prepared: Prepared, report: LoadReport): Promise<Evidence | null> {
  if (prepared.frameBytes > LARGEST_FRAME_BYTES) return null;
  const { frames } = prepared.selection;
  const bad = new Set([...report.damaged, ...report.missing].map(({ frame }) => frame));
  const lost = report.damaged[0]!.frame;
  const outputs = Array.from({ length: prepared.count }, (_, i) => i);
  const at = outputs.findIndex((i) => frames.at(i) === lost);
  if (at < 0) return null;
  const near = outputs
    .filter((i) => Math.abs(i - at) <= REACH && !bad.has(frames.at(i)))
    .sort((a, b) => Math.abs(a - at) - Math.abs(b - at))[0];
  const damaged = await readFrame(prepared, at);
  const neighbour = near === undefined ? null : await readFrame(prepared, near);
  return { damaged, neighbour };
}

/** Output frame `i` as far as it can be read. */
async function readFrame(prepared: Prepared, i: number): Promise<FramePicture> {
  const { frameBytes, transform, selection } = prepared;
  const { dtype, detector } = transform.from;
  const picked = pickFrames(prepared, [i], [1]);
  const pixels = { buffer: new ArrayBuffer(frameBytes), start: 0, bytes: frameBytes };
  const known = { buffer: new ArrayBuffer(frameBytes), start: 0, bytes: frameBytes };
  for (const index of picked.indexes) {
    const jobs = segmentJobs(index, { from: 0, to: 1 });
    const read = (file: DataFile): void => {
      for (let j = 0; j < jobs.count; j++) {
        const readable = readJob(file, jobs, j);
        if (readable === null) continue;
        scatterChunk(jobs, j, readable.bytes, pixels);
        scatterChunk(jobs, j, readable.known, known);
      }
    };
    if (index.held) read(index.held);
    else await withDataFile(index.facts.file, read);
  }
  const frame = selection.frames.at(i);
  const [rows, cols] = detector;
  return pictureOf({
    frame,
    scan: selection.scanOf(frame),
    rows,
    cols,
    elements: pixelArray(dtype, pixels.buffer, 0, rows * cols),
    elementBytes: frameBytes / (rows * cols),
    known: new Uint8Array(known.buffer),
  });
}

/** What of a job's chunk can be read; null = nothing. */
function readJob(file: DataFile, jobs: ChunkJobs, j: number): Readable | null {
  const { program } = jobs;
  const stored = storedChunk(file, jobs, j);
  if (stored === null) return null;
  const bytes = new Uint8Array(program.chunkBytes);
  const mask = jobs.filterMask[j]!;
  if (decodeChunk(program, stored, mask, bytes).length > 0) return decodeReadable(program, stored, mask);
  return { bytes, known: new Uint8Array(program.chunkBytes).fill(1) };
}
