// Owns: the small values of one file, for people: every single number or text by its path.
// Must not know: which of them mean anything.
import { type AskOptions, askFile, unreadable } from "./metadata/client";
import type { ListedValue } from "./metadata/protocol";

export type { ListedValue } from "./metadata/protocol";

/** Values that are listed: a detector's master has about a hundred. */
const MAX_VALUES = 2000;

/** @throws NotHdf5Error, UnsupportedLayoutError, AbortError, BackendError. */
export async function readValues(file: string, options: AskOptions): Promise<readonly ListedValue[]> {
  const [answer] = await askFile(file, [{ ask: "values", limit: MAX_VALUES }], options);
  if ("failed" in answer) throw unreadable(file, answer.failed);
  return answer.ok;
}
