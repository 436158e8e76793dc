// Owns: the way from a path to an `Acquisition`: checks, links, facts, segments, and the errors on that way.
// Must not know: selections, decoders, notebooks.
import path from "node:path";
import { DatasetNotFoundError, MissingFileError, OptionError, UnsupportedLayoutError } from "../errors";
import type { Note } from "../types";
import type { Acquisition, DatasetFacts } from "./acquisition";
import { masterOf } from "./contents";
import { findFrameSources, readMasterFacts } from "./master";
import { pixelMaskOf } from "./pixel-mask";
import { plannedFrames, scanOf } from "./planned";
import { checkFile } from "./preflight";
import { layOut, orderParts } from "./segments";
import { type OpenedPart, openPart } from "./stack";

export { readChunkTable } from "./hdf5/chunk-table";

export interface OpenOptions {
  /** Path of a dataset [frames, rows, cols], or of a group of data_NNNNNN; default: /entry/data. */
  readonly dataset?: string;
  /** Stops between two files with an AbortError. */
  readonly signal?: AbortSignal;
  /** Time that HDF5 may spend on the metadata of one file, in milliseconds; default 20,000. */
  readonly deadlineMs?: number;
}

/**
 * Finds out everything about an acquisition except its chunks: a master and its data files, a file that holds its own
 * frames, or a data file alone. Opens every file once, one at a time, and reads no frame.
 *
 * Data files that are absent or unreadable are segments without facts, as long as one of them can be read. Frames
 * planned beyond the last data file are a last segment with an empty file name.
 *
 * @throws MissingFileError, NotHdf5Error: the path, or all data files that it names, cannot be opened;
 * DatasetNotFoundError: no stack of frames, or one of 0 frames; UnsupportedLayoutError: a layout, datatype or shape that
 * cannot be read, data files that differ, a pixel mask of another shape, metadata that HDF5 cannot read in time and
 * memory; AbortError; BackendError: the metadata worker cannot start, or the system fails while reading.
 *
 * @example
 * const acquisition = await openAcquisition("scan_master.h5", {});
 * acquisition.detector; // [192, 192]
 */
export async function openAcquisition(file: string, options: OpenOptions = {}): Promise<Acquisition> {
  checkOptions(file, options);
  const opened = checkFile(file);
  const sources = await findFrameSources(opened, options.dataset, options);
  const master = await readMasterFacts(opened, options);
  const opening: OpenedPart[] = [];
  for (const node of sources.nodes) opening.push(await openPart(sources.file, node, options));
  const planned = plannedFrames(master.nimages, master.ntrigger);
  const first = requireReadable(opened.path, opening, planned.frames);
  requireAgreement(opening);
  const laidOut = layOut(orderParts(opening), planned.frames);
  if (laidOut.found === 0) throw noFrames(first);
  const detector = [first.shape[1]!, first.shape[2]!] as const;
  const onStack = { at: first.dataset, value: opening.find((part) => part.scanShape)?.scanShape };
  const nimages = master.scanShapeUnread ? null : master.nimages;
  const scan = scanOf([onStack, ...master.scanShapes], planned.frames, nimages);
  const mask = pixelMaskOf(opened.path, master.pixelMasks, detector);
  const kind = await kindOf(opened.path, opening, planned.frames, options);
  return {
    path: opened.path,
    kind: kind.kind,
    detector,
    dtype: first.dtype,
    segments: laidOut.segments,
    planned: laidOut.planned,
    found: laidOut.found,
    scan: scan.scan,
    pixelMask: mask.mask,
    notes: [...kind.notes, ...master.notes, ...planned.notes, ...laidOut.notes, ...scan.notes, ...mask.notes],
  };
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
 * how many frames are lost with its files.
 */
function requireReadable(file: string, parts: readonly OpenedPart[], planned: number | null): DatasetFacts {
  const readable = parts.find((part) => part.facts !== null)?.facts;
  if (readable) return readable;
  const error = parts[0]?.error;
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

/** All parts must be of one detector and one dtype; byte order, chunks and filters may differ. */
function requireAgreement(parts: readonly OpenedPart[]): void {
  const facts = parts.flatMap((part) => (part.facts === null ? [] : [part.facts]));
  const [first, ...others] = facts;
  if (first === undefined) return;
  const describe = ({ shape, dtype }: DatasetFacts): string => `${dtype} [${shape[1]}, ${shape[2]}]`;
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

async function kindOf(
  file: string,
  parts: readonly OpenedPart[],
  planned: number | null,
  options: OpenOptions,
): Promise<{ kind: Acquisition["kind"]; notes: readonly Note[] }> {
  if (parts.some((part) => part.file !== file)) return { kind: "master", notes: [] };
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
