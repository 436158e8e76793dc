// Owns: `reduce`: several reductions of a path, or of loaded frames, in one pass.
// Must not know: how any stage works.
import { openReducers, type Reducers, reducerBytes } from "./analysis/reducers";
import { isReduction, type Reduced, type Reduction } from "./analysis/reduction";
import { Turns } from "./backends/turns";
import { damagedFramesError } from "./damage/messages";
import { announceDamage } from "./display/announce";
import { openProgress } from "./display/progress";
import { damagedFrames, reportLine } from "./display/summary";
import { countText } from "./display/units";
import { heldFramesOf } from "./encoded";
import { OptionError } from "./errors";
import {
  type CheckedOptions,
  checkLoadedOptions,
  checkReduceOptions,
  type LoadedReduceOptions,
  type ReduceOptions,
} from "./options";
import { pixelArray } from "./pixel-arrays";
import { admitWork } from "./run/admit-work";
import type { CancelScope } from "./run/cancel";
import { forEachWindow, framesHeld, type TakeWindow } from "./run/frame-windows";
import type { HeldFrames } from "./run/held-frames";
import { type Prepared, prepare } from "./run/prepare";
import { finalReport, openSession, type Session } from "./run/session";
import { adderOf, sumFrames } from "./run/sum-frames";
import { openTask, type Task } from "./run/task";
import type { EncodedFrames, Frames, PixelArray } from "./types";

/** Results under the names of their descriptions. */
export type ReducedAs<M extends Readonly<Record<string, Reduction>>> = {
  -readonly [Name in keyof M]: Reduced;
};

/**
 * Runs several reductions over the same frames in one pass, so that each is decoded once. Over a path, memory does not
 * grow with the acquisition.
 *
 * Flagged pixels (the pixel mask; u16 65535 and 65534; u32 2^32 - 1 and 2^32 - 2; floats that are not finite) are left
 * out; with `flagged: "zero"` or `"median"` only those of the pixel mask, for the others hold a value then. Damaged and
 * missing frames are NaN in a number a frame, and left out of patterns. Each result's `notes` say what was left out and
 * its `report` lists the frames; `onDamage: "throw"` and `onMissing: "throw"` refuse instead, as `load` does.
 *
 * @param source a path (with options as for `load`), or what `load` gave.
 * @param reductions descriptions by name: `virtualImage(mask)`, `meanPattern()`, `sumPattern()`, `maxPattern()`,
 *   `centerOfMass()`.
 * @returns the results under the same names.
 * @throws the errors of `load`; OptionError when a mask does not fit the detector.
 * @example
 * const { bf, mean } = await reduce("demo/demo_master.h5", {
 *   bf: virtualImage(disk({ center: [96, 96], radius: 20 })),
 *   mean: meanPattern(),
 * });
 * bf.shape; // [16, 16]
 */
export function reduce<M extends Readonly<Record<string, Reduction>>>(
  source: string,
  reductions: M,
  options?: ReduceOptions,
): Promise<ReducedAs<M>>;
export function reduce<M extends Readonly<Record<string, Reduction>>>(
  source: Frames<PixelArray> | EncodedFrames<PixelArray>,
  reductions: M,
  options?: LoadedReduceOptions,
): Promise<ReducedAs<M>>;
export async function reduce<M extends Readonly<Record<string, Reduction>>>(
  source: string | Frames<PixelArray> | EncodedFrames<PixelArray>,
  reductions: M,
  options?: ReduceOptions,
): Promise<ReducedAs<M>> {
  checkReductions(reductions);
  const held = heldFramesOf(source);
  if (held) return (await reduceHeld(held, reductions, options)) as ReducedAs<M>;
  if (isFrames(source)) return (await reduceLoaded(source, reductions, options)) as ReducedAs<M>;
  return (await reducePath(source as string, reductions, options)) as ReducedAs<M>;
}

type Results = Promise<Record<string, Reduced>>;
type Named = Readonly<Record<string, Reduction>>;

function isFrames(source: unknown): source is Frames<PixelArray> {
  return typeof (source as Partial<Frames> | null)?.frame === "function";
}

function checkReductions(reductions: unknown): asserts reductions is Named {
  const entries =
    typeof reductions === "object" && reductions !== null && !isReduction(reductions)
      ? Object.entries(reductions)
      : [];
  const wrong = entries.find(([, reduction]) => !isReduction(reduction));
  if (entries.length > 0 && !wrong) return;
  const expected = "{ name: virtualImage(mask), … }, with at least one description";
  const got = wrong ? `${wrong[0]}: ${typeof wrong[1]}` : "none";
  throw new OptionError(`reduce takes descriptions by name, but got ${got}; allowed: ${expected}.`, {
    place: "reductions",
    expected,
    got,
  });
}

async function reducePath(path: string, reductions: Named, options: unknown): Results {
  const checked = checkReduceOptions(path, options);
  const task = openTask("reduce", path, checked, () => openProgress(checked.progress).event);
  try {
    const prepared = await prepare(path, checked, task.cancel, task.clock, framesHeld);
    const results = await reduceWork(prepared, reductions, checked, task);
    task.done(lineOf(results));
    announceDamage(Object.values(results)[0], checked.progress);
    return results;
  } catch (error) {
    announceDamage(task.failed(error), checked.progress);
    throw error;
  }
}

