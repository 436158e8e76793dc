#!/usr/bin/env node
// Owns: `npx framelab`: starts the command line.
// Must not know: its commands.
import { main } from "./main";

void main(process.argv.slice(2)).then((code) => {
  // Not process.exit(): what was written to a pipe must arrive.
  process.exitCode = code;
});
