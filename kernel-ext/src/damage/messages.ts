// Owns: the sentences of the errors about damaged and missing frames.
// Must not know: how damage is found, how a report is shown in a notebook.
import { DamagedFramesError, LOST_FILE_NOTES, MissingFramesError } from "../errors";
import type { DamagedBlock, LoadReport, MissingFrame, Note } from "../types";
import { frameList } from "./ranges";
import { DAMAGE_REASONS } from "./reasons";

const DAMAGE_TODO =
  'Copy the file again if another copy exists, or pass onDamage: "mask" to load the other frames; the error\'s report lists every damaged block.';
const FILL_TODO = 'Pass onMissing: "fill" to get them as fill values marked invalid';
const MISSING_TODO = `${FILL_TODO}, or onMissing: "trim" to end before the first one.`;
const NOTHING_BEFORE_TODO = `${FILL_TODO}, or select frames that are there.`;

/** The error for a report with damage: frames, extent, the first reason with its place, what to do. */
export function damagedFramesError(report: LoadReport): DamagedFramesError {
  const first = report.damaged[0]!;
  return new DamagedFramesError(damageSummary(report), report, {
    place: `${first.file}:${first.dataset}`,
    expected: `${report.frames.selected} exact frames`,
    got: count(framesOf(report.damaged).length, "damaged frame"),
    todo: DAMAGE_TODO,
  });
}

function damageSummary({ damaged, frames }: LoadReport): string {
  const lost = framesOf(damaged);
  const first = damaged[0]!;
  const extent =
    `${count(lost.length, "frame")} of ${frames.selected} selected: ${frameList(lost)}` +
    ` (${count(placesOf(damaged), "damaged block")}).`;
  return [
    `Frames ${lost[0]} to ${lost.at(-1)}: a compressed HDF5 chunk is truncated or corrupt.`,
    extent,
    firstDamage(first),
  ].join(" ");
}

function firstDamage(first: DamagedBlock): string {
  const scan = first.scan ? ` (scan row ${first.scan.row}, column ${first.scan.col})` : "";
  const block = first.block === null ? "" : `, block ${first.block}`;
  const where = `${first.file}, ${first.dataset}, offset ${first.offset}`;
  return `First: frame ${first.frame}${scan}${block} in ${where}: ${words(first)} (${first.reason}): ${first.detail}.`;
}

function words({ reason }: DamagedBlock): string {
  return DAMAGE_REASONS.find((known) => known.code === reason)!.words;
}

/** Damaged blocks (whole chunks count as one), each once however many frames its chunk holds. */
function placesOf(damaged: readonly DamagedBlock[]): number {
  return new Set(damaged.map(({ file, offset, block }) => JSON.stringify([file, offset, block]))).size;
}

/** Damaged frames in ascending order, each once. */
function framesOf(damaged: readonly DamagedBlock[]): number[] {
  return [...new Set(damaged.map((block) => block.frame))].sort((a, b) => a - b);
}

/** The error for a report with missing frames: which, why, what to do. `before` frames are left by trimming. */
export function missingFramesError(report: LoadReport, before: number): MissingFramesError {
  return new MissingFramesError(missingSummary(report), report, {
    place: report.missing.find((frame) => frame.file !== null)?.file ?? report.path,
    expected: `${report.frames.planned} frames`,
    got: `${report.frames.found} frames`,
    todo: before === 0 ? NOTHING_BEFORE_TODO : MISSING_TODO,
  });
}

function missingSummary({ missing, frames, notes }: LoadReport): string {
  const list = frameList(missing.map((frame) => frame.frame));
  const subject = missing.length === 1 ? `frame ${list} is missing` : `frames ${list} are missing`;
  return `${subject}: ${frames.planned} planned, ${frames.found} found. ${[causes(missing), ...lostFiles(missing, notes)].join(" ")}`;
}

/** What is wrong with the data files, where frames are missing with them. */
function lostFiles(missing: readonly MissingFrame[], notes: readonly Note[]): string[] {
  if (!missing.some(({ reason }) => reason === "file")) return [];
  const codes: readonly string[] = Object.values(LOST_FILE_NOTES);
  return notes.filter(({ code }) => codes.includes(code)).map(({ text }) => text);
}

/** One clause a kind of absence, with the first file where there is one. */
function causes(missing: readonly MissingFrame[]): string {
  const clauses: string[] = [];
  for (const [reason, clause] of [
    ["file", "in data files that are absent or unreadable"],
    ["chunk", "never written"],
    ["short-scan", "not recorded, the scan is short"],
  ] as const) {
    const those = missing.filter((frame) => frame.reason === reason);
    if (those.length === 0) continue;
    const file = those.find((frame) => frame.file !== null)?.file;
    clauses.push(`${those.length} ${clause}${file ? ` (first: ${file})` : ""}`);
  }
  return `${clauses.join("; ")}.`;
}

function count(number: number, one: string): string {
  return `${number} ${number === 1 ? one : `${one}s`}`;
}
