// Owns: `framelab inspect`: its arguments, one inspection after the other, its exit code.
// Must not know: how an inspection is made or worded.
import { inspectionText } from "../display/inspection-text";
import { inspect } from "../inspect";
import type { Inspection } from "../inspection";
import { type Command, type Console, EXIT, EXIT_HELP, parseFlags, UsageError } from "./command";
import { printable } from "./table";
import { usageFault } from "./usage";

const HELP = `Reads the headers of acquisitions and says what is in them and whether they can be loaded. Decodes no frame.

Usage: npx framelab inspect <file.h5> [more files] [options]

  --json            everything that was found, as one JSON list on standard output
  --dataset <path>  the dataset inside the files, where there are several
  -h, --help        this text

Examples:
  npx framelab inspect scan_master.h5
  npx framelab inspect scan_master.h5 --json

${EXIT_HELP}`;

const FLAGS = { json: { type: "boolean" }, dataset: { type: "string" } } as const;

export const inspectCommand: Command = {
  name: "inspect",
  summary: "say what is in an acquisition and whether it can be loaded",
  help: HELP,
  run,
};

async function run(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = parseFlags(args, FLAGS);
  if (words.length === 0) throw new UsageError("inspect needs at least one file.");
  const found: Inspection[] = [];
  for (const file of words) {
    try {
      const dataset = values.dataset as string | undefined;
      found.push(await inspect(file, { dataset, signal: console.signal }));
    } catch (error) {
      throw usageFault(error);
    }
  }
  const texts = found.map((one) => inspectionText(one).split("\n").map(printable).join("\n"));
  console.out(values.json ? JSON.stringify(found, null, 2) : texts.join("\n\n"));
  return Math.max(...found.map(exitCode));
}

/** What is known of an acquisition that cannot be loaded as it is decides: frames are missing, or nothing is known. */
function exitCode({ ready, kind }: Inspection): number {
  if (ready) return EXIT.fine;
  return kind === null ? EXIT.unusable : EXIT.found;
}
