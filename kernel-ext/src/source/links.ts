// Owns: where the target of a link into another file may lie on disk, and following such links to their end.
// Must not know: masters, frames, what the target is used for. Never looks in the working directory.
import fs from "node:fs";
import path from "node:path";
import { type FrameLabError, MissingFileError } from "../errors";
import { type AskOptions, askFile, unreadable } from "./metadata/client";
import type { AnswerTo, Node } from "./metadata/protocol";
import { type CheckedFile, checkFile } from "./preflight";

const NO_SUCH_FILE = "no such file";
/** External links followed for one object. */
export const MAX_EXTERNAL_LINKS = 8;

/** Where a path ended after every link: the file and what is there. */
export interface Located {
  readonly file: CheckedFile;
  readonly node: Exclude<Node, { kind: "external" }>;
}

/**
 * Absolute paths at which the file that a link names may lie, best first: as the link says (relative names against the
 * folder of the linking file, then against the folder behind it where it is a symbolic link), then its bare name in
 * those folders (copied folders, absolute paths of the acquisition computer, Windows separators). Names are also tried
 * in both Unicode normal forms, because file systems differ in the one that they keep.
 */
export function candidatePaths(linkingFile: string, named: string): string[] {
  return [...new Set(candidates(linkingFile, named))];
}

/** The same one by one, some more than once: where the first is taken, the folder behind a link is not looked up. */
function* candidates(linkingFile: string, named: string): Generator<string> {
  const bareName = named.split(/[\\/]/).at(-1) ?? named;
  const names = [named, named.replaceAll("\\", "/"), bareName].filter((name) => name !== "");
  const forms = names.flatMap((name) => [name, name.normalize("NFC"), name.normalize("NFD")]);
  for (const form of new Set(forms)) {
    if (path.isAbsolute(form)) yield path.normalize(form);
    else if (!isForeignAbsolute(form)) {
      yield path.join(path.dirname(linkingFile), form);
      yield path.join(path.dirname(realPath(linkingFile)), form);
    }
  }
}

/** `D:\data\x.h5` or `\\server\share\x.h5`: absolute on Windows, never relative to a folder here. */
function isForeignAbsolute(name: string): boolean {
  return /^[A-Za-z]:[\\/]/.test(name) || name.startsWith("\\\\");
}

/** The path at which the file of a link lies, or undefined where it is at none of the candidate paths. */
export function linkedFile(linkingFile: string, named: string): string | undefined {
  for (const candidate of candidates(linkingFile, named)) if (fs.existsSync(candidate)) return candidate;
  return undefined;
}

/** True for the error of a link to a file that is nowhere; false where a file is there and cannot be used. */
export function isAbsence(error: FrameLabError): boolean {
  return error instanceof MissingFileError && error.got === NO_SUCH_FILE;
}

/**
 * The file that a link names, checked.
 *
 * @throws MissingFileError with every path tried when none of them exists; MissingFileError or NotHdf5Error when the
 * first that exists is no usable HDF5 file.
 */
export function resolveLinkedFile(linkingFile: string, named: string): CheckedFile {
  const found = linkedFile(linkingFile, named);
  if (found !== undefined) return checkFile(found);
  const tried = candidatePaths(linkingFile, named);
  throw new MissingFileError(
    `${linkingFile} links to ${named}, which does not exist (tried ${tried.join(", ")}).`,
    {
      place: named,
      expected: tried.join(", "),
      got: NO_SUCH_FILE,
      todo: `Put the file beside ${path.basename(linkingFile)}.`,
    },
  );
}

/**
 * Follows an object from file to file until it is in no other one.
 *
 * @throws MissingFileError and NotHdf5Error as `resolveLinkedFile`, and MissingFileError when links lead on for ever.
 */
export async function follow(
  file: CheckedFile,
  node: Node,
  attributes: readonly string[],
  options: AskOptions,
): Promise<Located> {
  let here = file;
  let found = node;
  for (let hops = 0; found.kind === "external"; hops++) {
    if (hops === MAX_EXTERNAL_LINKS) {
      throw new MissingFileError(
        `${file.path}: more than ${MAX_EXTERNAL_LINKS} links to other files in a row; the last is ${found.at} in ${here.path}.`,
        {
          place: found.at,
          expected: "a dataset",
          got: "a link",
          todo: "The files link to each other: copy them again.",
        },
      );
    }
    const target = found.target;
    here = resolveLinkedFile(here.path, found.file);
    const [answer] = await askFile(here.path, [{ ask: "object", path: target, attributes }], options);
    found = nodeOf(here.path, answer);
  }
  return { file: here, node: found };
}

/** @throws UnsupportedLayoutError when HDF5 could not describe the object. */
export function nodeOf(file: string, answer: AnswerTo<{ ask: "object"; path: string }>): Node {
  if ("ok" in answer) return answer.ok;
  throw unreadable(file, answer.failed);
}

function realPath(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return file;
  }
}
