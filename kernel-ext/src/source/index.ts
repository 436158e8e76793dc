// Owns: the way from a path to an `Acquisition`: checks, links, facts, segments, and the errors on that way.
// Must not know: selections, decoders, notebooks.
import path from "node:path";
import {
  DatasetNotFoundError,
  MissingFileError,
  OptionError,
  UnsupportedLayoutError,
  withoutTodo,
} from "../errors";
import type { Note } from "../types";
import type { Acquisition, DatasetFacts } from "./acquisition";
import { openAhead } from "./ahead";
import { masterOf, notFound } from "./contents";
import { lostFileNotes } from "./lost-files";
import {
  type FrameSources,
  findFrameSources,
  type MasterFacts,
  readChannelMask,
  readMasterFacts,
} from "./master";
import type { AskOptions } from "./metadata/client";
import { pixelMaskOf } from "./pixel-mask";
import { plannedFrames, scanOf } from "./planned";
import { type CheckedFile, checkFile } from "./preflight";
import { layOut, orderParts } from "./segments";
import { type OpenedPart, openPart } from "./stack";
import { chooseThreshold } from "./thresholds";
import { openVirtual, type VirtualStack } from "./virtual";

export { readChunkTable } from "./hdf5/chunk-table";

export interface OpenOptions {
  /** Path of a dataset [frames, rows, cols], or of a group of data_NNNNNN; default: /entry/data. */
  readonly dataset?: string | undefined;
  /** Which threshold of an acquisition with an axis of them: a number from 1 on, or its name; default the first. */
  readonly threshold?: number | string | undefined;
  /** Called with the facts of each dataset as soon as they are known, in the order of its frames. */
  readonly opened?: ((facts: DatasetFacts) => void) | undefined;
  /** Stops between two files with an AbortError. */
  readonly signal?: AbortSignal | undefined;
  /** Time that HDF5 may spend on the metadata of one file, in milliseconds; default 20,000. */
  readonly deadlineMs?: number;
}

/**
 * Finds out everything about an acquisition except its chunks: a master and its data files, a file that holds its own
 * frames, or a data file alone. Opens every file once and reads no frame.
 *
 * A virtual dataset is opened source by source; where it, or a data file, is [images, thresholds, rows, cols], one
 * threshold is taken.
 *
 * Data files that are absent or unreadable are segments without facts, as long as one of them can be read. Frames
 * planned beyond the last data file are a last segment with an empty file name.
 *
 * @throws MissingFileError, NotHdf5Error: the path, or all data files that it names, cannot be opened;
 * DatasetNotFoundError: no stack of frames, or one of 0 frames; UnsupportedLayoutError: a layout, datatype or shape that
 * cannot be read, data files that differ, virtual mappings that are no whole frames in order, a pixel mask of another shape, metadata that HDF5 cannot read in time and
 * memory; OptionError: no such threshold; AbortError; BackendError: the metadata worker cannot start, or the system fails while reading.
 *
 * @example
 * const acquisition = await openAcquisition("scan_master.h5", {});
 * acquisition.detector; // [192, 192]
 */
