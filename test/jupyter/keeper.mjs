// Owns: `node keeper.mjs FOLDER PROGRAM ARGS…`: runs a program until standard input ends, then ends it and every process
// whose command line names FOLDER, and removes FOLDER. Must not know: what runs.
// Standard input is a pipe from the test: it ends in every outcome, also when the test is killed. Jupyter gives each kernel
// a session of its own, so that a process group does not hold them; their connection files lie in FOLDER.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const [folder, program, ...args] = process.argv.slice(2);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {}); // Standard input decides.

const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
child.on("error", (error) => console.error(error.message));
const exited = once(child, "close");

process.stdin.resume();
await Promise.race([once(process.stdin, "end"), exited]);
child.kill("SIGTERM"); // A Jupyter server shuts its kernels down.
await Promise.race([exited, delay(5000, undefined, { ref: false })]);

/** Processes that name the folder, without this one. */
function processesOfFolder() {
  const { stdout } = spawnSync("ps", ["-A", "-ww", "-o", "pid=,args="], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return stdout
    .split("\n")
    .filter((line) => line.includes(folder))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid !== process.pid);
}

for (const pid of processesOfFolder()) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended meanwhile.
  }
}
rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
// The pipe of a caller that waits stays open: without this the process would not end.
process.exit(child.exitCode ?? 1);
