// Owns: the card of a report: how many frames are not good, where, why, and what to do about it.
// Must not know: how damage is found; arrays.
import { basename } from "node:path";
import { evidenceOf } from "../../damage/evidence";
import { DAMAGE_REASONS } from "../../damage/reasons";
import type { DamagedBlock, LoadReport, MissingFrame, ScanPosition } from "../../types";
import { escapeHtml } from "../html";
import { damagedFrames } from "../summary";
import { countText, plural } from "../units";
import { type Bundle, caption, image, shell } from "./bundle";
import { drawDamageMap, frameStates, STATE_COLORS, STATES } from "./damage-map";
import { type Figure, framePair } from "./frame-pair";
import { type Table, tableHtml, tableText } from "./table";

/** Longest table; the whole list is in the report. */
const MAX_ROWS = 12;

const MISSING_WORDS: Readonly<Record<MissingFrame["reason"], string>> = {
  file: "the data file is absent or cannot be read",
  chunk: "never written",
  "short-scan": "the scan ended before it",
};

/** The card of a report. `title` stands above it; the verdict, when it is empty. */
export function damageBundle(report: LoadReport, title: string): Bundle {
  const verdict = verdictText(report);
  const heading = title === "" ? verdict : title;
  const below = title === "" ? "" : `<div>${escapeHtml(verdict)}</div>`;
  if (frameStates(report).size === 0) {
    const facts = `${basename(report.path)}, ${report.backend.name}`;
    return { text: `${heading} (${facts})`, html: shell(heading, `${below}${caption(facts)}`) };
  }
  const map = drawDamageMap(report);
  const evidence = evidenceOf(report);
  const figures = [{ picture: map, words: mapWords(report) }];
  const pair = evidence === null ? [] : framePair(evidence);
  const damaged = damagedTable(report.damaged);
  const missing = missingTable(report.missing);
  const advice = adviceLines(report);
  const html = [
    below,
    `<div style="margin: 6px 0">${[...figures, ...pair].map(figureHtml).join("")}</div>`,
    legend(report),
    ...[damaged, missing].map((part) => (part === null ? "" : tableHtml(part.table) + note(part.more))),
    `<ul style="margin: 6px 0 0 0; padding-left: 18px">${advice.map((line) => `<li>${escapeHtml(line)}</li>`).join("")}</ul>`,
  ].join("");
  const text = [heading];
  if (title !== "") text.push(verdict);
  for (const part of [damaged, missing]) if (part !== null) text.push(tableText(part.table), part.more);
  text.push(...pair.map(({ words }) => words));
  text.push(...advice.map((line) => `* ${line}`));
  return { text: text.filter((line) => line !== "").join("\n"), html: shell(heading, html), png: map.png };
}

function mapWords({ scanShape }: LoadReport): string {
  if (scanShape === null) return "all frames, the first on the left";
  return `the scan, ${scanShape[0]} x ${scanShape[1]}, row 0 on top`;
}

/** Side by side where there is room, each with its words below. */
function figureHtml({ picture, words }: Figure): string {
  const { png, width, height } = picture;
  const style = `display: inline-block; margin: 0 14px 4px 0; vertical-align: top; width: ${width}px`;
  return `<div style="${style}">${image(png, width, height, words)}${caption(words)}</div>`;
}

/** `1 of 256 frames is damaged`, with the numbers of missing and suspect frames behind it. */
export function verdictText(report: LoadReport): string {
  const { planned } = report.frames;
  const parts: string[] = [];
  const count = (number: number, word: string): void => {
    if (number === 0) return;
    const who =
      parts.length === 0 ? `${countText(number)} of ${plural(planned, "frame")}` : countText(number);
    parts.push(`${who} ${number === 1 ? "is" : "are"} ${word}`);
  };
  count(damagedFrames(report), "damaged");
  count(report.missing.length, "missing");
  count(report.suspect.length, "suspect");
  return parts.length === 0
    ? `${plural(report.frames.selected, "frame")}, none damaged, none missing`
    : parts.join(", ");
}

