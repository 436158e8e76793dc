// Owns: the one line that stands for frames, or for work on them, where a value is printed. Never values: a load may hold
// 19 GB. Must not know: ndarrays, files.
import type { EncodedFrames, Frames, LoadReport } from "../types";
import { bytesText, countText, gigabytesPerSecond, plural } from "./units";

/**
 * The line of loaded frames.
 * @example framesLine(frames) // "Frames u16 [16, 16, 192, 192] reference 0.1 GB/s, 0 damaged"
 */
export function framesLine({
  pixelType,
  shape,
  report,
}: Pick<Frames, "pixelType" | "shape" | "report">): string {
  return `Frames ${pixelType} [${shape.join(", ")}] ${outcome(report)}`;
}

/**
 * The line of encoded frames.
 * @example encodedLine(frames) // "Encoded u16 [512, 512, 192, 192], 3.2 GB for 19.3 GB, cpu 2.1 GB/s, 0 damaged"
 */
export function encodedLine({
  pixelType,
  shape,
  report,
  storedBytes,
}: Pick<EncodedFrames, "pixelType" | "shape" | "report" | "storedBytes">): string {
  const sizes = `${bytesText(storedBytes)} for ${bytesText(report.bytes.decoded)}`;
  return `Encoded ${pixelType} [${shape.join(", ")}], ${sizes}, ${outcome(report)}`;
}

/** The line of a report: what was done with how many frames, by which backend, how fast, and what was wrong. */
export function reportLine(report: LoadReport, verb: string): string {
  return `${verb} ${plural(report.frames.selected, "frame")}, ${outcome(report)}`;
}

/** Frames with at least one damaged block. */
export function damagedFrames({ damaged }: LoadReport): number {
  return new Set(damaged.map(({ frame }) => frame)).size;
}

function outcome(report: LoadReport): string {
  const { backend, bytes, seconds, missing } = report;
  const speed = gigabytesPerSecond(seconds > 0 ? bytes.decoded / seconds / 1e9 : 0);
  const absent = missing.length > 0 ? `, ${countText(missing.length)} missing` : "";
  return `${backend.name} ${speed}, ${countText(damagedFrames(report))} damaged${absent}`;
}
