// Owns: `inspect`: what the headers of an acquisition say, and whether it can be loaded. Wires the stages.
// Must not know: how any stage works.

import { resolve } from "node:path";
import { readable } from "./display/inspection-text";
import { AbortError, BackendError, FrameLabError, OptionError, withoutTodo } from "./errors";
import type { InspectedValue, Inspection } from "./inspection";
import { type CheckedOptions, checkInspectOptions, type InspectOptions } from "./options";
import { dtypeBytes } from "./pixel-arrays";
import { trimLeading } from "./plan/missing";
import { type Selection, selectFrames } from "./plan/selection";
import { deepFreeze } from "./result/report";
import { admit } from "./run/admission";
import { type CancelScope, openCancelScope } from "./run/cancel";
import { type Survey, surveyFrames } from "./run/survey";
import { openAcquisition } from "./source";
import type { Acquisition, DatasetFacts } from "./source/acquisition";
import { type FileContents, readContents } from "./source/file-contents";

const DETECTOR = "/entry/instrument/detector";
const NOT_COUNTED: Survey = { complete: null, firstGap: null, storedBytes: 0 };

/** Why an acquisition cannot be loaded as it is. */
type Obstacle = Pick<Inspection, "why" | "todo">;

/**
 * Reads the headers of an acquisition and says what is in it and whether it can be loaded; decodes nothing. What is
 * wrong with the files is part of the answer, not thrown: `ready` is false, `why` and `todo` say what to do.
 *
 * @param path an HDF5 master, a single-file acquisition, or one data file; also one that is still being written.
 * @returns plain frozen data, safe for `JSON.stringify`; printed, it is a readable summary.
 * @throws OptionError, AbortError, BackendError.
 * @example
 * const about = await inspect("demo/demo_master.h5");
 * about.ready; // true
 * about.frames; // { planned: 256, found: 256, complete: 256 }
 * about.values["/entry/instrument/detector/description"]; // { value: "…", units: null }
 */
export async function inspect(path: string, options: InspectOptions = {}): Promise<Inspection> {
  const checked = checkInspectOptions(path, options);
  const cancel = openCancelScope(checked.signal);
  try {
    return await look(resolve(path), checked, cancel);
  } finally {
    cancel.dispose();
  }
}

async function look(path: string, options: CheckedOptions, cancel: CancelScope): Promise<Inspection> {
  const { dataset, threshold, signal } = options;
  const opened = await attempt(() => openAcquisition(path, { dataset, threshold, signal }));
  cancel.check();
  const contents = await attempt(() => readContents(path, { signal }));
  const file: FileContents = "ok" in contents ? contents.ok : { bytes: 0, values: [] };
  cancel.check();
  if (!("ok" in opened)) return describe(path, null, NOT_COUNTED, file, opened);
  const acquisition = opened.ok;
  const counted = await attempt(() => surveyFrames(acquisition, cancel));
  const survey = "ok" in counted ? counted.ok : NOT_COUNTED;
  const obstacle = "ok" in counted ? await obstacleOf(acquisition, options, survey) : counted;
  return describe(path, acquisition, survey, file, obstacle);
}

/** Faults of the files become answers; faults of the call or of the machine stay errors. */
async function attempt<T>(work: () => T | Promise<T>): Promise<{ readonly ok: T } | Obstacle> {
  try {
    return { ok: await work() };
  } catch (error) {
    if (!(error instanceof FrameLabError)) throw error;
    if (error instanceof OptionError || error instanceof AbortError || error instanceof BackendError) {
      throw error;
    }
    return { why: withoutTodo(error), todo: error.todo ?? null };
  }
}

/** What would stop a plain load, in the order in which it would. */
async function obstacleOf(
  acquisition: Acquisition,
  options: CheckedOptions,
  { complete, firstGap }: Survey,
): Promise<Obstacle | null> {
  const selected = await attempt(() => selectFrames(acquisition, options));
  if (!("ok" in selected)) return selected;
  if (firstGap !== null) {
    const { planned, found } = acquisition;
    const whole = complete === null ? "" : ` and ${complete} written completely`;
    const at = acquisition.segments.find(({ firstFrame, frames }) => firstGap < firstFrame + frames);
    const why = at?.problem == null ? ": it was never written." : ` (${at.problem.replace(/\.$/, "")}).`;
    return {
      why: `${planned} frames were planned, ${found} are found${whole}; the first that is missing is frame ${firstGap}${why}`,
      todo: aroundGap(selected.ok.leading, firstGap),
    };
  }
  const memory = inMemory(acquisition);
  const admitted = await attempt(() => admit(acquisition.path, { frames: memory }, undefined));
  return "ok" in admitted ? null : admitted;
}

