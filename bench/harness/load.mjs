// Owns: one run of the load bench: a process for each contender, warm loads in turn, their sums checked.
// Must not know: which contenders there are, what figures should be.
import { spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { root } from "../../scripts/run-step.mjs";
import { buildTouch } from "../contenders/decoders.mjs";

/** A contender's process: one request line, one answer line. */
class LoaderProcess {
  constructor(loader) {
    this.loader = loader;
    const [program, ...args] = loader.command;
    this.child = spawn(program, args, { cwd: root, stdio: ["pipe", "pipe", "pipe"] });
    this.errors = "";
    this.child.stderr.on("data", (data) => {
      this.errors = (this.errors + data).slice(-4000);
    });
    this.ended = new Promise((resolve) => {
      this.child.on("error", (error) => resolve(error.message));
      this.child.on("close", (code, signal) =>
        resolve(`ended with ${signal ?? code}: ${this.errors.trim()}`),
      );
    });
    this.answers = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  /** The next answer. @throws when the process fails or says that it failed. */
  async next() {
    const { value, done } = await this.answers.next();
    if (done) throw new Error(`${this.loader.contender}: ${await this.ended}`);
    const answer = JSON.parse(value);
    if (answer.failed) throw new Error(`${this.loader.contender}: ${answer.failed}`);
    return answer;
  }

  async load(request) {
    this.child.stdin.write(`${JSON.stringify(request)}\n`);
    return this.next();
  }

  async stop() {
    this.child.stdin.end();
    await this.ended;
  }
}

/** Memory of one load's output and some more is written and given back: see touch.c. */
function touch(program, { bytes }) {
  const { status, stderr, error } = spawnSync(program, [String(Math.ceil(1.25 * bytes))], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`memory cannot be touched before a load: ${error?.message ?? stderr}`);
}

/** `entries` in an order that chance draws: nobody always follows the same one. */
function drawn(entries) {
  return entries
    .map((entry) => ({ entry, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ entry }) => entry);
}

/**
 * Loads `acquisition` with every loader and kind of output, in an order drawn anew each round, `rounds` times after one
 * that is not timed. A loader that does not start or load is left out with its reason.
 * Gives rows `{ case, contender, isa: null, threads, output, minMs, medianMs, gbPerS }`, FrameLab's
 * with the backend and the stages of its fastest load, and `skipped`. `kind` starts the case's name; `before` runs
 * before each load, outside its time.
 */
export async function runLoad(acquisition, loaders, rounds, { kind = "load", before = () => {} } = {}) {
  const skipped = [];
  const processes = [];
  const toucher = buildTouch();
  for (const loader of loaders) {
    const process = new LoaderProcess(loader);
    try {
      await process.next();
      processes.push(process);
    } catch (error) {
      skipped.push({ what: `${kind}/${acquisition.name} ${loader.contender}`, why: error.message });
    }
  }
  try {
    const entries = processes.flatMap((process) =>
      process.loader.outputs.map((output) => ({ process, output, times: [], failed: null, facts: {} })),
    );
    for (let round = 0; round <= rounds; round++) {
      for (const entry of drawn(entries.filter(({ failed }) => !failed))) {
        before(acquisition);
        touch(toucher, acquisition);
        await loadOnce(entry, acquisition, round > 0);
      }
    }
    for (const { process, output, failed } of entries.filter((entry) => entry.failed)) {
      skipped.push({
        what: `${kind}/${acquisition.name} ${process.loader.contender} ${output}`,
        why: failed,
      });
    }
    const rows = entries.filter((entry) => !entry.failed).map((entry) => rowOf(entry, acquisition, kind));
    return { rows, skipped };
  } finally {
    await Promise.all(processes.map((process) => process.stop()));
  }
}

/** @throws when the sum of all pixels is wrong: such a time means nothing. */
async function loadOnce(entry, acquisition, timed) {
  let answer;
  try {
    answer = await entry.process.load({ ...acquisition, output: entry.output });
  } catch (error) {
    entry.failed = error.message;
    return;
  }
  const { contender, readsBytes } = entry.process.loader;
  const wanted = readsBytes ? acquisition.fileBytes : acquisition.sum;
  if (answer.sum !== wanted) {
    throw new Error(`${contender} loads ${acquisition.name} with sum ${answer.sum}, not ${wanted}`);
  }
  if (!timed) return;
  if (!(answer.ms >= Math.min(...entry.times))) entry.facts = answer.facts;
  entry.times.push(answer.ms);
}

function rowOf({ process, output, times, facts }, { name, bytes }, kind) {
  const sorted = times.toSorted((a, b) => a - b);
  const { contender, processes } = process.loader;
  return {
    ...{
      case: `${kind}/${name}`,
      contender,
      isa: null,
      threads: processes ?? availableParallelism(),
      output,
    },
    ...{ minMs: sorted[0], medianMs: sorted[sorted.length >> 1], gbPerS: bytes / sorted[0] / 1e6 },
    ...facts,
  };
}
