// Owns: `framelab <command>`: which commands there are, the general help, what errors become.
// Must not know: what a command does.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AbortError, FrameLabError } from "../errors";
import { checkCommand } from "./check";
import { type Command, type Console, EXIT, EXIT_HELP, processConsole, UsageError } from "./command";
import { inspectCommand } from "./inspect";
import { verifyCommand } from "./verify";

/** The commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [inspectCommand, verifyCommand, checkCommand];

/** Runs a command line (without `node` and the script). Never rejects. @returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const console = processConsole();
  try {
    return await dispatch(args, console);
  } finally {
    console.close();
  }
}

/** As `main`, on a console of the caller's. */
export async function dispatch(args: readonly string[], console: Console): Promise<number> {
  const [word, ...rest] = args;
  if (word === undefined || word === "--help" || word === "-h" || word === "help") {
    console.out(generalHelp());
    return word === undefined ? EXIT.unusable : EXIT.fine;
  }
  if (word === "--version" || word === "-v") {
    console.out(version());
    return EXIT.fine;
  }
  const command = COMMANDS.find(({ name }) => name === word);
  if (!command) return usage(`There is no command ${JSON.stringify(word)}.`, null, console);
  if (rest.includes("--help") || rest.includes("-h")) {
    console.out(command.help);
    return EXIT.fine;
  }
  return guarded(command, rest, console);
}

async function guarded(command: Command, args: readonly string[], console: Console): Promise<number> {
  try {
    return await command.run(args, console);
  } catch (error) {
    if (error instanceof UsageError) return usage(error.message, command, console);
    if (error instanceof AbortError) {
      console.err("Stopped.");
      return EXIT.stopped;
    }
    // Anything but our own error is a fault of this program: its stack is what a report needs.
    console.err(
      error instanceof FrameLabError ? `${error.name}: ${error.message}` : ((error as Error).stack ?? ""),
    );
    return EXIT.unusable;
  }
}

function usage(problem: string, command: Command | null, console: Console): number {
  const help = command ? `npx framelab ${command.name} --help` : "npx framelab --help";
  console.err(`${problem}\n${help} says how it is used.`);
  return EXIT.unusable;
}

function generalHelp(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const list = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `framelab: detector acquisitions in HDF5 (bitshuffle + LZ4).

Usage: npx framelab <command> [options]

${list.join("\n")}

npx framelab <command> --help explains a command.
npx framelab --version prints the version.

${EXIT_HELP}`;
}

function version(): string {
  const file = join(__dirname, "..", "..", "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