/** What the options about missing frames would load of these leading axes with a first gap there. */
function aroundGap(leading: Selection["leading"], gap: number): string {
  const [rows, cols] = trimLeading(leading, gap);
  const before = rows * (cols ?? 1);
  if (before === 0) return 'onMissing: "fill" loads all of them with gaps marked.';
  const whole = before === gap ? "" : `, complete rows of the scan (scanShape: null for all ${gap})`;
  return `onMissing: "trim" loads the ${before} frame${before === 1 ? "" : "s"} before it${whole}; "fill" all of them with gaps marked.`;
}

function describe(
  path: string,
  acquisition: Acquisition | null,
  survey: Survey,
  { bytes, values }: FileContents,
  obstacle: Obstacle | null,
): Inspection {
  const facts = acquisition?.segments.find((segment) => segment.facts)?.facts ?? null;
  const byPath: Record<string, InspectedValue> = {};
  for (const { path: at, value, units } of values) byPath[at] = { value, units };
  return readable(
    deepFreeze({
      path,
      ready: obstacle === null,
      why: obstacle?.why ?? null,
      todo: obstacle?.todo ?? null,
      kind: acquisition?.kind ?? null,
      frames: acquisition && {
        planned: acquisition.planned,
        found: acquisition.found,
        complete: survey.complete,
      },
      scan: acquisition?.scan ?? null,
      detector: detectorOf(acquisition, byPath),
      dtype: facts?.dtype ?? null,
      byteOrder: facts && (facts.littleEndian ? "little" : "big"),
      filters: facts?.filters ?? [],
      layout: facts && layoutOf(facts),
      thresholds: acquisition?.thresholds ?? null,
      files: (acquisition?.segments ?? []).map(({ file, dataset, firstFrame, frames, problem }) => {
        return { file, dataset, firstFrame, frames, problem };
      }),
      bytes: {
        onDisk: bytesOnDisk(path, bytes, acquisition),
        stored: survey.complete === null ? null : survey.storedBytes,
        inMemory: acquisition && inMemory(acquisition),
      },
      values: byPath,
      notes: acquisition?.notes ?? [],
    } satisfies Inspection),
  );
}

function detectorOf(
  acquisition: Acquisition | null,
  values: Readonly<Record<string, InspectedValue>>,
): Inspection["detector"] {
  const name = values[`${DETECTOR}/description`]?.value;
  const dwell = ["frame_time", "count_time"].map((each) => values[`${DETECTOR}/${each}`]?.value);
  const mask = acquisition?.pixelMask;
  return {
    name: typeof name === "string" ? name : null,
    shape: acquisition?.detector ?? null,
    dwellSeconds: dwell.find((value): value is number => typeof value === "number") ?? null,
    flaggedPixels: mask ? mask.data.reduce((count, flag) => count + (flag === 0 ? 0 : 1), 0) : null,
  };
}

function layoutOf({ layout }: DatasetFacts): Inspection["layout"] {
  return layout.kind === "chunked"
    ? { storage: "chunked", chunkShape: layout.chunkShape, index: layout.index.kind }
    : { storage: layout.kind, chunkShape: null, index: null };
}

function inMemory({ segments, detector, dtype }: Acquisition): number {
  const frames = segments.reduce((count, segment) => count + segment.frames, 0);
  return frames * detector[0] * detector[1] * dtypeBytes(dtype);
}

/** Bytes of every file once, the one at `path` included. */
function bytesOnDisk(path: string, own: number, acquisition: Acquisition | null): number {
  const sizes = new Map([[path, own]]);
  for (const { facts } of acquisition?.segments ?? []) {
    if (facts !== null) sizes.set(facts.file, facts.fileBytes);
  }
  return [...sizes.values()].reduce((total, bytes) => total + bytes, 0);
}