interface TablePart {
  readonly table: Table;
  /** What the table leaves out, or the empty text. */
  readonly more: string;
}

function damagedTable(blocks: readonly DamagedBlock[]): TablePart | null {
  if (blocks.length === 0) return null;
  const rows = blocks
    .slice(0, MAX_ROWS)
    .map((block) => [
      String(block.frame),
      position(block.scan),
      basename(block.file),
      String(block.offset),
      block.block === null ? "whole chunk" : String(block.block),
      reasonWords(block),
    ]);
  const head = ["frame", "scan row, col", "file", "byte offset", "block", "reason"];
  const left = blocks.length - rows.length;
  const more =
    left > 0
      ? `and ${plural(left, "more damaged block")}: report.damaged has all. By reason: ${byReason(blocks)}.`
      : "";
  return { table: { head, rows }, more };
}

function position(scan: ScanPosition | null): string {
  return scan === null ? "-" : `${scan.row}, ${scan.col}`;
}

function reasonWords({ reason }: DamagedBlock): string {
  return DAMAGE_REASONS.find(({ code }) => code === reason)?.words ?? reason;
}

function byReason(blocks: readonly DamagedBlock[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of blocks) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([reason, count]) => `${reason} ${countText(count)}`).join(", ");
}

/** Missing frames come in runs: one row a run of the same file and reason. */
function missingTable(missing: readonly MissingFrame[]): TablePart | null {
  if (missing.length === 0) return null;
  const runs: { first: MissingFrame; last: number }[] = [];
  for (const entry of missing) {
    const run = runs.at(-1);
    const joins =
      run?.last === entry.frame - 1 && run.first.file === entry.file && run.first.reason === entry.reason;
    if (joins) run.last = entry.frame;
    else runs.push({ first: entry, last: entry.frame });
  }
  const rows = runs.slice(0, MAX_ROWS).map(({ first, last }) => {
    const frames = last === first.frame ? `${last}` : `${first.frame} to ${last}`;
    return [frames, first.file === null ? "-" : basename(first.file), MISSING_WORDS[first.reason]];
  });
  const left = runs.length - rows.length;
  const more = left > 0 ? `and ${plural(left, "more run")}: report.missing has every frame.` : "";
  return { table: { head: ["missing frame", "file", "reason"], rows }, more };
}

function note(text: string): string {
  return text === "" ? "" : caption(text);
}

/** Colours with their words; only those that are in the map. */
function legend(report: LoadReport): string {
  const seen = new Set<string>(["good", ...frameStates(report).values()]);
  const square = (color: string): string =>
    `<span style="background: ${color}; color: ${color}; border: 1px solid #6e7781; padding: 0 5px">&#8199;</span>`;
  const { selected, planned } = report.frames;
  const good = selected < planned ? "good, or not looked at" : "good";
  const parts = STATES.filter((state) => seen.has(state)).map(
    (state) =>
      `<span style="margin-right: 14px">${square(STATE_COLORS[state])} ${state === "good" ? good : state}</span>`,
  );
  return `<div style="font-size: 12px; color: #57606a">${parts.join("")}</div>`;
}

/** What the reader can do, in the order in which to try it. */
function adviceLines(report: LoadReport): string[] {
  const lines: string[] = [];
  if (report.damaged.length > 0) {
    const files = [...new Set(report.damaged.map(({ file }) => basename(file)))];
    const named = files.length > 3 ? `${countText(files.length)} data files` : files.join(", ");
    lines.push(
      `The stored bytes themselves are damaged: copy ${named} again from the source, and compare checksums.`,
    );
    lines.push(
      'load(path, { onDamage: "mask" }) gives all other frames; damaged ones are 0 and marked in frames.valid.',
    );
  }
  if (report.missing.length > 0) {
    lines.push(
      'load(path, { onMissing: "fill" }) marks missing frames in frames.valid; "trim" ends at the first gap.',
    );
  }
  if (report.suspect.length > 0) {
    lines.push(
      "Suspect frames hold the reference decoder's values; please report the backend that refused them.",
    );
  }
  return lines;
}
