// Owns: what becomes of a selection with missing frames: the complete list, or the length after trimming at a gap.
// Must not know: messages, files.
import type { ChunkTable } from "../source/acquisition";
import { type FrameChunks, neverWritten } from "./frame-chunks";
import { frameOf, type MissingOutput, type SegmentUse } from "./placement";
import type { Selection } from "./selection";

/** Output frames of a use that need a chunk that was never written. */
export function neverWrittenFrames(
  use: SegmentUse,
  chunks: FrameChunks,
  table: ChunkTable,
  selection: Selection,
): MissingOutput[] {
  const missing: MissingOutput[] = [];
  const { file } = use.segment;
  for (let k = 0; k < use.local.length; k++) {
    if (!neverWritten(chunks, table, use.local[k])) continue;
    const frame = frameOf(use.segment, use.local[k]);
    const entry = { frame, scan: selection.scanOf(frame), file, reason: "chunk" as const };
    missing.push({ output: use.output[k], entry });
  }
  return missing;
}

/**
 * Leading axes of a selection cut before output frame `gap`. A scan keeps its complete rows, so that it stays a
 * rectangle.
 */
export function trimLeading(leading: Selection["leading"], gap: number): Selection["leading"] {
  return leading.length === 2 ? [Math.floor(gap / leading[1]), leading[1]] : [gap];
}
