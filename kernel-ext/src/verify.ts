// Owns: `verify`: decodes everything, keeps nothing, returns the complete report.
// Must not know: how any stage works.
import { announceDamage } from "./display/announce";
import { openProgress } from "./display/progress";
import { reportLine } from "./display/summary";
import { checkVerifyOptions, type VerifyOptions } from "./options";
import { checkFrames } from "./run/check-frames";
import { framesHeld } from "./run/frame-windows";
import { prepare } from "./run/prepare";
import { finalReport, openSession } from "./run/session";
import { openTask } from "./run/task";
import type { LoadReport } from "./types";

/**
 * Checks every chunk of an acquisition and returns the report: damaged blocks, missing frames, notes. Memory does not
 * grow with the acquisition; damage is reported, not thrown.
 * @throws the errors of `load` but DamagedFramesError and MissingFramesError.
 * @example
 * const report = await verify("demo/demo_master.h5");
 * report.damaged.length; // 0
 */
export async function verify(path: string, options: VerifyOptions = {}): Promise<LoadReport> {
  const checked = checkVerifyOptions(path, options);
  const task = openTask("verify", path, checked, () => openProgress(checked.progress).event);
  try {
    const prepared = await prepare(path, checked, task.cancel, task.clock, framesHeld);
    const session = openSession(prepared, checked, task.cancel, task.ticker, task.clock);
    const { held } = await task.clock.time("decode", () => checkFrames(session, checked));
    const report = await finalReport(session, prepared.count, held);
    task.done(reportLine(report, "Verified"));
    announceDamage(report, checked.progress);
    return report;
  } catch (error) {
    throw task.failed(error);
  }
}
