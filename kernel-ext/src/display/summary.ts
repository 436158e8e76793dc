// Owns: the one line that stands for frames where a value is printed. Never values: a load may hold 19 GB.
// Must not know: ndarrays, files.
import type { LoadReport } from "../types";
import { countText, gigabytesPerSecond } from "./units";

/** What the line says. `shape` as the ndarray's; `gbPerS` in 1e9 decoded bytes per second. */
export interface FramesFacts {
  readonly pixelType: string;
  readonly shape: readonly number[];
  readonly backend: string;
  readonly gbPerS: number;
  readonly damagedFrames: number;
  readonly missingFrames: number;
}

/**
 * The line of a load.
 * @example framesLine(facts) // "Frames u16 [16, 16, 192, 192] reference 0.1 GB/s, 0 damaged"
 */
export function framesLine(facts: FramesFacts): string {
  const speed = gigabytesPerSecond(facts.gbPerS);
  const missing = facts.missingFrames > 0 ? `, ${countText(facts.missingFrames)} missing` : "";
  return `Frames ${facts.pixelType} [${facts.shape.join(", ")}] ${facts.backend} ${speed}, ${countText(facts.damagedFrames)} damaged${missing}`;
}

/** The line of a report: what was done with how many frames, how fast, and what was wrong with them. */
export function reportLine(report: LoadReport, verb: string): string {
  const { frames, backend, bytes, seconds, damaged, missing } = report;
  const speed = gigabytesPerSecond(bytes.decoded / 1e9 / Math.max(seconds, 1e-6));
  const damagedFrames = new Set(damaged.map(({ frame }) => frame)).size;
  const absent = missing.length > 0 ? `, ${countText(missing.length)} missing` : "";
  return `${verb} ${countText(frames.selected)} frames, ${backend.name} ${speed}, ${countText(damagedFrames)} damaged${absent}`;
}
