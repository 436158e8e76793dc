// Owns: `stream` and `forEachBatch`: an acquisition of any length as batches of frames in constant memory.
// Must not know: how any stage works.
import type { NdArray } from "ndarray";
import { damagedFramesError } from "./damage/messages";
import { announceDamage } from "./display/announce";
import { openProgress } from "./display/progress";
import { reportLine } from "./display/summary";
import { OptionError } from "./errors";
import { checkStreamOptions, type StreamOptions } from "./options";
import { pixelArray } from "./pixel-arrays";
import { denseStride, exactView } from "./result/views";
import { admitWork } from "./run/admit-work";
import { allocateFrames, releaseFrames } from "./run/output-memory";
import { prepare } from "./run/prepare";
import { openProducer } from "./run/produce";
import { finalReport, openSession, type Session } from "./run/session";
import { type OpenTask, openTask } from "./run/task";
import type { LoadReport, NumberPixelArray, PixelArray } from "./types";

/** Consecutive frames of a selection. */
export interface FrameBatch<T extends PixelArray = NumberPixelArray> {
  /** Number of the first frame, counted from 0 in the order of the selection. */
  readonly first: number;
  /** Dense ndarray [frames, rows, cols]. Its memory is reused: valid until the next batch is asked for. */
  readonly frames: NdArray<T>;
  /** One entry a frame: 1 = good, 0 = damaged or missing. Valid as long as `frames`. */
  readonly valid: Uint8Array;
}

/** Bytes of a batch by default: large enough to keep every core busy, small beside any memory. */
const BATCH_BYTES = 32 * 2 ** 20;

/**
 * Streams an acquisition: the same frames, options, progress and errors as `load`, in memory that does not grow with
 * its length. Under `onDamage: "throw"` a damaged batch is not handed over; the rest is then checked, so that the
 * error's report is complete.
 *
 * In a notebook cell use `forEachBatch`, since a cell cannot hold a lone `for await`.
 * @example
 * for await (const { first, frames } of stream("scan_master.h5")) console.log(first, frames.get(0, 96, 96));
 */
export function stream<T extends PixelArray = NumberPixelArray>(
  path: string,
  options: StreamOptions = {},
): AsyncGenerator<FrameBatch<T>, LoadReport, void> {
  const checked = checkStreamOptions(path, options);
  const task = openTask("stream", path, checked, () => openProgress(checked.progress).event);
  return streamBatches<T>(path, checked, task);
}

/**
 * Calls `fn` with every batch of a stream, one after the other, and returns the report.
 * @example
 * let total = 0;
 * await forEachBatch("demo/demo_master.h5", ({ frames }) => { total += frames.get(0, 96, 96); });
 */
export async function forEachBatch<T extends PixelArray = NumberPixelArray>(
  path: string,
  fn: (batch: FrameBatch<T>) => void | Promise<void>,
  options: StreamOptions = {},
): Promise<LoadReport> {
  if (typeof fn !== "function") {
    const expected = "a function that takes a batch";
    throw new OptionError(`forEachBatch takes ${expected} as its second argument, but got ${typeof fn}.`, {
      place: "fn",
      expected,
      got: typeof fn,
    });
  }
  const batches = stream<T>(path, options);
  for (;;) {
    const next = await batches.next();
    if (next.done) return next.value;
    try {
      await fn(next.value);
    } catch (error) {
      await batches.throw(error).catch(() => {});
      throw error;
    }
  }
}

async function* streamBatches<T extends PixelArray>(
  path: string,
  options: ReturnType<typeof checkStreamOptions>,
  task: OpenTask,
): AsyncGenerator<FrameBatch<T>, LoadReport, void> {
  let ended = false;
  try {
    const report = yield* decodeBatches<T>(path, options, task);
    task.done(reportLine(report, "Streamed"));
    announceDamage(report, options.progress);
    ended = true;
    return report;
  } catch (error) {
    ended = true;
    announceDamage(task.failed(error), options.progress);
    throw error;
  } finally {
    // The consumer broke out of its loop.
    if (!ended) task.done("stopped by its caller");
  }
}

async function* decodeBatches<T extends PixelArray>(
  path: string,
  options: ReturnType<typeof checkStreamOptions>,
  task: OpenTask,
): AsyncGenerator<FrameBatch<T>, LoadReport, void> {
  const perBatch = (frames: number, frameBytes: number) =>
    Math.min(frames, options.batchFrames ?? Math.max(1, Math.floor(BATCH_BYTES / frameBytes)));
  const prepared = await prepare(path, options, task.cancel, task.clock, perBatch);
  const { count, outputBytes } = prepared;
  const session = openSession(prepared, options, task.cancel, task.ticker, task.clock);
  const step = perBatch(count, outputBytes);
  admitWork(prepared, options, step);
  const output = allocateFrames(path, step * outputBytes);
  try {
    const produce = openProducer(session, options.onDamage, step);
    for (let first = 0; first < count; first += step) {
      const to = Math.min(count, first + step);
      const valid = await task.clock.time("decode", () => produce({ from: first, to }, output));
      const damaged = session.run.outcome.damagedFrames.size > 0;
      if (damaged && options.onDamage === "throw") {
        for (let rest = to; rest < count; rest += step) {
          await produce({ from: rest, to: Math.min(count, rest + step) }, output);
        }
        throw damagedFramesError(await finalReport(session, count, step));
      }
      yield { first, frames: batchView<T>(session, output.buffer, output.start, to - first), valid };
    }
  } finally {
    releaseFrames(output);
  }
  return finalReport(session, count, step);
}

function batchView<T extends PixelArray>(
  { prepared }: Session,
  buffer: ArrayBuffer,
  start: number,
  frames: number,
): NdArray<T> {
  const { dtype, detector } = prepared.transform.to;
  const [rows, cols] = detector;
  const shape = [frames, rows, cols];
  const data = pixelArray(dtype, buffer, start, frames * rows * cols);
  return exactView(data, shape, denseStride(shape), 0) as unknown as NdArray<T>;
}
