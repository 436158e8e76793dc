// Owns: `framelab check`: its arguments, one notebook after the other, the JUnit file, its exit code.
// Must not know: how a notebook runs or is compared.
import { type CheckSettings, checkNotebook } from "./check/check-notebook";
import { expectationsPath } from "./check/expectations";
import { junitText } from "./check/junit";
import { userMask } from "./check/masks";
import { type Outcome, outcomeText, summaryText } from "./check/outcome";
import { type Command, type Console, EXIT, parseFlags, UsageError } from "./command";
import { prepareToWrite, writeAtOnce } from "./notebook/write-file";
import { realPath } from "./real-path";

const HELP = `Runs notebooks, each in a fresh kernel, and compares what they show with what they showed before. Needs no Python.

Usage: npx framelab check <notebook.ipynb> [more notebooks] [options]

A notebook that keeps its outputs is compared with them. A stripped one is compared with its expectations, a file beside
it: scan.ipynb has scan.expected.json. Compared are text, pictures by their pixels, and the values that
check("name", value) names in a cell; HTML is not. Times, rates, dates and folders are masked on both sides.
A cell that fails or does not run, and a rejection that nobody handles, fail a notebook. A cell that is meant to fail has
the tag raises-exception; its error is compared. Of a cell with the tag nbval-ignore-output only the values are.

  --update             write what is expected: the expectations file, or the outputs of a notebook that keeps them
  --expected <folder>  the folder of the expectations, there called scan.json
  --mask <regex>       mask what matches too; may be given more than once, --update stores it in the expectations
  --timeout <seconds>  the time that one notebook may take (300)
  --junit <file>       write the outcome as JUnit XML
  -h, --help           this text

Examples:
  npx framelab check scan.ipynb --update
  npx framelab check notebooks/*.ipynb --junit build/notebooks.xml
  npx framelab check scan.ipynb --mask 'run [0-9]+'

Exit codes:
  0    every notebook is as expected, or was updated
  1    a notebook differs, a cell failed or did not run, or nothing is expected of a notebook
  2    wrong usage, or a file that is no TypeScript notebook of format 4
  130  stopped by Ctrl-C; the kernel is stopped too`;

const FLAGS = {
  update: { type: "boolean" },
  expected: { type: "string" },
  mask: { type: "string", multiple: true },
  timeout: { type: "string" },
  junit: { type: "string" },
} as const;

/** The longest time limit that a timer holds, in seconds. */
const LONGEST = 2_000_000;

export const checkCommand: Command = {
  name: "check",
  summary: "run notebooks and compare them with what they showed before",
  help: HELP,
  run,
};

async function run(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = parseFlags(args, FLAGS);
  if (words.length === 0) throw new UsageError("check needs at least one notebook.");
  const settings: CheckSettings = {
    update: values.update === true,
    expected: values.expected as string | undefined,
    masks: checkedMasks((values.mask ?? []) as readonly string[]),
    timeoutMs: 1000 * seconds((values.timeout ?? "300") as string),
    signal: console.signal,
  };
  const paths = distinct(words, console);
  refuseSharedExpectations(paths, settings.expected);
  const junit = values.junit as string | undefined;
  // Before the notebooks run: minutes later is late to hear of it.
  if (junit !== undefined) tryJunit(junit, paths, settings.expected);
  const outcomes: Outcome[] = [];
  for (const path of paths) {
    const outcome = await checkNotebook(path, settings);
    outcomes.push(outcome);
    console.out(outcomeText(outcome, console.color));
  }
  if (outcomes.length > 1) console.out(summaryText(outcomes));
  if (junit !== undefined) junitWritten(junit, () => writeAtOnce(junit, junitText(outcomes)));
  return Math.max(...outcomes.map(exitCode));
}

function exitCode({ verdict }: Outcome): number {
  if (verdict === "unusable") return EXIT.unusable;
  return verdict === "differs" ? EXIT.found : EXIT.fine;
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value > 0 && value <= LONGEST) return value;
  throw new UsageError(
    `--timeout is ${JSON.stringify(text)}; allowed: seconds, more than 0, at most ${LONGEST}.`,
  );
}

function checkedMasks(masks: readonly string[]): readonly string[] {
  for (const text of masks) {
    const mask = userMask(text);
    if (typeof mask === "string")
      throw new UsageError(`--mask ${JSON.stringify(text)} cannot be used: ${mask}.`);
  }
  return masks;
}

/** Each notebook once, however it is written. */
function distinct(words: readonly string[], console: Console): string[] {
  const seen = new Set<string>();
  return words.filter((path) => {
    const real = realPath(path);
    if (seen.has(real)) console.err(`${path} was given twice and runs once.`);
    return !seen.has(real) && seen.add(real);
  });
}

/** Two notebooks of one name would share a file in one folder of expectations, as would a.ipynb and a.IPYNB. */
function refuseSharedExpectations(paths: readonly string[], folder: string | undefined): void {
  const files = paths.map((path) => expectationsPath(path, folder));
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  if (twice === undefined) return;
  throw new UsageError(`Two notebooks would have their expectations in ${twice}; check them one by one.`);
}

/** What is checked would be lost where the outcome is written in its place. */
function tryJunit(path: string, notebooks: readonly string[], folder: string | undefined): void {
  const taken = notebooks.flatMap((notebook) => [notebook, expectationsPath(notebook, folder)]).map(realPath);
  if (taken.includes(realPath(path))) {
    throw new UsageError(`--junit ${path} is a file that is checked; give the outcome a name of its own.`);
  }
  junitWritten(path, () => prepareToWrite(path));
}

function junitWritten(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new UsageError(`--junit ${JSON.stringify(path)} cannot be written: ${(error as Error).message}.`);
  }
}
