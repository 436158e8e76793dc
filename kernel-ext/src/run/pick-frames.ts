// Owns: some frames of a planned piece of work, as a piece of work of its own that reads no file again.
// Must not know: who asks for them, what they hold.
import { frameArray } from "../plan/frame-list";
import { neverWrittenFrames } from "../plan/missing";
import { placeFrames } from "../plan/placement";
import type { Prepared } from "./prepare";

/** Output frames `list` of `prepared`, in that order, with these leading axes. */
export function pickFrames(
  prepared: Prepared,
  list: readonly number[],
  leading: Prepared["leading"],
): Prepared {
  const { acquisition, indexes } = prepared;
  const frames = frameArray(list.map((i) => prepared.selection.frames.at(i)));
  const selection = { ...prepared.selection, frames, leading };
  // "fill": frames that are missing stay where they are.
  const placement = placeFrames(selection, acquisition, "fill");
  const picked = placement.uses.map((use) => {
    const index = indexes.find(({ use: { segment } }) => segment === use.segment)!;
    return { ...index, use };
  });
  const gaps = picked.flatMap(({ use, chunks, table }) => neverWrittenFrames(use, chunks, table, selection));
  return {
    ...prepared,
    selection,
    leading,
    count: list.length,
    indexes: picked,
    missing: [...placement.missing, ...gaps].sort((a, b) => a.output - b.output),
  };
}
