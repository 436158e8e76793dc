// Owns: where each selected frame comes from: its segment and its number in there, or the reason why it is missing.
// Must not know: chunks, bytes, files' contents.
import type { OnMissing } from "../options";
import type { Acquisition, Segment } from "../source/acquisition";
import type { MissingFrame } from "../types";
import type { Selection } from "./selection";

/** Selected frames that one segment holds. Parallel arrays, ascending by local frame. */
export interface SegmentUse {
  readonly segment: Segment;
  /** Frame of the segment's dataset, counted from 0 over all its leading axes. */
  readonly local: Float64Array;
  /** Frame of the output that it becomes. */
  readonly output: Float64Array;
  /** `output` ascends as well: a window of the output is a run of entries. */
  readonly inOrder: boolean;
}

/** A selection laid over the segments of an acquisition. */
export interface Placement {
  /** Output frames that were looked at: all of the selection, or fewer when gaps end it. */
  readonly count: number;
  readonly uses: readonly SegmentUse[];
  /** Output frames without a source, in output order. */
  readonly missing: readonly MissingOutput[];
}

export interface MissingOutput {
  readonly output: number;
  readonly entry: MissingFrame;
}

/** A planned number of frames comes from the file, so a list of missing ones must end somewhere. */
export const MISSING_LISTED = 1_000_000;

/**
 * Lays a selection over the segments. Only "fill" needs every missing frame; "trim" stops before the first one, and
 * "throw", which will refuse anyway, stops when its list is full.
 */
export function placeFrames(selection: Selection, acquisition: Acquisition, onMissing: OnMissing): Placement {
  const { segments } = acquisition;
  const places = segments.map(() => ({ local: [] as number[], output: [] as number[] }));
  const missing: MissingOutput[] = [];
  let at = 0;
  let i = 0;
  for (; i < selection.frames.count; i++) {
    const frame = selection.frames.at(i);
    at = segmentOf(segments, frame, at);
    const segment = segments[at];
    if (segment?.facts) {
      places[at].local.push(segment.start + (frame - segment.firstFrame) * segment.step);
      places[at].output.push(i);
      continue;
    }
    missing.push({ output: i, entry: missingFrame(selection, frame, segment) });
    if (onMissing === "trim") break;
    if (onMissing === "throw" && missing.length === MISSING_LISTED) break;
  }
  const uses = segments.map((segment, s) => ({ segment, ...ascending(places[s]) }));
  return { count: i, uses: uses.filter((use) => use.local.length > 0), missing };
}

/** Frame of the acquisition that frame `local` of a segment's dataset is. */
export function frameOf(segment: Segment, local: number): number {
  return segment.firstFrame + (local - segment.start) / segment.step;
}

/** Index of the segment that has `frame`, or `segments.length`. Starts at the last answer: selections mostly ascend. */
function segmentOf(segments: readonly Segment[], frame: number, last: number): number {
  const has = (s: number) =>
    s < segments.length &&
    frame >= segments[s].firstFrame &&
    frame < segments[s].firstFrame + segments[s].frames;
  if (has(last)) return last;
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const mid = (low + high) >>> 1;
    if (segments[mid].firstFrame + segments[mid].frames <= frame) low = mid + 1;
    else high = mid;
  }
  return has(low) ? low : segments.length;
}

function missingFrame(selection: Selection, frame: number, segment: Segment | undefined): MissingFrame {
  const named = segment !== undefined && segment.file !== "";
  return {
    frame,
    scan: selection.scanOf(frame),
    file: named ? segment.file : null,
    reason: named ? "file" : "short-scan",
  };
}

/** Sorts by local frame; the entries come in output order. */
function ascending(place: { local: number[]; output: number[] }): Omit<SegmentUse, "segment"> {
  const { local, output } = place;
  const inOrder = local.every((frame, k) => k === 0 || local[k - 1] <= frame);
  if (inOrder) return { local: Float64Array.from(local), output: Float64Array.from(output), inOrder };
  const order = local.map((_, k) => k).sort((a, b) => local[a] - local[b] || output[a] - output[b]);
  return {
    local: Float64Array.from(order, (k) => local[k]),
    output: Float64Array.from(order, (k) => output[k]),
    inOrder,
  };
}
