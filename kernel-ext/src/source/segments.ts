// Owns: the order of an acquisition's parts and which frames each of them holds or should hold.
// Must not know: files, links, h5wasm. Pure functions.
import type { Note } from "../types";
import type { DatasetFacts, Segment } from "./acquisition";

/** One dataset that a master names (or the only one), opened or not. */
export interface Part {
  readonly file: string;
  readonly dataset: string;
  readonly facts: DatasetFacts | null;
  /** Frames that it holds or should hold; null where it is absent and nothing says how many. */
  readonly frames: number | null;
  /** Its frame k is frame `start + k * step` of the dataset. */
  readonly start: number;
  readonly step: number;
  readonly problem: string | null;
  /** Attribute `image_nr_low` of the dataset: its first image, counted from 1. */
  readonly firstImage: number | null;
}

export interface LaidOut {
  readonly segments: readonly Segment[];
  readonly planned: number;
  readonly found: number;
  readonly notes: readonly Note[];
}

/** Numeric order of names such as data_1, data_2, data_10; equal numbers by name. */
export function byNumber(a: string, b: string): number {
  return numberIn(a) - numberIn(b) || (a < b ? -1 : a > b ? 1 : 0);
}

function numberIn(name: string): number {
  return Number(/(\d+)\D*$/.exec(name)?.[1] ?? 0);
}

/**
 * Parts in the order in which they were recorded. They come in the order of their link names; where every part that is
 * present says its first image, and no two say the same, those numbers decide. Absent parts keep their place.
 */
export function orderParts(parts: readonly Part[]): Part[] {
  const present = parts.filter((part) => part.facts !== null);
  const firstImages = new Set(present.map((part) => part.firstImage));
  if (firstImages.has(null) || firstImages.size < present.length) return [...parts];
  const sorted = [...present].sort((a, b) => (a.firstImage ?? 0) - (b.firstImage ?? 0));
  let next = 0;
  return parts.map((part) => (part.facts === null ? part : sorted[next++]!));
}

/**
 * Gives every part its frames. An absent part gets as many frames as its siblings hold, as far as the frames planned
 * reach; frames planned beyond the last part become a last segment with an empty file name (a short scan).
 */
export function layOut(parts: readonly Part[], plannedOrNull: number | null): LaidOut {
  const known = parts.map((part) => part.frames);
  const total = known.reduce<number>((sum, frames) => sum + (frames ?? 0), 0);
  const found = parts.reduce((sum, { facts, frames }) => sum + (facts === null ? 0 : (frames ?? 0)), 0);
  const lengths = absentLengths(known, plannedOrNull === null ? null : Math.max(0, plannedOrNull - total));
  const segments: Segment[] = [];
  const notes: Note[] = [];
  let firstFrame = 0;
  parts.forEach(({ file, dataset, facts, start, step, problem }, i) => {
    const frames = lengths[i]!;
    if (frames === 0) {
      notes.push({ code: "data-file-without-frames", text: withoutFrames(file, dataset, problem) });
      return;
    }
    segments.push({ firstFrame, frames, file, dataset, start, step, facts, problem });
    firstFrame += frames;
  });
  const planned = plannedOrNull ?? firstFrame;
  if (planned > firstFrame) {
    const problem = `the acquisition planned ${planned} frames and its data files hold ${firstFrame}`;
    const nowhere = { file: "", dataset: "", start: 0, step: 1, facts: null };
    segments.push({ firstFrame, frames: planned - firstFrame, ...nowhere, problem });
  }
  return { segments, planned, found, notes };
}

/** Frames of every part, the absent ones worked out: `left` frames remain for them (null = unknown). */
function absentLengths(present: readonly (number | null)[], left: number | null): number[] {
  const absent = present.filter((frames) => frames === null).length;
  const last = present.at(-1) ?? null;
  // Every data file but the last is filled to the same length.
  const full = Math.max(0, ...present.slice(0, -1).map((frames) => frames ?? 0));
  const guess = full > 0 ? full : left !== null ? Math.ceil(left / Math.max(1, absent)) : (last ?? 0);
  let remaining = left ?? Number.POSITIVE_INFINITY;
  return present.map((frames) => {
    if (frames !== null) return frames;
    const length = Math.min(guess, remaining);
    remaining -= length;
    return length;
  });
}

function withoutFrames(file: string, dataset: string, problem: string | null): string {
  const why = problem === null ? "it holds 0 frames" : `no planned frame is left for it (${problem})`;
  return `${file}, ${dataset} is left out: ${why}.`;
}
