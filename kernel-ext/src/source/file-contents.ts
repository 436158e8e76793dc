// Owns: what one file holds beside frames, for people: its size, and every single number or text by its path.
// Must not know: which of them mean anything.
import { type AskOptions, askFile, unreadable } from "./metadata/client";
import type { ListedValue } from "./metadata/protocol";
import { checkFile } from "./preflight";

/** Values that are listed: a detector's master has about a hundred. */
const MAX_VALUES = 2000;

export interface FileContents {
  readonly bytes: number;
  readonly values: readonly ListedValue[];
}

/** @throws MissingFileError, NotHdf5Error, UnsupportedLayoutError, AbortError, BackendError. */
export async function readContents(file: string, options: AskOptions): Promise<FileContents> {
  const { path, bytes } = checkFile(file);
  const [answer] = await askFile(path, [{ ask: "values", limit: MAX_VALUES }], options);
  if ("failed" in answer) throw unreadable(path, answer.failed);
  return { bytes, values: answer.ok };
}
