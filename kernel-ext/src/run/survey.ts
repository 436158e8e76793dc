// Owns: counting, from the chunk index alone, the frames of an acquisition that are completely written.
// Must not know: selections, decoding, what the counts are for.
import { nextTurn } from "../backends/turns";
import { neverWritten } from "../plan/frame-chunks";
import type { SegmentUse } from "../plan/placement";
import type { Acquisition, Segment } from "../source/acquisition";
import type { CancelScope } from "./cancel";
import { indexedChunks, readSegmentIndex } from "./segment-jobs";

/** Chunk index entries read at a time. */
const WINDOW_CHUNKS = 2 ** 18;
/** Chunk index entries read in all: 16 standard acquisitions. More are not counted. */
const MAX_CHUNKS = 2 ** 22;

export interface Survey {
  /** Frames with every chunk written; null where there are too many to count. */
  readonly complete: number | null;
  /** The first planned frame that is not complete; null where all are. */
  readonly firstGap: number | null;
  /** Bytes of the chunks that hold the complete frames. */
  readonly storedBytes: number;
}

/** Reads the chunk index of every data file that is present. @throws the errors of `readSegmentIndex`, AbortError. */
export async function surveyFrames(acquisition: Acquisition, cancel: CancelScope): Promise<Survey> {
  let complete = 0;
  let storedBytes = 0;
  let firstGap: number | null = null;
  let budget = MAX_CHUNKS;
  const gap = (frame: number): void => {
    firstGap ??= frame;
  };
  for (const segment of acquisition.segments) {
    if (segment.facts === null) {
      gap(segment.firstFrame);
      continue;
    }
    const perFrame = indexedChunks(useOf(segment, 0, 1));
    const step = Math.max(1, Math.floor(WINDOW_CHUNKS / (perFrame * segment.step)));
    for (let from = 0; from < segment.frames; from += step) {
      const use = useOf(segment, from, Math.min(segment.frames, from + step));
      budget -= indexedChunks(use);
      if (budget < 0) return { complete: null, firstGap, storedBytes };
      const counted = await surveyUse(use, gap);
      complete += counted.complete;
      storedBytes += counted.storedBytes;
      await nextTurn();
      cancel.check();
    }
  }
  return { complete, firstGap, storedBytes };
}

async function surveyUse(
  use: SegmentUse,
  gap: (frame: number) => void,
): Promise<{ complete: number; storedBytes: number }> {
  const { chunks, table } = await readSegmentIndex(use);
  let complete = 0;
  let storedBytes = 0;
  let lastRow = -1;
  for (let k = 0; k < use.local.length; k++) {
    if (neverWritten(chunks, table, use.local[k])) {
      gap(use.output[k]);
      continue;
    }
    complete += 1;
    const row = Math.floor(use.local[k] / chunks.shape[0]);
    if (row === lastRow) continue;
    lastRow = row;
    const first = row * chunks.perRow - table.first;
    for (let c = first; c < first + chunks.perRow; c++) storedBytes += table.bytes[c];
  }
  return { complete, storedBytes };
}

/** Frames [from, to) of a segment; an output frame is the frame of the acquisition. */
function useOf(segment: Segment, from: number, to: number): SegmentUse {
  return {
    segment,
    local: Float64Array.from({ length: to - from }, (_, k) => segment.start + (from + k) * segment.step),
    output: Float64Array.from({ length: to - from }, (_, k) => segment.firstFrame + from + k),
    inOrder: true,
  };
}
