// Owns: the damage card that a piece of work shows by itself in a notebook, below its progress and above its error.
// Must not know: which work it was; what the card looks like.
import type { LoadReport } from "../types";
import { display } from "./show/bundle";
import { damageBundle } from "./show/damage-card";
import { kernelWriter } from "./sinks/kernel";

/**
 * Shows the card of the report that `outcome` (a result or an error) carries, or is, when frames are damaged, missing or
 * suspect. Nothing outside a notebook, and nothing when `progress` is false: then the work shows nothing by itself.
 */
export function announceDamage(outcome: unknown, progress: unknown): void {
  if (progress === false || kernelWriter() === null) return;
  const report = reportOf(outcome);
  if (report === null || report.damaged.length + report.missing.length + report.suspect.length === 0) return;
  try {
    display(damageBundle(report, ""));
  } catch (error) {
    // The result, or the error that follows, matters more than its card.
    process.emitWarning(`The damage card could not be shown: ${String(error)}`, { code: "FRAMELAB_CARD" });
  }
}

function reportOf(outcome: unknown): LoadReport | null {
  const found = (outcome as { report?: LoadReport } | null)?.report ?? (outcome as LoadReport | null);
  return Array.isArray(found?.damaged) && Array.isArray(found.missing) ? found : null;
}