export async function openAcquisition(file: string, options: OpenOptions = {}): Promise<Acquisition> {
  checkOptions(file, options);
  const opened = checkFile(file);
  // Both at once: the master is read while the names of its data files are on their way.
  const finding = findFrameSources(opened, options.dataset, options);
  const reading = readMasterFacts(opened, options);
  // Where both fail, the error of the first is the one to tell.
  reading.catch(() => {});
  const sources = await finding;
  const master = await reading;
  const stack = await openStack(opened.path, sources, master, options);
  const opening = stack.parts;
  const planned = plannedFrames(master.nimages, master.ntrigger);
  const first = await requireReadable(opened.path, opening, planned.frames, options);
  const laidOut = layOut(orderParts(opening), planned.frames);
  if (laidOut.found === 0) throw noFrames(first);
  const detector = [first.shape.at(-2)!, first.shape.at(-1)!] as const;
  const onStack = { at: first.dataset, value: opening.find((part) => part.scanShape)?.scanShape };
  const nimages = master.scanShapeUnread ? null : master.nimages;
  const scan = scanOf([onStack, ...master.scanShapes], planned.frames, nimages);
  const channel = stack.thresholds?.names?.[stack.thresholds.chosen - 1];
  const own = channel === undefined ? [] : [await readChannelMask(opened, channel, options)];
  const mask = pixelMaskOf(opened.path, [...own, ...master.pixelMasks], detector);
  const kind = await kindOf(opened.path, opening, planned.frames, options);
  return {
    path: opened.path,
    kind: kind.kind,
    detector,
    dtype: first.dtype,
    segments: laidOut.segments,
    planned: laidOut.planned,
    found: laidOut.found,
    thresholds: stack.thresholds,
    fill: stack.fill ?? first,
    scan: scan.scan,
    pixelMask: mask.mask,
    notes: [
      ...writerNotes(opened, opening),
      ...kind.notes,
      ...master.notes,
      ...stack.notes,
      ...planned.notes,
      ...laidOut.notes,
      ...lostFileNotes(opening),
      ...scan.notes,
      ...mask.notes,
    ],
  };
}

/** Opens every part, in order; the metadata worker has the next files while the facts of one are read here. */
async function openParts({ file, nodes }: FrameSources, options: OpenOptions): Promise<OpenedPart[]> {
  const parts: OpenedPart[] = [];
  for await (const part of openAhead(nodes, options, (node, own) => openPart(file, node, own)))
    parts.push(part);
  return parts;
}

interface Stack extends VirtualStack {
  readonly thresholds: Acquisition["thresholds"];
}

/** Opens the parts: the sources of the one virtual dataset, or every dataset that was found; one threshold of each. */
async function openStack(
  file: string,
  sources: FrameSources,
  master: MasterFacts,
  options: OpenOptions,
): Promise<Stack> {
  const parts = await openParts(sources, options);
  let chosen: Pick<Stack, "thresholds" | "notes"> = { thresholds: null, notes: [] };
  const choose = (count: number | null): number => {
    chosen = chooseThreshold(file, count, master.channels, options.threshold);
    return (chosen.thresholds?.chosen ?? 1) - 1;
  };
  const virtual = parts.length === 1 ? (parts[0]?.virtual ?? null) : null;
  if (virtual !== null) {
    const stack = await openVirtual(virtual, choose, options);
    requireAgreement(stack.parts, -2);
    return { ...stack, ...chosen, notes: [...stack.notes, ...chosen.notes] };
  }
  requireAgreement(parts, 1);
  const shape = parts.find((part) => part.facts)?.facts?.shape;
  if (shape === undefined) return { parts, fill: null, ...chosen };
  const start = choose(shape.length === 4 ? shape[1]! : null);
  return { parts: parts.map((part) => ({ ...part, start })), fill: null, ...chosen };
}

function checkOptions(file: unknown, { dataset }: OpenOptions): void {
  if (typeof file !== "string" || file === "") {
    throw new OptionError(`The path is ${JSON.stringify(file)}, not the name of a file.`, {
      place: "path",
      expected: "a non-empty string",
      got: String(file),
      todo: "Give the path of a *_master.h5 file.",
    });
  }
  if (dataset !== undefined && (typeof dataset !== "string" || dataset === "" || dataset.includes("\0"))) {
    throw new OptionError(`The option dataset is ${JSON.stringify(dataset)}, not a path inside the file.`, {
      place: "dataset",
      expected: 'a path such as "/entry/data/data"',
      got: String(dataset),
      todo: "Leave it out to use /entry/data.",
    });
  }
}

/**
 * Facts of the first part that can be read. Where there is none, the first part's own error says why, and a master also
 * how many frames are lost with its files. Where no stack is where it should be, those that the file has are listed.
 */
