// Owns: saying a set of frames in few words: `3, 4, 6` or `0-4, 9, 11-3000`, cut after some ranges.
// Must not know: why the frames are named.

/** Up to this many frames are named one by one; more are drawn together to ranges. */
const MOST_SINGLE = 8;
const MOST_RANGES = 6;

/** `frames` in any order, repeats allowed; the words are in ascending order. */
export function frameList(frames: readonly number[]): string {
  const sorted = [...new Set(frames)].sort((a, b) => a - b);
  if (sorted.length <= MOST_SINGLE) return sorted.join(", ");
  const ranges = toRanges(sorted);
  const named = ranges.slice(0, MOST_RANGES);
  const text = named.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
  const unnamed = sorted.length - named.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  return unnamed === 0 ? text : `${text} and ${unnamed} more`;
}

function toRanges(sorted: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const frame of sorted) {
    const open = ranges.at(-1);
    if (open && open[1] === frame - 1) open[1] = frame;
    else ranges.push([frame, frame]);
  }
  return ranges;
}
