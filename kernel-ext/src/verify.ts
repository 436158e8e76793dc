// Owns: `verify`: decodes everything, keeps nothing, returns the complete report.
// Must not know: how any stage works.
import { openProgress } from "./display/progress";
import { reportLine } from "./display/summary";
import { checkVerifyOptions, type VerifyOptions } from "./options";
import { forEachWindow, framesHeld } from "./run/frame-windows";
import { prepare } from "./run/prepare";
import { openSession, sessionReport } from "./run/session";
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
  const { cancel, ticker, clock } = task;
  try {
    const prepared = await prepare(path, checked, cancel, clock, framesHeld);
    const session = openSession(prepared, checked, cancel, ticker, clock);
    await clock.time("decode", () => forEachWindow(session, checked, {}, async () => {}));
    const { count, outputBytes } = prepared;
    const report = sessionReport(session, count, framesHeld(count, outputBytes));
    task.done(reportLine(report, "Verified"));
    return report;
  } catch (error) {
    throw task.failed(error);
  }
}