async function requireReadable(
  file: string,
  parts: readonly OpenedPart[],
  planned: number | null,
  options: AskOptions,
): Promise<DatasetFacts> {
  const readable = parts.find((part) => part.facts !== null)?.facts;
  if (readable) return readable;
  const error = parts[0]?.error;
  if (error instanceof DatasetNotFoundError && parts[0]?.file) {
    throw await notFound(checkFile(parts[0].file), withoutTodo(error), options);
  }
  if (!(error instanceof MissingFileError)) {
    throw error ?? new DatasetNotFoundError(`${file} names no data files.`, { place: file });
  }
  const none = parts.length === 1 ? "The one data file" : `None of the ${parts.length} data files`;
  const frames = planned === null ? "" : `, ${planned} frames were planned and 0 are found`;
  throw new MissingFileError(
    `${none} that ${file} names ${parts.length === 1 ? "is not there" : "is there"}${frames}. ${error.message}`,
    { place: error.place ?? file, expected: error.expected ?? "", got: error.got ?? "", cause: error },
  );
}

/** All parts must agree in dtype and in their axes from `axis` on; byte order, chunks and filters may differ. */
function requireAgreement(parts: readonly OpenedPart[], axis: number): void {
  const facts = parts.flatMap((part) => (part.facts === null ? [] : [part.facts]));
  const [first, ...others] = facts;
  if (first === undefined) return;
  const describe = ({ shape, dtype }: DatasetFacts): string => `${dtype} [${shape.slice(axis).join(", ")}]`;
  const odd = others.find((other) => describe(other) !== describe(first));
  if (odd === undefined) return;
  throw new UnsupportedLayoutError(
    `The data files do not belong together: ${first.file} holds frames of ${describe(first)}, ${odd.file} of ${describe(odd)}.`,
    {
      place: odd.file,
      expected: describe(first),
      got: describe(odd),
      todo: "Check which of them belongs to this acquisition.",
    },
  );
}

function noFrames({ file, dataset, shape }: DatasetFacts): DatasetNotFoundError {
  return new DatasetNotFoundError(`${dataset} of ${file} is [${shape.join(", ")}]: it holds no frames.`, {
    place: `${file}, ${dataset}`,
    expected: "at least one frame",
    got: "0 frames",
    todo: "The acquisition was stopped before its first frame, or the file is still being written.",
  });
}

/** Frames that are written later are not in what was found. */
function writerNotes(opened: CheckedFile, parts: readonly OpenedPart[]): Note[] {
  const written = parts.filter((part) => part.isBeingWritten).map((part) => part.file);
  const files = new Set(opened.isBeingWritten ? [opened.path, ...written] : written);
  const [first] = files;
  if (first === undefined) return [];
  const others = files.size > 1 ? ` and ${files.size - 1} other files are` : " is";
  const text = `${first}${others} still open for writing, or the writer ended early: frames that come later are not seen.`;
  return [{ code: "being-written", text }];
}

async function kindOf(
  file: string,
  parts: readonly OpenedPart[],
  planned: number | null,
  options: OpenOptions,
): Promise<{ kind: Acquisition["kind"]; notes: readonly Note[] }> {
  if (parts.some((part) => part.file !== "" && part.file !== file)) return { kind: "master", notes: [] };
  if (planned !== null) return { kind: "single-file", notes: [] };
  const master = await masterOf(file, options);
  const isDataFile = master !== null || parts.some((part) => part.firstImage !== null);
  if (!isDataFile) return { kind: "single-file", notes: [] };
  const beside =
    master === null
      ? "no master that names it lies beside it"
      : `its master ${path.basename(master)} lies beside it and knows the planned frames, the scan shape and the pixel mask`;
  const text = `${path.basename(file)} is one data file of an acquisition: ${beside}.`;
  return { kind: "data-file", notes: [{ code: "data-file-alone", text }] };
}
