// Owns: `load`: wires the stages from a path to Frames. One of the few files that know them all.
// Must not know: how any stage works.
import { damagedFramesError } from "./damage/messages";
import { announceDamage } from "./display/announce";
import { openProgress } from "./display/progress";
import { encodedLine, framesLine } from "./display/summary";
import { loadEncoded } from "./encoded";
import { type CheckedOptions, checkLoadOptions, type EncodedOptions, type LoadOptions } from "./options";
import { makeFrames } from "./result/frames";
import { admitWork } from "./run/admit-work";
import { allocateFrames, releaseFrames } from "./run/output-memory";
import { prepare } from "./run/prepare";
import { openProducer } from "./run/produce";
import { finalReport, openSession } from "./run/session";
import { openTask, type Task } from "./run/task";
import type { EncodedFrames, Frames, NumberPixelArray, PixelArray } from "./types";

/**
 * Loads an acquisition, or a part of it, into memory.
 *
 * @param path an HDF5 master, a single-file acquisition, or one data file.
 * @returns an ndarray [frames, rows, cols], or [scan rows, scan cols, rows, cols] where the scan shape is known, of
 *   counts in the file's dtype, or in that of `bin` and `dtype`. For 64-bit integers write `load<BigUint64Array>(path)`.
 *   With `representation: "encoded"` the stored chunks stay in memory (checked once, with the same rules) and frames are
 *   decoded when they are asked for: a scan that is larger than memory is explored as EncodedFrames.
 * @throws DamagedFramesError, MissingFramesError (both with a report), NotHdf5Error, MissingFileError,
 *   DatasetNotFoundError, UnsupportedFilterError, UnsupportedLayoutError, ScanShapeError, SelectionError,
 *   MemoryLimitError, BackendUnavailableError, BackendError, OptionError, AbortError.
 * @example
 * const frames = await load("demo/demo_master.h5", { scan: { rows: [0, 8] } });
 * frames.shape; // [8, 16, 192, 192]
 * frames.get(3, 4, 96, 96); // counts of one pixel
 * const scan = await load("demo/demo_master.h5", { representation: "encoded" });
 * await scan.get(3, 4, 96, 96); // the same counts
 */
export function load<T extends PixelArray = NumberPixelArray>(
  path: string,
  options: EncodedOptions,
): Promise<EncodedFrames<T>>;
export function load<T extends PixelArray = NumberPixelArray>(
  path: string,
  options?: LoadOptions,
): Promise<Frames<T>>;
export async function load<T extends PixelArray = NumberPixelArray>(
  path: string,
  options: LoadOptions | EncodedOptions = {},
): Promise<Frames<T> | EncodedFrames<T>> {
  const checked = checkLoadOptions(path, options);
  // The display opens in the synchronous part of the call, so that a notebook shows it in the caller's cell.
  const task = openTask("load", path, checked, () => openProgress(checked.progress).event);
  try {
    if (checked.representation === "encoded") {
      const encoded = await loadEncoded(path, checked, task);
      task.done(encodedLine(encoded));
      announceDamage(encoded, checked.progress);
      return encoded as unknown as EncodedFrames<T>;
    }
    const frames = await loadFrames(path, checked, task);
    task.done(framesLine(frames));
    announceDamage(frames, checked.progress);
    return frames as unknown as Frames<T>;
  } catch (error) {
    announceDamage(task.failed(error), checked.progress);
    throw error;
  }
}

async function loadFrames(path: string, options: CheckedOptions, task: Task): Promise<Frames> {
  const { cancel, ticker, clock } = task;
  const prepared = await prepare(path, options, cancel, clock);
  const { acquisition, count, outputBytes, transform } = prepared;
  const session = openSession(prepared, options, cancel, ticker, clock);
  admitWork(prepared, options, count);
  const output = await clock.time("allocate", () => allocateFrames(acquisition.path, count * outputBytes));
  try {
    const produce = openProducer(session, options.onDamage, count);
    const valid = await clock.time("decode", () => produce({ from: 0, to: count }, output));
    const report = await finalReport(session, count, count);
    if (report.damaged.length > 0 && options.onDamage === "throw") throw damagedFramesError(report);
    return makeFrames({
      ...transform.to,
      leading: prepared.leading,
      buffer: output.buffer,
      start: output.start,
      valid,
      report,
      source: acquisition.path,
      line: framesLine,
      release: () => releaseFrames(output),
    });
  } catch (error) {
    // Damaged, cancelled or failed: nobody will use the memory, and gigabytes are not left to the collector.
    releaseFrames(output);
    throw error;
  }
}
