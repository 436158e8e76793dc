// Owns: opening a virtual dataset as a stack of frames: its mappings, each source opened by the rules of links.
// Must not know: masters, planned frames, how mappings are stored. Never lets HDF5 open a source.
import fs from "node:fs";
import { UnsupportedLayoutError } from "../errors";
import type { Dtype, Note } from "../types";
import type { Acquisition, DatasetFacts } from "./acquisition";
import { openAhead } from "./ahead";
import { exactIn, storedIn } from "./exact-values";
import { sourceRun, type TargetRun, targetRun } from "./frame-runs";
import type { AxisRun } from "./hdf5/selection";
import { readVirtualDataset, type VirtualDataset, type VirtualMapping } from "./hdf5/virtual-dataset";
import { type Located, linkedFile, nodeOf } from "./links";
import { type AskOptions, askFile } from "./metadata/client";
import type { Node } from "./metadata/protocol";
import { openAgain } from "./open-file";
import { type OpenedPart, openPart, requireStack, STACK_ATTRIBUTES } from "./stack";

/** Blocks that one unlimited mapping may stand for: each is a file. */
const MAX_BLOCKS = 100_000;
/** As for planned frames: more than any acquisition holds. */
const MAX_FRAMES = 2 ** 31;

export interface VirtualStack {
  /** In frame order, gaps included: frames without a source are parts without facts. */
  readonly parts: readonly OpenedPart[];
  readonly fill: Acquisition["fill"] | null;
  readonly notes: readonly Note[];
}

interface MappedRun {
  readonly mapping: VirtualMapping;
  readonly target: TargetRun;
}

/**
 * Opens every source of a virtual dataset [images, rows, cols] or [images, thresholds, rows, cols]; `choose` says which
 * of so many thresholds (null = no such axis) is wanted, counted from 0. Sources that are absent or hold fewer frames
 * than are mapped give missing frames. Frames keep the sources' dtype.
 *
 * @throws UnsupportedLayoutError: mappings that are no whole frames in order, that overlap, or whose type cannot hold
 * the values of its sources; and as `choose`.
 */
export async function openVirtual(
  { file, node }: Located,
  choose: (count: number | null) => number,
  options: AskOptions,
): Promise<VirtualStack> {
  if (node.kind !== "dataset") throw new TypeError("not a dataset");
  const place = `${node.path} of ${file.path}`;
  const dataset = readHeader(file, node.path, node.metadata.headerAddress);
  requireStack(file.path, node.path, dataset.shape);
  const { shape } = dataset;
  const threshold = choose(shape.length === 4 ? shape[1]! : null);
  for (const mapping of dataset.mappings) requireInside(place, mapping, shape);
  const runs = dataset.mappings
    .flatMap((mapping) => blocksOf(mapping, shape[0]!, file.path))
    .flatMap((mapping): MappedRun[] => {
      const target = targetRun(mapping.to, shape, threshold);
      if (typeof target === "string") throw refuse(place, mapping, target);
      return target === null ? [] : [{ mapping, target }];
    })
    .sort((a, b) => a.target.first - b.target.first);
  const parts: OpenedPart[] = [];
  let next = 0;
  const gap = (frames: number, problem: string, at: Pick<OpenedPart, "file" | "dataset" | "error">): void => {
    const { file, dataset, error } = at;
    if (frames > 0) parts.push({ ...ABSENT, file, dataset, error, frames, problem });
    next += frames;
  };
  const unmapped = { file: "", dataset: "", error: null };
  const sources = new Map<string, Promise<OpenedPart>>();
  const opened = openAhead(runs, options, async (run, own) => ({
    ...run,
    source: await openSource(sources, file, run.mapping, own),
  }));
  for await (const { mapping, target, source } of opened) {
    if (target.first < next) throw refuse(place, mapping, "frames that another mapping fills too");
    gap(target.first - next, "no source is mapped to them", unmapped);
    if (source.facts === null) {
      gap(target.frames ?? 0, source.problem ?? "it cannot be opened", source);
      continue;
    }
    const held = checkedRun(place, mapping, target, dataset, source.facts);
    if (held.frames > 0) parts.push({ ...source, ...held, firstImage: null, scanShape: undefined });
    next += held.frames;
    const lost = (target.frames ?? held.frames) - held.frames;
    gap(lost, `it holds ${held.frames} of the ${target.frames} frames mapped`, source);
  }
  gap(shape[0]! - next, "no source is mapped to them", unmapped);
  if (next > MAX_FRAMES) {
    throw new UnsupportedLayoutError(`${place} has ${next} frames.`, {
      place,
      expected: `at most ${MAX_FRAMES}`,
      got: `${next}`,
      todo: "The file is most likely damaged: copy it again from its source.",
    });
  }
  if (parts.length === 0) parts.push({ ...ABSENT, ...unmapped, frames: 0, problem: "it has no frames" });
  return { parts, ...asSources(place, dataset, parts) };
}

const ABSENT = {
  facts: null,
  start: 0,
  step: 1,
  firstImage: null,
  scanShape: undefined,
  isBeingWritten: false,
  virtual: null,
} as const;

