// Owns: verdicts on acquisitions as a table for people and as JSON for programs.
// Must not know: how they were reached.
import { frameList } from "../damage/ranges";
import { bytesText, countText, rateText } from "../display/units";
import type { FrameLabError } from "../errors";
import type { DamagedBlock, LoadReport } from "../types";
import { type Cell, printable, tableText } from "./table";

/** What came of one file. */
export type Verdict =
  | { readonly file: string; readonly report: LoadReport }
  | { readonly file: string; readonly error: FrameLabError };

/** Damaged blocks listed for each file; JSON has them all. */
const LISTED = 10;

const HEAD: readonly Cell[] = [
  { text: "file" },
  { text: "frames", right: true },
  { text: "damaged", right: true },
  { text: "missing", right: true },
  { text: "decoded", right: true },
  { text: "speed", right: true },
  { text: "verdict" },
];

/** One row a file, then what is to be said of each. */
export function verdictText(verdicts: readonly Verdict[], color: boolean): string {
  const table = tableText([HEAD, ...verdicts.map(row)], color);
  const details = verdicts.flatMap(detailsOf);
  return [table, ...details].join("\n");
}

/** A JSON list with one entry a file: `status`, and `report` or `error`. */
export function jsonText(verdicts: readonly Verdict[]): string {
  const list = verdicts.map((verdict) => {
    if ("report" in verdict)
      return { file: verdict.file, status: statusOf(verdict.report), report: verdict.report };
    const { name, code, message, place, expected, got, todo } = verdict.error;
    return {
      file: verdict.file,
      status: "unreadable",
      error: { name, code, message, place, expected, got, todo },
    };
  });
  return JSON.stringify(list, null, 2);
}

function statusOf({ damaged, missing }: LoadReport): "fine" | "damaged" | "missing" {
  if (damaged.length > 0) return "damaged";
  return missing.length > 0 ? "missing" : "fine";
}

function damagedFrames(report: LoadReport): number[] {
  return [...new Set(report.damaged.map(({ frame }) => frame))];
}

function row(verdict: Verdict): Cell[] {
  const file = { text: printable(verdict.file) };
  const blank = { text: "-", right: true };
  if ("error" in verdict) {
    return [file, blank, blank, blank, blank, blank, { text: "unreadable", tint: "red" }];
  }
  const { report } = verdict;
  const { decoded } = report.bytes;
  const number = (text: string): Cell => ({ text, right: true });
  const status = statusOf(report);
  const tint = { fine: "green", damaged: "red", missing: "yellow" } as const;
  return [
    file,
    number(countText(report.frames.selected)),
    number(countText(damagedFrames(report).length)),
    number(countText(report.missing.length)),
    number(bytesText(decoded)),
    number(rateText(decoded, report.seconds)),
    { text: status, tint: tint[status] },
  ];
}

function detailsOf(verdict: Verdict): string[] {
  const name = printable(verdict.file);
  if ("error" in verdict) {
    return ["", `${name}: ${verdict.error.name}`, `  ${printable(verdict.error.message)}`];
  }
  const { report } = verdict;
  const lines = [...damageLines(report), ...missingLines(report), ...noteLines(report)];
  return lines.length === 0 ? [] : ["", `${name}:`, ...lines.map((line) => `  ${line}`)];
}

function damageLines(report: LoadReport): string[] {
  const { damaged } = report;
  if (damaged.length === 0) return [];
  const lines = [`damaged frames: ${frameList(damagedFrames(report))}`];
  lines.push(...damaged.slice(0, LISTED).map(blockLine));
  if (damaged.length > LISTED) {
    lines.push(`… and ${countText(damaged.length - LISTED)} more damaged blocks; --json lists them all`);
  }
  return lines;
}

function blockLine({ frame, scan, file, offset, block, reason, detail }: DamagedBlock): string {
  const position = scan ? ` (scan row ${scan.row}, column ${scan.col})` : "";
  const which = block === null ? "" : `, block ${block}`;
  return `frame ${frame}${position}${which}: ${reason}: ${printable(detail)} (${printable(file)}, offset ${offset})`;
}

const CAUSES = {
  file: "in data files that are absent or unreadable",
  chunk: "never written",
  "short-scan": "not recorded",
} as const;

function missingLines({ missing }: LoadReport): string[] {
  return (["file", "chunk", "short-scan"] as const).flatMap((reason) => {
    const frames = missing.filter((entry) => entry.reason === reason).map(({ frame }) => frame);
    return frames.length === 0 ? [] : [`missing frames, ${CAUSES[reason]}: ${frameList(frames)}`];
  });
}

function noteLines({ notes, suspect }: LoadReport): string[] {
  const lines = notes.map(({ text }) => `note: ${printable(text)}`);
  if (suspect.length > 0) {
    lines.push(
      `note: frames that only the reference decoder accepts: ${frameList(suspect.map((s) => s.frame))}`,
    );
  }
  return lines;
}
