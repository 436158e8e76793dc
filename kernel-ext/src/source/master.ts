// Owns: which datasets of a file hold the frames, and what the file itself says about the acquisition.
// Must not know: how a dataset is read, which of the linked files exist.

import type { Note } from "../types";
import { notFound } from "./contents";
import { follow, nodeOf } from "./links";
import { type AskOptions, askFile, unreadable } from "./metadata/client";
import type { Attributes, Node } from "./metadata/protocol";
import { type GridAt, MAX_PIXEL_MASK_BYTES, PIXEL_MASK_PATHS } from "./pixel-mask";
import type { CheckedFile } from "./preflight";
import { byNumber } from "./segments";
import { STACK_ATTRIBUTES } from "./stack";
import { CHANNEL_GROUP, channelNames } from "./thresholds";

const DETECTOR = "/entry/instrument/detector";
const SPECIFIC = `${DETECTOR}/detectorSpecific`;
/** Names of the thresholds, in the order of their axis. */
const CHANNELS = "/entry/data/channel";
/** Groups with an attribute `scan_shape`, the nearest to the data first. */
const SCAN_SHAPE_GROUPS = ["/entry/data", "/entry/instrument/detector", "/entry", "/"] as const;
/** Groups that hold `data_NNNNNN`: today's place and that of the first EIGER firmware. */
const DATA_GROUPS = ["/entry/data", "/entry"] as const;
const SINGLE_DATASET = "/entry/data/data";
const DATA_NAME = /^data_\d+$/;

/** What a file says about the acquisition as a whole. */
export interface MasterFacts {
  readonly nimages: number | null;
  readonly ntrigger: number | null;
  readonly scanShapes: readonly { readonly at: string; readonly value: readonly number[] | undefined }[];
  /** An attribute `scan_shape` may be there and cannot be read: then no shape may be worked out instead. */
  readonly scanShapeUnread: boolean;
  readonly notes: readonly Note[];
  readonly pixelMasks: readonly GridAt[];
  /** Names of the thresholds as different places have them, the best first. */
  readonly channels: readonly (readonly string[] | null)[];
}

/** The datasets that hold the frames, in the order of their names, as seen from `file`. */
export interface FrameSources {
  readonly file: CheckedFile;
  readonly nodes: readonly Node[];
}

/** Planned frames, scan shape and pixel mask: everything that is read of a master beside its data. */
export async function readMasterFacts(file: CheckedFile, options: AskOptions): Promise<MasterFacts> {
  const scalar = (name: string) => ({ ask: "scalar", path: `${SPECIFIC}/${name}` }) as const;
  const grid = (path: string) => ({ ask: "grid", path, maxBytes: MAX_PIXEL_MASK_BYTES }) as const;
  const group = (path: string) => ({ ask: "object", path, attributes: ["scan_shape"] }) as const;
  const [nimages, ntrigger, firstMask, secondMask, axis, channels, ...groups] = await askFile(
    file.path,
    [
      scalar("nimages"),
      scalar("ntrigger"),
      grid(PIXEL_MASK_PATHS[0]),
      grid(PIXEL_MASK_PATHS[1]),
      { ask: "texts", path: CHANNELS },
      { ask: "names", path: DETECTOR, pattern: CHANNEL_GROUP },
      group(SCAN_SHAPE_GROUPS[0]),
      group(SCAN_SHAPE_GROUPS[1]),
      group(SCAN_SHAPE_GROUPS[2]),
      group(SCAN_SHAPE_GROUPS[3]),
    ],
    options,
  );
  const unread = [nimages, ntrigger, ...groups].flatMap((answer) =>
    "failed" in answer ? [answer.failed] : [],
  );
  const text = `Part of the metadata of ${file.path} cannot be read, so planned frames and scan shape may be unknown: ${unread.join("; ")}.`;
  return {
    // One of the two alone would be a wrong plan where the other exists and cannot be read.
    nimages: "ok" in nimages && "ok" in ntrigger ? nimages.ok : null,
    ntrigger: "ok" in nimages && "ok" in ntrigger ? ntrigger.ok : null,
    scanShapeUnread: groups.some((answer) => "failed" in answer),
    notes: unread.length === 0 ? [] : [{ code: "metadata-unread", text }],
    pixelMasks: [firstMask, secondMask].map((answer, i) => ({ path: PIXEL_MASK_PATHS[i]!, answer })),
    channels: ["ok" in axis ? axis.ok : null, "ok" in channels ? channelNames(channels.ok) : null],
    scanShapes: groups.map((answer, i) => {
      const at = SCAN_SHAPE_GROUPS[i]!;
      const attributes: Attributes = "ok" in answer && "attributes" in answer.ok ? answer.ok.attributes : {};
      return { at, value: attributes.scan_shape };
    }),
  };
}