/** Encoded frames: damage was judged when they were loaded, and memory that a limit counts is held already. */
async function reduceHeld(held: HeldFrames, reductions: Named, options: unknown): Results {
  const checked = checkLoadedOptions(options);
  const { path } = held.prepared.acquisition;
  const task = openTask("reduce", path, checked, () => openProgress(checked.progress).event);
  const { memoryLimit } = held.options;
  const judged = { ...held.options, onDamage: "mask", onMissing: "fill" } as const;
  const kept = memoryLimit === undefined ? 0 : held.bytes;
  try {
    const results = await held.use(() => reduceWork(held.prepared, reductions, judged, task, kept));
    task.done(lineOf(results));
    return results;
  } catch (error) {
    throw task.failed(error);
  }
}

/** Reduces a planned piece of work, beside `kept` bytes of encoded frames. */
async function reduceWork(
  prepared: Prepared,
  reductions: Named,
  options: CheckedOptions,
  task: Task,
  kept = 0,
): Results {
  const { cancel, ticker, clock } = task;
  const session = openSession(prepared, options, cancel, ticker, clock);
  const { transform, leading, count, outputBytes } = prepared;
  const facts = { ...transform.to, leading };
  const reducers = openReducers(reductions, facts);
  const more = { reductions: reducerBytes(reductions, facts), "encoded frames": kept };
  const plan = reducers.plan();
  const adder = adderOf(session, plan);
  let [done, held] = [0, framesHeld(count, outputBytes)];
  await clock.time("reduce", async () => {
    if (plan && adder) {
      // Admitted as if frames were held: they are when the backend is dropped on the way.
      const partial = adder.bytes(plan);
      admitWork(prepared, options, held, { ...more, "partial sums": partial });
      session.run.outcome.peakBytes += partial;
      done = await sumFrames(session, plan, reducers.add);
    }
    if (done === count) held = 0;
    else await addWindows(session, options, { reducers, more, done });
  });
  const report = await finalReport(session, count, held);
  if (report.damaged.length > 0 && options.onDamage === "throw") throw damagedFramesError(report);
  return reducers.results(report);
}

interface WindowWork {
  readonly reducers: Reducers;
  /** Bytes held beside the windows, by name. */
  readonly more: Readonly<Record<string, number>>;
  /** Frames that are added already. */
  readonly done: number;
}

/** Decodes frames window by window and adds them. */
function addWindows(session: Session, options: CheckedOptions, work: WindowWork): Promise<void> {
  const { reducers, more, done } = work;
  const { dtype, detector } = session.prepared.transform.to;
  const { outcome, cancel } = session.run;
  const size = detector[0] * detector[1];
  const take: TakeWindow = async ({ from, to }, memory, valid) => {
    // After damage that is to be thrown, the rest is only checked, for a complete report.
    if (options.onDamage === "throw" && outcome.damagedFrames.size > 0) return;
    const pixels = pixelArray(dtype, memory.buffer, memory.start, (to - from) * size);
    const frameAt = (i: number) => pixels.subarray((i - from) * size, (i - from + 1) * size);
    await addFrames(reducers, { from, to, frameAt, isGood: (i) => valid[i - from] === 1 }, cancel);
  };
  return forEachWindow(session, options, more, take, done);
}

async function reduceLoaded(frames: Frames<PixelArray>, reductions: Named, options: unknown): Results {
  const checked = checkLoadedOptions(options);
  const task = openTask("reduce", frames.source, checked, () => openProgress(checked.progress).event);
  try {
    const { shape, valid, report, pixelMask, pixelType } = frames;
    const detector = [shape[shape.length - 2]!, shape[shape.length - 1]!] as const;
    const facts = { dtype: pixelType, detector, leading: shape.slice(0, -2), pixelMask };
    const reducers = openReducers(reductions, facts);
    const lost = damagedFrames(report);
    task.ticker.begin(valid.length, report.bytes.decoded / Math.max(1, valid.length), () => lost);
    const all = {
      from: 0,
      to: valid.length,
      frameAt: (i: number) => frames.frame(i).data,
      isGood: (i: number) => valid[i] === 1,
      done: () => task.ticker.advance(1),
    };
    await addFrames(reducers, all, task.cancel);
    const results = reducers.results(report);
    // Their report tells how fast they were loaded, not reduced.
    task.done(`Reduced ${countText(report.frames.selected)} loaded frames`);
    return results;
  } catch (error) {
    throw task.failed(error);
  }
}

/** Consecutive frames [from, to) of a selection. */
interface FrameRun {
  readonly from: number;
  readonly to: number;
  frameAt(i: number): PixelArray;
  isGood(i: number): boolean;
  done?(): void;
}

async function addFrames(reducers: Reducers, run: FrameRun, cancel: CancelScope): Promise<void> {
  const turns = new Turns();
  for (let i = run.from; i < run.to; i++) {
    if (run.isGood(i)) reducers.add(run.frameAt(i), i);
    run.done?.();
    if (!turns.due) continue;
    await turns.take();
    cancel.check();
  }
}

/** The line at the end of the progress. */
function lineOf(results: Record<string, Reduced>): string {
  const [first] = Object.values(results) as [Reduced];
  return reportLine(first.report, "Reduced");
}
