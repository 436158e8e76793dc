// Owns: the program behind `npm run fuzz:metadata`: runs the metadata fuzz and prints counts by outcome.
// Must not know: what is mutated or how it is judged.
import { parseArgs } from "node:util";
import { fuzzMetadata } from "./metadata";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      files: { type: "string", default: "20000" },
      seed: { type: "string", default: "1" },
      keep: { type: "string" },
    },
  });
  const files = Number(values.files);
  const start = performance.now();
  let stopped = false;
  // A run that is interrupted says what it has counted.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => (stopped = true));
  const result = await fuzzMetadata({
    files,
    seed: Number(values.seed),
    stopped: () => stopped,
    ...(values.keep === undefined ? {} : { keep: values.keep }),
    progress: (done, found) => {
      for (const finding of found) console.log(`FINDING ${finding}`);
      if (done % 1000 === 0) console.log(`${done} of ${files} files`);
    },
  });
  const done = Object.values(result.counts).reduce((sum, count) => sum + count, 0);
  for (const [name, count] of Object.entries(result.counts).sort((a, b) => b[1] - a[1])) {
    console.log(`${String(count).padStart(7)}  ${name}`);
  }
  const seconds = (performance.now() - start) / 1000;
  const growth = (result.growthBytes / 2 ** 20).toFixed(0);
  console.log(
    `${done} files in ${seconds.toFixed(0)} s; slowest load ${result.slowestSeconds.toFixed(2)} s of processor time, memory grew by at most ${growth} MiB`,
  );
  console.log(`${done - result.findings.length} passed, ${result.findings.length} failed`);
  process.exitCode = result.findings.length === 0 ? 0 : 1;
}

void main();
