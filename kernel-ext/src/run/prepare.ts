// Owns: everything before the first chunk is decoded: facts, selection, memory admission, chunk index, missing frames.
// Must not know: outputs, decoding, what the frames are for.
import { nextTurn } from "../backends/turns";
import type { CheckedOptions } from "../options";
import { dtypeBytes } from "../pixel-arrays";
import type { FramePart } from "../plan/frame-chunks";
import { neverWrittenFrames, trimLeading } from "../plan/missing";
import { type MissingOutput, type Placement, placeFrames } from "../plan/placement";
import { type Selection, selectFrames } from "../plan/selection";
import { openAcquisition } from "../source";
import type { Acquisition, DatasetFacts } from "../source/acquisition";
import { transformBytes } from "../transform/batch";
import { type FrameFacts, planTransform, type Transform } from "../transform/transform";
import type { Note } from "../types";
import { admit } from "./admission";
import type { CancelScope } from "./cancel";
import { ReadAhead } from "./read-ahead";
import { INDEX_BYTES_PER_CHUNK, indexedChunks, readSegmentIndex, type SegmentIndex } from "./segment-jobs";
import type { StageClock } from "./stage-clock";

/** A planned piece of work: what to decode, and what is missing. */
export interface Prepared {
  /** Reads the data files that have not been reached. */
  readonly ahead: ReadAhead;
  readonly acquisition: Acquisition;
  readonly selection: Selection;
  /** Leading axes of the output, after trimming. */
  readonly leading: Selection["leading"];
  /** Output frames. */
  readonly count: number;
  /** Bytes of one frame as decoded, and of one as returned. */
  readonly frameBytes: number;
  readonly outputBytes: number;
  /** What happens to frames between the two. */
  readonly transform: Transform;
  readonly indexes: readonly SegmentIndex[];
  readonly indexBytes: number;
  /** Output frames that have no pixels, in output order. After trimming none, or the first gap when nothing is left. */
  readonly missing: readonly MissingOutput[];
  /** What stands for missing frames. */
  readonly fill: Acquisition["fill"];
  readonly notes: readonly Note[];
}

/**
 * Opens and plans. Missing frames are listed, not judged. `hold` says how many frames (of so many bytes each) the work
 * will hold at once, of all it selects. @throws every error of source/ and plan/, MemoryLimitError.
 */
export async function prepare(
  path: string,
  options: CheckedOptions,
  cancel: CancelScope,
  clock: StageClock,
  hold: (frames: number, frameBytes: number) => number = (frames) => frames,
): Promise<Prepared> {
  const { dataset, threshold, signal } = options;
  const ahead = new ReadAhead(cancel);
  const opened = isWhole(options) ? (facts: DatasetFacts) => announce(ahead, facts) : undefined;
  const acquisition = await clock.time("open", () =>
    openAcquisition(path, { dataset, threshold, signal, opened }),
  );
  cancel.check();
  const selection = selectFrames(acquisition, options);
  const transform = planTransform(acquisition, options);
  const frameBytes = bytesOf(transform.from);
  const outputBytes = bytesOf(transform.to);
  const beside = transform.changes ? transformBytes(transform) + frameBytes : 0;
  const heldBytes = (frames: number) => hold(frames, outputBytes) * outputBytes + beside;
  const placement = place(acquisition, selection, options, heldBytes);
  const indexBytes = admitIndex(acquisition, placement, transform.region, options, heldBytes);
  const indexes = await clock.time("index", () => readIndexes(placement, transform.region, cancel));
  const gaps = indexes.flatMap(({ use, chunks, table }) => neverWrittenFrames(use, chunks, table, selection));
  const missing = [...placement.missing, ...gaps].sort((a, b) => a.output - b.output);
  const notes = [...acquisition.notes, ...selection.notes];
  const sizes = { frameBytes, outputBytes, indexBytes };
  const common = { ahead, acquisition, selection, transform, ...sizes, indexes, fill: acquisition.fill };
  if (options.onMissing !== "trim") {
    return { ...common, leading: selection.leading, count: selection.frames.count, missing, notes };
  }
  const gap = missing[0]?.output ?? placement.count;
  const leading = gap < selection.frames.count ? trimLeading(selection.leading, gap) : selection.leading;
  const count = leading[0] * (leading[1] ?? 1);
  if (count < selection.frames.count) notes.push(trimmed(selection, gap, count));
  return { ...common, leading, count, missing: count === 0 ? missing.slice(0, 1) : [], notes };
}

/** Every stored byte is wanted. */
function isWhole({ frames, scan, detector }: CheckedOptions): boolean {
  return frames.kind === "all" && !scan && !detector.rows && !detector.cols;
}

function announce(ahead: ReadAhead, { file, fileBytes, shape }: DatasetFacts): void {
  // Of several thresholds one is taken.
  if (shape.length === 3) ahead.add({ path: file, bytes: fileBytes });
}

function bytesOf({ detector, dtype }: FrameFacts): number {
  return detector[0] * detector[1] * dtypeBytes(dtype);
}

/** What laying out costs for each frame that is present, and for each that is missing. */
const PRESENT_BYTES = 32;
const MISSING_BYTES = 200;

/** Admits the output before anything as long as the selection is allocated, then lays out the selection. */
function place(
  acquisition: Acquisition,
  selection: Selection,
  options: CheckedOptions,
  heldBytes: (frames: number) => number,
): Placement {
  const { count } = selection.frames;
  const listed = options.frames.kind === "list";
  // Frames that were planned and never recorded take no memory unless they are filled.
  const present = options.onMissing === "fill" || listed ? count : Math.min(count, acquisition.found);
  const absent = Math.max(0, present - acquisition.found);
  const lists = (present - absent) * PRESENT_BYTES + absent * MISSING_BYTES;
  admit(acquisition.path, { frames: heldBytes(present), "frame lists": lists }, options.memoryLimit);
  return placeFrames(selection, acquisition, options.onMissing);
}

function admitIndex(
  acquisition: Acquisition,
  placement: Placement,
  part: FramePart,
  options: CheckedOptions,
  heldBytes: (frames: number) => number,
): number {
  const chunks = placement.uses.reduce((sum, use) => sum + indexedChunks(use, part), 0);
  const index = chunks * INDEX_BYTES_PER_CHUNK;
  const present = placement.count - placement.missing.length;
  admit(acquisition.path, { frames: heldBytes(present), "chunk index": index }, options.memoryLimit);
  return index;
}

async function readIndexes(
  placement: Placement,
  part: FramePart,
  cancel: CancelScope,
): Promise<SegmentIndex[]> {
  const indexes: SegmentIndex[] = [];
  for (const use of placement.uses) {
    indexes.push(await readSegmentIndex(use, part));
    // Index reading is synchronous: let signals and displays through between data files.
    await nextTurn();
    cancel.check();
  }
  return indexes;
}

function trimmed(selection: Selection, gap: number, count: number): Note {
  const frame = selection.frames.at(gap);
  const rows = selection.leading.length === 2 ? " complete rows of the scan:" : "";
  return {
    code: "trimmed",
    text: `Frame ${frame} is missing; the result ends before it with${rows} ${count} of ${selection.frames.count} frames.`,
  };
}
