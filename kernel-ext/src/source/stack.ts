// Owns: opening one dataset as a stack of frames: its kind, shape and type are checked, its facts are read.
// Must not know: masters, the order of parts, planned frames.

import fs from "node:fs";
import { DatasetNotFoundError, FrameLabError, UnsupportedLayoutError } from "../errors";
import { dtypeBytes } from "../pixel-arrays";
import type { DatasetFacts } from "./acquisition";
import { readDatasetFacts } from "./hdf5/dataset-facts";
import { candidatePaths, follow, type Located, linkedFile } from "./links";
import type { AskOptions } from "./metadata/client";
import type { Node } from "./metadata/protocol";
import { openAgain } from "./open-file";
import type { CheckedFile } from "./preflight";
import type { Part } from "./segments";

/** Attributes of a dataset that say something about its place in the acquisition. */
export const STACK_ATTRIBUTES = ["image_nr_low", "scan_shape"] as const;

/** A part, its `scan_shape` attribute, and the error where it could not be opened. */
export interface OpenedPart extends Part {
  readonly scanShape: readonly number[] | undefined;
  /** A writer has its file open. */
  readonly isBeingWritten: boolean;
  /** Where it ended, for a virtual dataset: it has sources and no frames of its own. */
  readonly virtual: Located | null;
  readonly error: FrameLabError | null;
}

export interface OpenPartOptions extends AskOptions {
  /** Called with the facts as soon as they are known. */
  readonly opened?: ((facts: DatasetFacts) => void) | undefined;
}

/**
 * Opens what a link of `file` leads to. A part that is absent or unreadable is returned with its error; the caller
 * decides whether the acquisition can do without.
 */
export async function openPart(file: CheckedFile, node: Node, options: OpenPartOptions): Promise<OpenedPart> {
  let located: Located | null = null;
  try {
    located = await follow(file, node, STACK_ATTRIBUTES, options);
    const facts = stackFacts(located);
    options.opened?.(facts);
    const attributes = located.node.kind === "missing" ? {} : located.node.attributes;
    const firstImage = attributes.image_nr_low?.[0] ?? null;
    const scanShape = attributes.scan_shape;
    return {
      file: facts.file,
      dataset: facts.dataset,
      facts,
      frames: facts.shape[0]!,
      start: 0,
      step: facts.shape.length === 4 ? facts.shape[1]! : 1,
      problem: null,
      firstImage,
      scanShape,
      isBeingWritten: located.file.isBeingWritten,
      virtual: null,
      error: null,
    };
  } catch (error) {
    if (!(error instanceof FrameLabError) || options.signal?.aborted) throw error;
    const isVirtual = located?.node.kind === "dataset" && located.node.metadata.isVirtual;
    return {
      file: node.kind === "external" ? bestPath(file.path, node.file) : file.path,
      dataset: node.kind === "external" ? node.target : node.kind === "missing" ? node.at : node.path,
      facts: null,
      frames: null,
      start: 0,
      step: 1,
      problem: error.message,
      firstImage: null,
      scanShape: undefined,
      isBeingWritten: false,
      virtual: isVirtual ? located : null,
      error,
    };
  }
}

/** Where the file of a link lies, or the first place where it should. */
function bestPath(linkingFile: string, named: string): string {
  return linkedFile(linkingFile, named) ?? candidatePaths(linkingFile, named)[0] ?? linkingFile;
}

/**
 * The facts of a dataset [frames, rows, cols] or [images, thresholds, rows, cols].
 *
 * @throws DatasetNotFoundError when it is no dataset or has fewer axes; UnsupportedLayoutError for a virtual dataset,
 * more axes, an empty detector or an element type without a dtype, and for metadata that contradicts itself.
 */
export function stackFacts({ file, node }: Located): DatasetFacts {
  if (node.kind !== "dataset") {
    const why = node.kind === "missing" ? node.why : `${node.path} is a group`;
    throw new DatasetNotFoundError(`${file.path} has no such dataset: ${why}.`, {
      place: file.path,
      expected: "a dataset [frames, rows, cols]",
      got: why,
    });
  }
  const { path, metadata } = node;
  const { shape, dtype } = metadata;
  const refuse = (what: string, expected: string, todo: string): UnsupportedLayoutError =>
    new UnsupportedLayoutError(`${path} of ${file.path} ${what}.`, {
      place: `${file.path}, ${path}`,
      expected,
      got: what,
      todo,
    });
  if (metadata.isVirtual) {
    throw refuse(
      "is a virtual dataset",
      "a dataset that holds its own frames",
      "It is one of several, or the source of another one: open the files that it names.",
    );
  }
  requireStack(file.path, path, shape);
  if (dtype === null) {
    throw refuse(
      `holds elements of type ${metadata.typeName}`,
      "integers of 8 to 64 bits, f32 or f64",
      "Convert it first.",
    );
  }
  const pixels = shape.slice(1).reduce((product, extent) => product * extent, 1);
  const bytes = shape[0]! * pixels * dtypeBytes(dtype);
  if (pixels < 1 || !Number.isSafeInteger(bytes)) {
    throw refuse(
      `is [${shape.join(", ")}]`,
      "frames of at least one pixel",
      "The file is damaged or was never filled.",
    );
  }
  return readFacts(file, node, shape, dtype);
}

/** @throws DatasetNotFoundError below three axes, UnsupportedLayoutError above four. */
export function requireStack(
  file: string,
  dataset: string,
  shape: readonly number[] | null,
): asserts shape is readonly number[] {
  const axes = `[${(shape ?? []).join(", ")}]`;
  const facts = {
    place: `${file}, ${dataset}`,
    expected: "[frames, rows, cols] or [images, thresholds, rows, cols]",
    got: axes,
    todo: "Name a dataset with three or four axes with the option dataset.",
  };
  if (shape === null || shape.length < 3) {
    throw new DatasetNotFoundError(`${dataset} of ${file} is ${axes}, no stack of frames.`, facts);
  }
  if (shape.length > 4) {
    throw new UnsupportedLayoutError(`${dataset} of ${file} has ${shape.length} axes ${axes}.`, facts);
  }
}

function readFacts(
  file: CheckedFile,
  { path, metadata }: Extract<Node, { kind: "dataset" }>,
  shape: readonly number[],
  dtype: DatasetFacts["dtype"],
): DatasetFacts {
  const { fd } = openAgain(file.path);
  try {
    const { maxShape, littleEndian, filters, headerAddress } = metadata;
    const h5 = { file: file.path, dataset: path, shape, maxShape, dtype, littleEndian, filters };
    return readDatasetFacts(fd, file.bytes, headerAddress, h5);
  } finally {
    fs.closeSync(fd);
  }
}