function readHeader(file: Located["file"], path: string, address: number): VirtualDataset {
  const { fd } = openAgain(file.path);
  try {
    return readVirtualDataset(fd, file.bytes, address, `${file.path}: ${path}`);
  } finally {
    fs.closeSync(fd);
  }
}

/** As HDF5: only what has no limit of its own may reach beyond the stored extent. */
function requireInside(place: string, mapping: VirtualMapping, shape: readonly number[]): void {
  if (mapping.to.kind !== "runs") return;
  mapping.to.axes.forEach(({ start, stride, count, block }, axis) => {
    const extent = shape[axis] ?? 0;
    const end = count === null || block === null ? start : start + (count - 1) * stride + block;
    if (end > extent) throw refuse(place, mapping, `${end} places of axis ${axis}, which has ${extent}`);
  });
}

/**
 * The mappings that an unlimited one with `%b` in its names stands for: block b of the frames lies in the source whose
 * name has b in that place, up to the stored extent and beyond it as long as there are files. `%%` is a percent sign.
 */
function blocksOf(mapping: VirtualMapping, frames: number, from: string): VirtualMapping[] {
  const named = (name: string, block: string): string =>
    name.replace(/%[%b]/g, (code) => (code === "%%" ? "%" : block));
  const images = mapping.to.kind === "runs" ? mapping.to.axes[0] : undefined;
  const isNumbered = /%b/.test((mapping.file + mapping.dataset).replaceAll("%%", ""));
  if (mapping.to.kind !== "runs" || images?.count !== null || images.block === null || !isNumbered) {
    return [{ ...mapping, file: named(mapping.file, "%b"), dataset: named(mapping.dataset, "%b") }];
  }
  const { start, stride, block } = images;
  const others = mapping.to.axes.slice(1);
  const mappings: VirtualMapping[] = [];
  for (let b = 0; b < MAX_BLOCKS; b++) {
    const file = named(mapping.file, String(b));
    const first = start + b * stride;
    if (first >= frames && !(file !== mapping.file && linkedFile(from, file) !== undefined)) break;
    const run: AxisRun = { start: first, stride: 1, count: 1, block };
    const to = { kind: "runs", axes: [run, ...others] } as const;
    mappings.push({ file, dataset: named(mapping.dataset, String(b)), from: mapping.from, to });
  }
  return mappings;
}

/** Opens a source once, however many mappings draw on it. */
function openSource(
  opened: Map<string, Promise<OpenedPart>>,
  file: Located["file"],
  mapping: VirtualMapping,
  options: AskOptions,
): Promise<OpenedPart> {
  const key = `${mapping.file}\0${mapping.dataset}`;
  let part = opened.get(key);
  if (part === undefined) {
    part = sourceNode(file, mapping, options).then((node) => openPart(file, node, options));
    opened.set(key, part);
  }
  return part;
}

/** Where a mapping's source is to be looked for: behind a link to its file, or in the file of the virtual dataset. */
async function sourceNode(
  file: Located["file"],
  mapping: VirtualMapping,
  options: AskOptions,
): Promise<Node> {
  if (mapping.file !== ".") {
    return { kind: "external", at: mapping.dataset, file: mapping.file, target: mapping.dataset };
  }
  const query = { ask: "object", path: mapping.dataset, attributes: STACK_ATTRIBUTES } as const;
  const [answer] = await askFile(file.path, [query], options);
  return nodeOf(file.path, answer);
}

function checkedRun(
  place: string,
  mapping: VirtualMapping,
  target: TargetRun,
  { shape, dtype }: VirtualDataset,
  source: DatasetFacts,
): { start: number; step: number; frames: number } {
  const own = shape.slice(-2).join(", ");
  const its = source.shape.slice(-2).join(", ");
  if (own !== its) throw refuse(place, mapping, `frames of [${its}] as frames of [${own}]`);
  if (!exactIn(source.dtype, dtype)) {
    throw refuse(place, mapping, `values of type ${source.dtype}, which ${dtype} cannot hold exactly`);
  }
  const run = sourceRun(mapping.from, source.shape, target);
  if (typeof run === "string") throw refuse(place, mapping, run);
  return run;
}

function refuse(place: string, { file, dataset }: VirtualMapping, what: string): UnsupportedLayoutError {
  return new UnsupportedLayoutError(
    `The virtual dataset ${place} draws on ${dataset} of ${file} by ${what}: only whole frames in order are read.`,
    {
      place,
      expected: "whole frames in order",
      got: what,
      todo: "Open the files that it names.",
    },
  );
}

/** Fill value and notes in the dtype of the sources. */
function asSources(
  place: string,
  { dtype, fillValue, littleEndian }: VirtualDataset,
  parts: readonly OpenedPart[],
): Pick<VirtualStack, "fill" | "notes"> {
  const stored: Dtype | undefined = parts.find((part) => part.facts)?.facts?.dtype;
  if (stored === undefined) return { fill: null, notes: [] };
  const fill = storedIn(stored, dtype, fillValue, littleEndian);
  if (stored === dtype) return { fill, notes: [] };
  const text = `${place} is ${dtype} over files of ${stored}: frames are ${stored}, as stored, value for value.`;
  return { fill, notes: [{ code: "virtual-dtype", text }] };
}
