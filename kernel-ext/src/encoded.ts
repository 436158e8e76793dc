// Owns: loading an acquisition as its stored chunks, and the object that hands out frames of them.
// Must not know: how any stage works.
import type { NdArray } from "ndarray";
import { evidenceOf, keepEvidence } from "./damage/evidence";
import { damagedFramesError } from "./damage/messages";
import { encodedLine, framesLine } from "./display/summary";
import { outOfRange, SelectionError } from "./errors";
import { type CheckedOptions, scanRanges } from "./options";
import { pixelArray } from "./pixel-arrays";
import { frameGrid, frameRange } from "./plan/frame-list";
import { axis } from "./plan/selection";
import { printAs } from "./printed";
import { makeFrames } from "./result/frames";
import { denseStride, exactView } from "./result/views";
import { admit } from "./run/admission";
import { admitWork } from "./run/admit-work";
import { checkFrames } from "./run/check-frames";
import { CACHE_BYTES, FrameCache } from "./run/frame-cache";
import { framesHeld } from "./run/frame-windows";
import { HeldFrames } from "./run/held-frames";
import { holdChunks, planHold } from "./run/hold-chunks";
import { allocateFrames, releaseFrames } from "./run/output-memory";
import { type Prepared, prepare } from "./run/prepare";
import { finalReport, openSession } from "./run/session";
import type { Task } from "./run/task";
import type { AxisRange, EncodedFrames, Frames, LoadReport, PixelArray } from "./types";

const HELD = new WeakMap<object, HeldFrames>();

/** What encoded frames are read from; null for anything else. */
export function heldFramesOf(value: unknown): HeldFrames | null {
  return (typeof value === "object" && value !== null && HELD.get(value)) || null;
}

/** Reads the stored chunks of a selection into memory, and decodes all of them once. @throws the errors of `load`. */
export async function loadEncoded(
  path: string,
  options: CheckedOptions,
  task: Task,
): Promise<EncodedFrames<PixelArray>> {
  const { cancel, ticker, clock } = task;
  const prepared = await prepare(path, options, cancel, clock, framesHeld);
  const { count, outputBytes } = prepared;
  const session = openSession(prepared, options, cancel, ticker, clock);
  const plan = planHold(prepared);
  const kept = { "encoded frames": plan.bytes, "frame cache": CACHE_BYTES };
  admitWork(prepared, options, framesHeld(count, outputBytes), kept);
  const held = await clock.time("read", () => holdChunks(prepared, plan, cancel));
  try {
    const checking = { ...session, prepared: held.prepared };
    session.run.outcome.peakBytes += plan.bytes;
    const { valid, held: decoded } = await clock.time("check", () => checkFrames(checking, options));
    const report = await finalReport(checking, count, decoded);
    if (report.damaged.length > 0 && options.onDamage === "throw") throw damagedFramesError(report);
    return makeEncoded(new HeldFrames(held, options, valid), valid, report);
  } catch (error) {
    releaseFrames(held.memory);
    throw error;
  }
}

function makeEncoded(held: HeldFrames, valid: Uint8Array, report: LoadReport): EncodedFrames<PixelArray> {
  const { prepared } = held;
  const { leading, count, outputBytes, transform, acquisition, indexes } = prepared;
  const { dtype, detector, pixelMask } = transform.to;
  const shape = Object.freeze([...leading, ...detector]);
  const depth = indexes.reduce((most, { chunks }) => Math.max(most, chunks.shape[0]), 1);
  const cache = new FrameCache(count, outputBytes, depth, async (from, to) => {
    const frames = ownBytes((to - from) * outputBytes);
    const output = { buffer: frames.buffer, start: 0, bytes: frames.length };
    await held.read(framesFrom(from, to), [to - from], output);
    return frames;
  });
  const pixelsOf = async (i: number): Promise<PixelArray> => {
    const { buffer, byteOffset } = await cache.frame(i);
    return pixelArray(dtype, buffer as ArrayBuffer, byteOffset, detector[0] * detector[1]);
  };
  const encoded = {
    representation: "encoded",
    shape,
    pixelType: dtype,
    valid,
    report,
    source: acquisition.path,
    pixelMask,
    storedBytes: held.bytes,
    async frame(i: number): Promise<NdArray<PixelArray>> {
      if (!isIndex(i, count)) throw outOfRange(`frame(${i})`, `frames 0 … ${count - 1}`);
      // A copy: what its owner does with it must not change what others read.
      const own = ownBytes(outputBytes);
      own.set(await cache.frame(i));
      const pixels = pixelArray(dtype, own.buffer, 0, detector[0] * detector[1]);
      return exactView(pixels, detector, denseStride(detector), 0);
    },
    async get(...index: number[]): Promise<number | bigint> {
      const fits = index.length === shape.length && index.every((i, a) => isIndex(i, shape[a]!));
      if (!fits) throw outOfRange(`get(${index.join(", ")})`, `the shape is [${shape.join(", ")}]`);
      const at = denseStride(shape).reduce((sum, stride, a) => sum + stride * index[a]!, 0);
      const pixels = detector[0] * detector[1];
      return (await pixelsOf(Math.floor(at / pixels)))[at % pixels]!;
    },
    scan: (ranges: ScanRanges) => scanOf(held, report, ranges),
    release() {
      cache.clear();
      held.release();
    },
  } as const;
  printAs(encoded, () => encodedLine(encoded));
  HELD.set(encoded, held);
  return Object.freeze(encoded);
}

