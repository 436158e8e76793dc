// Owns: the rules that take from a text what changes from run to run: times, rates, dates, folders, stacks, colours.
// Must not know: cells, where a user's rules come from.
import { dirname } from "node:path";

/** What a rule finds is replaced. */
export interface Mask {
  readonly find: RegExp;
  readonly by: string;
}

/** Bounded: every figure behind a comma may begin a number, and a line may hold a whole array. */
const NUMBER = String.raw`(?<![\w.])\d[\d,]{0,30}(?:\.\d+)?(?:e[+-]?\d+)?`;

/** Neither behind a host's name nor inside of a relative path. */
const PATH_START = String.raw`(?:file://|(?<![\w.~<>:/\\-]))`;

/** In this order: a date must go before its hours are taken for a time of day. */
export const DEFAULT_MASKS: readonly Mask[] = [
  {
    find: /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g,
    by: "<date>",
  },
  {
    find: /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d\d? )?[A-Z][a-z]{2} (?:\d\d? )?\d{4}(?: \d\d:\d\d:\d\d)?(?: GMT(?:[+-]\d{4})?)?(?: \([^)]{0,99}\))?/g,
    by: "<date>",
  },
  { find: /\b\d{1,2}[/.]\d{1,2}[/.]\d{4}(?:, \d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?)?/g, by: "<date>" },
  { find: /\b\d{1,2}:\d\d:\d\d(?:\.\d+)?(?: ?[AP]M)?\b/g, by: "<clock>" },
  { find: new RegExp(String.raw`${NUMBER} ?(?:[kMGT]i?)?B/s(?!\w)`, "g"), by: "<rate>" },
  { find: new RegExp(String.raw`${NUMBER} ?(?:frames|patterns|it|items)/s(?!\w)`, "g"), by: "<rate>" },
  {
    find: new RegExp(
      String.raw`${NUMBER} ?(?:ns|[µμu]s|ms|s|sec|seconds?|min|minutes?|h|hours?)(?![\w/])(?: \d\d? ?(?:min|s)(?!\w))?`,
      "g",
    ),
    by: "<time>",
  },
  // A folder goes, the file's name stays: file:///a/b/c.h5, /a/b/c.h5, C:\a\b\c.h5 are all <path>/c.h5.
  { find: new RegExp(String.raw`${PATH_START}(?:/[^\s/:"'\x60<>|()]+)+/(?=[^\s/])`, "g"), by: "<path>/" },
  { find: /(?<!\w)[A-Za-z]:\\(?:[^\s\\/:"'`<>|]+\\)*/g, by: "<path>/" },
];

/** Node's excerpt of the source above an error: it is the cell's own text, and Node's versions write it differently. */
const EXCERPT = /^(?:evalmachine\.<anonymous>|.*\.[cm]?js):\d+\n.*\n *\^+\n\n?/gm;
/** Lines of a stack name this package's and the kernel's inner places. */
const STACK_LINE = /^\s+at .*(?:\)|:\d+)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals are what it removes
const ESCAPES = /\x1b\[[0-9;?]*[A-Za-z]/g;

/** A user's rule. @returns the mask, or why the text is none. */
export function userMask(text: string): Mask | string {
  try {
    const find = new RegExp(text, "gu");
    return find.test("") ? "it matches an empty text" : { find: new RegExp(text, "gu"), by: "<masked>" };
  } catch (error) {
    return (error as Error).message;
  }
}

/** Characters at which the general rule for folders stops. */
const UNUSUAL = /[\s"'`<>|()]/;

/**
 * Folders that are known by name, longest first, as masks: these may hold spaces, and count where they stand alone. What
 * lies inside of them loses its folders too, else a text would depend on where the notebook lies.
 */
export function folderMasks(folders: readonly string[]): Mask[] {
  const named = folders.flatMap((folder) => [folder, ...parents(folder).filter((one) => UNUSUAL.test(one))]);
  const whole = [...new Set(named)].filter((folder) => folder.length > 1);
  whole.sort((a, b) => b.length - a.length);
  return whole.map((folder) => {
    const literal = folder.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    const inner = String.raw`[/\\](?:[^\s/\\:"'\x60<>|()]+[/\\])*`;
    const end = String.raw`(?=$|[\s"'\x60),;:])`;
    return { find: new RegExp(`${PATH_START}${literal}(?:${inner}|${end})`, "g"), by: "<path>/" };
  });
}

function parents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...parents(parent)];
}

/** The text as lines, without stacks, colours, blanks at the end of lines and empty lines at the end. */
export function plainLines(text: string): string[] {
  const lines = text.replace(ESCAPES, "").replace(/\r\n?/g, "\n").replace(EXCERPT, "").split("\n");
  const kept = lines.filter((line) => !STACK_LINE.test(line)).map((line) => line.trimEnd());
  while (kept.at(-1) === "") kept.pop();
  return kept;
}

/** The same, masked. */
export function maskedLines(text: string, masks: readonly Mask[]): string[] {
  return plainLines(text).map((line) => masked(line, masks).trimEnd());
}

function masked(line: string, masks: readonly Mask[]): string {
  return masks.reduce((text, { find, by }) => text.replace(find, () => by), line);
}
