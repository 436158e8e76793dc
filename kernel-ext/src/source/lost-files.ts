// Owns: the notes about data files that frames are missing with: those that are nowhere, and those that are there and cannot be used.
// Must not know: which frames they are. Pure functions.
import { type FrameLabError, LOST_FILE_NOTES, withoutTodo } from "../errors";
import type { Note } from "../types";
import { isAbsence } from "./links";

/** Files that are named with their cause; of absent ones the first is enough, they all lack the same. */
const NAMED = 3;

/** What is known of one part of an acquisition. */
interface LostPart {
  readonly file: string;
  readonly facts: object | null;
  readonly problem: string | null;
  readonly error: FrameLabError | null;
}

/** Notes about the parts that have no facts; none where every file that is named can be used. */
export function lostFileNotes(parts: readonly LostPart[]): Note[] {
  const causes = new Map<string, LostPart>();
  for (const part of parts) {
    if (part.facts === null && part.file !== "" && !causes.has(part.file)) causes.set(part.file, part);
  }
  const lost = [...causes.values()];
  const absent = lost.filter(({ error }) => error !== null && isAbsence(error));
  const unusable = lost.filter((part) => !absent.includes(part));
  return [
    ...notes(LOST_FILE_NOTES.absent, absent, 1, "absent"),
    ...notes(LOST_FILE_NOTES.unreadable, unusable, NAMED, "unreadable"),
  ];
}

function notes(code: string, lost: readonly LostPart[], named: number, state: string): Note[] {
  const rest = lost.length - named;
  return lost.slice(0, named).map((part, i) => {
    const isLast = i === named - 1 && rest > 0;
    const more = isLast ? ` ${rest} more data file${rest === 1 ? " is" : "s are"} ${state}.` : "";
    return { code, text: `${causeOf(part)}${more}` };
  });
}

function causeOf({ file, problem, error }: LostPart): string {
  return error === null ? `${file}: ${problem ?? "it cannot be used"}.` : withoutTodo(error);
}