/** Memory of its own buffer that is not cleared first: every byte of it is written before it is read. */
function ownBytes(bytes: number): Uint8Array & { readonly buffer: ArrayBuffer } {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer as ArrayBuffer) as Uint8Array & {
    readonly buffer: ArrayBuffer;
  };
}

interface ScanRanges {
  readonly rows?: AxisRange;
  readonly cols?: AxisRange;
}

/** A part of the scan, decoded into memory of its own. */
async function scanOf(held: HeldFrames, whole: LoadReport, ranges: ScanRanges): Promise<Frames<PixelArray>> {
  const { leading, outputBytes, transform, acquisition } = held.prepared;
  const given = scanRanges(ranges);
  if (leading.length !== 2) throw noScan(held.prepared);
  const rows = axis("rows", given?.rows, leading[0]);
  const cols = axis("cols", given?.cols, leading[1]);
  const grid = frameGrid(frameRange(0, leading[0] * leading[1]), leading[1], rows, cols);
  const list = Array.from({ length: grid.count }, (_, i) => grid.at(i));
  const bytes = list.length * outputBytes;
  const { memoryLimit } = held.options;
  // What this machine has available is without what is held; a limit of the caller's is with it.
  const kept = memoryLimit === undefined ? 0 : held.bytes + CACHE_BYTES;
  admit(acquisition.path, { frames: bytes, "encoded frames": kept }, memoryLimit);
  const output = allocateFrames(acquisition.path, bytes);
  try {
    const valid = await held.read(list, [rows.count, cols.count], output);
    return makeFrames({
      ...transform.to,
      leading: [rows.count, cols.count],
      buffer: output.buffer,
      start: output.start,
      valid,
      report: partOf(whole, held.prepared, list),
      source: acquisition.path,
      line: framesLine,
      release: () => releaseFrames(output),
    }) as Frames<PixelArray>;
  } catch (error) {
    releaseFrames(output);
    throw error;
  }
}

/** The load's report as far as it is about some of its frames. */
function partOf(report: LoadReport, { selection }: Prepared, list: readonly number[]): LoadReport {
  const frames = new Set(list.map((i) => selection.frames.at(i)));
  const within = ({ frame }: { readonly frame: number }) => frames.has(frame);
  const part = Object.freeze({
    ...report,
    frames: Object.freeze({ ...report.frames, selected: list.length }),
    damaged: Object.freeze(report.damaged.filter(within)),
    missing: Object.freeze(report.missing.filter(within)),
    suspect: Object.freeze(report.suspect.filter(within)),
  });
  const evidence = evidenceOf(report);
  if (evidence !== null && frames.has(evidence.damaged.frame)) keepEvidence(part, evidence);
  return part;
}

function noScan({ acquisition, count }: Prepared): SelectionError {
  return new SelectionError(`The encoded frames of ${acquisition.path} have no scan shape.`, {
    place: "scan",
    expected: "a scan shape",
    got: `${count} frames`,
    todo: "Load with scanShape: [rows, cols], or read frame(i).",
  });
}

const isIndex = (i: number, extent: number): boolean => Number.isInteger(i) && i >= 0 && i < extent;

const framesFrom = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);