/** The pixel mask that belongs to one threshold. */
export async function readChannelMask(
  file: CheckedFile,
  channel: string,
  options: AskOptions,
): Promise<GridAt> {
  const path = `${DETECTOR}/${channel}_channel/pixel_mask`;
  const [answer] = await askFile(file.path, [{ ask: "grid", path, maxBytes: MAX_PIXEL_MASK_BYTES }], options);
  return { path, answer };
}

/**
 * Finds the datasets with the frames: those that `dataset` names (one, or a group of data_NNNNNN), else data_NNNNNN of
 * /entry/data or /entry, else /entry/data/data.
 *
 * @throws DatasetNotFoundError with the 3-D datasets that were seen.
 */
export async function findFrameSources(
  file: CheckedFile,
  dataset: string | undefined,
  options: AskOptions,
): Promise<FrameSources> {
  if (dataset !== undefined) return namedSources(file, dataset, options);
  for (const group of DATA_GROUPS) {
    const sources = await membersOf(file, group, options);
    if (sources !== null && sources.nodes.length > 0) return sources;
  }
  const node = await nodeAt(file, SINGLE_DATASET, options);
  if (node.kind === "external" || node.kind === "dataset") return { file, nodes: [node] };
  throw await notFound(file, `${file.path} has no stack of frames at /entry/data.`, options);
}

async function namedSources(file: CheckedFile, dataset: string, options: AskOptions): Promise<FrameSources> {
  const node = await nodeAt(file, dataset, options);
  if (node.kind === "dataset") return { file, nodes: [node] };
  if (node.kind === "missing")
    throw await notFound(file, `${file.path} has no dataset ${dataset}: ${node.why}.`, options);
  const located = await follow(file, node, STACK_ATTRIBUTES, options);
  if (located.node.kind === "dataset") return { file, nodes: [node] };
  if (located.node.kind === "group") {
    const sources = await membersOf(located.file, located.node.path, options);
    if (sources !== null && sources.nodes.length > 0) return sources;
  }
  const summary = `${dataset} of ${file.path} is neither a dataset nor a group of data_NNNNNN.`;
  throw await notFound(located.file, summary, options);
}

/** Members data_NNNNNN of a group, which may lie in another file; null when there is no such group. */
async function membersOf(
  file: CheckedFile,
  group: string,
  options: AskOptions,
): Promise<FrameSources | null> {
  const [object, ownNames] = await askFile(
    file.path,
    [{ ask: "object", path: group }, namesOf(group)],
    options,
  );
  const node = nodeOf(file.path, object);
  if (node.kind !== "group" && node.kind !== "external") return null;
  const located = await follow(file, node, [], options);
  if (located.node.kind !== "group") return null;
  const inside = located.file;
  const { path } = located.node;
  const names = node.kind === "group" ? ownNames : (await askFile(inside.path, [namesOf(path)], options))[0];
  if ("failed" in names) throw unreadable(inside.path, names.failed);
  const members = [...names.ok].sort(byNumber).map((name) => `${path}/${name}`);
  const answers = await askFile(
    inside.path,
    members.map((at) => ({ ask: "object", path: at, attributes: STACK_ATTRIBUTES }) as const),
    options,
  );
  const nodes = answers.map((answer, i): Node => {
    return "ok" in answer ? answer.ok : { kind: "missing", at: members[i]!, why: answer.failed };
  });
  return { file: inside, nodes };
}

function namesOf(group: string) {
  return { ask: "names", path: group, pattern: DATA_NAME } as const;
}

async function nodeAt(file: CheckedFile, path: string, options: AskOptions): Promise<Node> {
  const [answer] = await askFile(file.path, [{ ask: "object", path, attributes: STACK_ATTRIBUTES }], options);
  return nodeOf(file.path, answer);
}
