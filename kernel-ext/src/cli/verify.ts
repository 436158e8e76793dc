// Owns: `framelab verify`: its arguments, one verification after the other, its exit code.
// Must not know: how a verdict looks, how frames are decoded.
import { AbortError, FrameLabError } from "../errors";
import type { BackendName, LoadReport } from "../types";
import { verify } from "../verify";
import { type Command, type Console, EXIT, EXIT_HELP, parseFlags, UsageError } from "./command";
import { usageFault } from "./usage";
import { jsonText, type Verdict, verdictText } from "./verdict";

const HELP = `Decodes every frame of acquisitions and says which are damaged or missing. Keeps nothing in memory, changes no file.

Usage: npx framelab verify <file.h5> [more files] [options]

A file is a master (…_master.h5, its data files are found by themselves), a single-file acquisition, or one data file.

  --json            the full reports as one JSON list on standard output
  --backend <name>  the decoder: auto (default), cpu, metal or reference
  --dataset <path>  the dataset inside the files, where there are several
  --quiet           no progress line
  -h, --help        this text

Examples:
  npx framelab verify scan_master.h5
  npx framelab verify run1_master.h5 run2_master.h5 --json > reports.json

${EXIT_HELP}`;

const FLAGS = {
  json: { type: "boolean" },
  backend: { type: "string" },
  dataset: { type: "string" },
  quiet: { type: "boolean", short: "q" },
} as const;

export const verifyCommand: Command = {
  name: "verify",
  summary: "decode every frame and report damaged and missing ones",
  help: HELP,
  run,
};

async function run(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = parseFlags(args, FLAGS);
  if (words.length === 0) throw new UsageError("verify needs at least one file.");
  const verdicts: Verdict[] = [];
  for (const file of words) {
    const verdict = await verdictOf(file, console, {
      backend: (values.backend ?? "auto") as "auto" | BackendName,
      dataset: values.dataset as string | undefined,
      progress: values.quiet ? false : (event) => console.progress(event),
    });
    verdicts.push(verdict);
  }
  console.out(values.json ? jsonText(verdicts) : verdictText(verdicts, console.color));
  return Math.max(...verdicts.map(exitCode));
}

/** The verdict on one file. A cancel ends the command, any other error of ours is this file's alone. */
async function verdictOf(
  file: string,
  { signal }: Console,
  options: NonNullable<Parameters<typeof verify>[1]>,
): Promise<Verdict> {
  try {
    return { file, report: await verify(file, { ...options, signal }) };
  } catch (thrown) {
    const error = usageFault(thrown);
    if (error instanceof FrameLabError && !(error instanceof AbortError)) return { file, error };
    throw error;
  }
}

function exitCode(verdict: Verdict): number {
  if ("error" in verdict) return EXIT.unusable;
  return isWhole(verdict.report) ? EXIT.fine : EXIT.found;
}

function isWhole({ damaged, missing }: LoadReport): boolean {
  return damaged.length === 0 && missing.length === 0;
}
