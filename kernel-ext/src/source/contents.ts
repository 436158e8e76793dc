// Owns: the words for a file without the frames that were asked for: what it holds, and the master beside it.
// Must not know: how frames are read.
import fs from "node:fs";
import path from "node:path";
import { DatasetNotFoundError } from "../errors";
import { type AskOptions, askFile } from "./metadata/client";
import type { ListedDataset } from "./metadata/protocol";
import type { CheckedFile } from "./preflight";

/** Datasets that an error message lists. */
const MAX_LISTED = 20;
/** Masters of one folder that are asked whether they name a data file. */
const MAX_MASTERS = 16;
const GROUP = "/entry/data";

/** An error that says what was looked for, lists the 3-D datasets seen and, for a sidecar, points to the master. */
export async function notFound(
  file: CheckedFile,
  summary: string,
  options: AskOptions,
): Promise<DatasetNotFoundError> {
  const [answer] = await askFile(file.path, [{ ask: "contents", limit: 1000 }], options);
  const listed = "ok" in answer ? answer.ok : [];
  const stacks = listed.filter((entry) => entry.shape === null || entry.shape.length >= 3);
  const seen = stacks.slice(0, MAX_LISTED).map(describe).join("; ");
  const more = stacks.length > MAX_LISTED ? `; and ${stacks.length - MAX_LISTED} more` : "";
  const master = stacks.length === 0 ? masterByName(file.path) : null;
  const todo =
    master !== null
      ? `It lies beside ${path.basename(master)} and looks like its sidecar: open ${master}.`
      : stacks.length === 0
        ? "It holds no dataset with three axes."
        : `Name one with the option dataset. Datasets with three axes or more: ${seen}${more}.`;
  return new DatasetNotFoundError(summary, {
    place: file.path,
    expected: "a dataset [frames, rows, cols]",
    got: stacks.length === 0 ? "no dataset with three axes" : `${seen}${more}`,
    todo,
  });
}

function describe({ path: at, shape, holds }: ListedDataset): string {
  return shape === null ? `${at} (a link to ${holds})` : `${at} [${shape.join(", ")}] ${holds}`;
}

/** The master that a data file or sidecar belongs to by its name, or the only master of the folder; else null. */
export function masterByName(file: string): string | null {
  const folder = path.dirname(file);
  const stem = path.basename(file).replace(/\.[^.]*$/, "");
  const named = [stem.replace(/_data_\d+$/, ""), stem].map((prefix) =>
    path.join(folder, `${prefix}_master.h5`),
  );
  const byName = named.find((candidate) => candidate !== file && fs.existsSync(candidate));
  if (byName !== undefined) return byName;
  const masters = mastersIn(folder, file);
  return masters.length === 1 ? masters[0]! : null;
}

/** The master whose links name this data file, or null. */
export async function masterOf(file: string, options: AskOptions): Promise<string | null> {
  const name = fileName(file);
  const byName = masterByName(file);
  const others = mastersIn(path.dirname(file), file).filter((master) => master !== byName);
  for (const master of byName === null ? others : [byName, ...others]) {
    if (await links(master, name, options)) return master;
  }
  return null;
}

async function links(master: string, name: string, options: AskOptions): Promise<boolean> {
  try {
    const [names] = await askFile(master, [{ ask: "names", path: GROUP, pattern: /^data/ }], options);
    const paths = "ok" in names ? names.ok.map((member) => `${GROUP}/${member}`) : [];
    const answers = await askFile(
      master,
      paths.map((at) => ({ ask: "object", path: at }) as const),
      options,
    );
    return answers.some(
      (answer) => "ok" in answer && answer.ok.kind === "external" && fileName(answer.ok.file) === name,
    );
  } catch (error) {
    // A neighbour that cannot be read says nothing about this file.
    if (options.signal?.aborted) throw error;
    return false;
  }
}

function mastersIn(folder: string, except: string): string[] {
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => /master[^/]*\.(h5|hdf5|nxs)$/i.test(name))
      .map((name) => path.join(folder, name))
      .filter((candidate) => candidate !== except)
      .sort()
      .slice(0, MAX_MASTERS);
  } catch {
    // A folder that may be entered but not listed: nothing is known about neighbours.
    return [];
  }
}

/** Last part of a path of this or another system, comparable across Unicode forms. */
function fileName(named: string): string {
  return (named.split(/[\\/]/).at(-1) ?? named).normalize("NFC");
}
