// Owns: `verify`: decodes everything, keeps nothing, returns the complete report.
// Must not know: how any stage works.
import { announceDamage } from "./display/announce";
import { openProgress } from "./display/progress";
import { reportLine } from "./display/summary";
import { checkVerifyOptions, type VerifyOptions } from "./options";
import { admitWork } from "./run/admit-work";
import { allocateFrames, releaseFrames } from "./run/output-memory";
import { prepare } from "./run/prepare";
import { finalReport, openSession } from "./run/session";
import { openTask } from "./run/task";
import { decodeWindow } from "./run/window";
import type { LoadReport } from "./types";

/** Decoded bytes held at a time. */
const WINDOW_BYTES = 64 * 2 ** 20;

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
    const perWindow = (frames: number, frameBytes: number) =>
      Math.min(frames, Math.max(1, Math.floor(WINDOW_BYTES / frameBytes)));
    const prepared = await prepare(path, checked, task.cancel, task.clock, perWindow);
    const { count, frameBytes } = prepared;
    const session = openSession(prepared, checked, task.cancel, task.ticker, task.clock);
    const step = perWindow(count, frameBytes);
    admitWork(prepared, checked, step);
    const output = allocateFrames(path, step * frameBytes);
    await task.clock.time("decode", async () => {
      for (let from = 0; from < count; from += step) {
        const to = Math.min(count, from + step);
        await decodeWindow(session.run, prepared, { from, to }, output);
      }
    });
    releaseFrames(output);
    const report = await finalReport(session, count, step);
    task.done(reportLine(report, "Verified"));
    announceDamage(report, checked.progress);
    return report;
  } catch (error) {
    throw task.failed(error);
  }
}
