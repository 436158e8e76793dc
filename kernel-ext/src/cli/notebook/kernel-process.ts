// Owns: running cells with tslab's own handler inside this process, without Jupyter, ZeroMQ or Python.
// Must not know: notebook files. Started by run.ts as a process of its own, so that each notebook has a fresh kernel.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { Worker } from "node:worker_threads";
import { jsonValue } from "./json";
import type { CellStatus, RunMessage, RunRequest } from "./messages";
import type { DisplayOutput, Output } from "./nbformat";

/** What a cell shows through the kernel. */
interface DisplayContent {
  readonly data: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
  readonly transient?: { readonly display_id?: string };
}

interface Handler {
  handleExecute(
    request: { readonly code: string },
    writeStream: (name: "stdout" | "stderr", text: string) => void,
    writeDisplay: (content: DisplayContent, update: boolean) => void,
  ): Promise<{ readonly status: "ok" | "error" | "abort"; readonly execution_count?: number }>;
}

/** The kernel skips every cell that arrives within 200 ms after a failed one. */
const AFTER_ERROR_MS = 250;
/** Time for what the last cell left behind (a display's last state) to arrive. */
const SETTLE_MS = 100;

/** Text that one cell may leave; what comes behind it is counted and dropped, so that a flood cannot fill the memory. */
const MOST_TEXT = 16_000_000;

/** JSON of the displays of one cell: it goes to the parent as one text, which has an end at 512 Mi characters. */
const MOST_SHOWN = 256_000_000;

/** tslab as the notebook would find it, else the one beside this package. Its inner modules are pinned by version. */
function createHandler(folder: string): Handler {
  const places = [folder, __dirname];
  const home = dirname(tslabPackage(places));
  const load = createRequire(join(home, "package.json"));
  const { createConverter } = load("./dist/converter.js");
  const { createExecutor } = load("./dist/executor.js");
  const { JupyterHandlerImpl } = load("./dist/jupyter.js");
  const node = createConverter({ isJS: false, isBrowser: false });
  const converters = { node, browser: node, close: () => node.close() };
  return new JupyterHandlerImpl(createExecutor(folder, converters, console), false);
}

function tslabPackage(places: string[]): string {
  try {
    return require.resolve("tslab/package.json", { paths: places });
  } catch {
    throw new Error("tslab is found neither from the notebook nor from framelab; npm install tslab@1.0.22");
  }
}

/** The outputs of one cell; displays are found again by id from any later cell. */
class CellOutputs {
  readonly outputs: Output[] = [];
  #left = MOST_TEXT;
  #shown = 0;

  stream(name: "stdout" | "stderr", whole: string): void {
    if (this.#left === 0) return;
    const fits = whole.length <= this.#left;
    const text = fits
      ? whole
      : `${whole.slice(0, this.#left)}\n… cut: a cell keeps ${MOST_TEXT} characters\n`;
    this.#left = fits ? this.#left - whole.length : 0;
    const last = this.outputs.at(-1);
    if (last?.output_type === "stream" && last.name === name) last.text = `${last.text}${text}`;
    else this.outputs.push({ output_type: "stream", name, text });
  }

  display(content: DisplayContent, length: number): DisplayOutput {
    this.#shown += length;
    if (this.#shown > MOST_SHOWN)
      throw new RangeError(`A cell shows at most ${MOST_SHOWN} characters of JSON`);
    const output: DisplayOutput = {
      output_type: "display_data",
      data: content.data,
      metadata: content.metadata,
    };
    this.outputs.push(output);
    return output;
  }
}

async function runCells(request: RunRequest, send: (message: RunMessage) => Promise<void>): Promise<void> {
  process.chdir(request.folder); // Before tslab loads: its compiler takes the working directory as its root.
  const handler = createHandler(request.folder);
  const displays = new Map<string, { readonly cell: number; readonly output: DisplayOutput }[]>();
  const cells = request.sources.map(() => new CellOutputs());
  const status: CellStatus[] = request.sources.map(() => "not-run");
  const counts: (number | null)[] = request.sources.map(() => null);
  let current = 0;

  const report = (index: number): Promise<void> =>
    send({
      type: "cell",
      index,
      status: status[index]!,
      count: counts[index]!,
      outputs: cells[index]!.outputs,
    });
  // A display of an earlier cell may change thousands of times, and a report holds all that its cell shows: one at a time.
  const changed = new Set<number>();
  let busy = false;
  const reportChanged = async (): Promise<void> => {
    for (const index of changed) {
      changed.delete(index);
      await report(index);
    }
  };
  const reportLater = async (index: number): Promise<void> => {
    changed.add(index);
    if (busy) return;
    busy = true;
    await null; // Behind the synchronous work of the cell.
    await reportChanged();
    busy = false;
  };
  const asyncError = (kind: string, error: unknown): void => {
    const text = `${kind}: ${inspect(error)}\n`;
    cells[current]!.stream("stderr", text);
    void send({ type: "async-error", index: current, text });
  };
  process.on("unhandledRejection", (error) => asyncError("Unhandled rejection", error));
  process.on("uncaughtException", (error) => asyncError("Uncaught exception", error));

  for (const [index, code] of request.sources.entries()) {
    current = index;
    await send({ type: "begin", index });
    const writeDisplay = (content: DisplayContent, update: boolean): void => {
      // A copy, as a kernel sends it: what JSON cannot say fails here, in the cell that shows it.
      const json = JSON.stringify(content);
      const copy = jsonValue(json) as DisplayContent;
      const id = copy.transient?.display_id;
      const known = id === undefined ? [] : (displays.get(id) ?? []);
      for (const { cell, output } of known) {
        output.data = copy.data;
        output.metadata = copy.metadata;
        if (cell !== current) void reportLater(cell);
      }
      if (update) return;
      const output = cells[index]!.display(copy, json.length);
      if (id !== undefined) displays.set(id, [...known, { cell: index, output }]);
    };
    const writeStream = (name: "stdout" | "stderr", text: string): void => cells[index]!.stream(name, text);
    const reply = await handler.handleExecute({ code }, writeStream, writeDisplay);
    status[index] = reply.status;
    counts[index] = reply.execution_count ?? null;
    // Sent before the next cell begins: one that ends the process takes nothing of this one with it.
    await report(index);
    for (const late of [...changed]) {
      changed.delete(late);
      await report(late);
    }
    if (reply.status !== "ok") await new Promise((resolve) => setTimeout(resolve, AFTER_ERROR_MS));
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  for (const index of cells.keys()) await report(index);
}

/** Ends with the parent, however that one ended: nobody would ever ask for the result. */
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
// A cell that never yields hears of nothing: a thread of its own looks whether the parent lives, and ends the group.
const watch = `const { workerData: parent } = require("node:worker_threads");
setInterval(() => { if (process.ppid !== parent) process.kill(-process.pid, "SIGKILL"); }, 1000);`;
if (process.platform !== "win32") new Worker(watch, { eval: true, workerData: process.ppid }).unref();

process.once("message", async (request: RunRequest) => {
  const sent = process.send!.bind(process);
  const send = (message: RunMessage): Promise<void> =>
    new Promise((resolve) => sent(message, () => resolve()));
  try {
    await runCells(request, send);
    await send({ type: "end" });
  } catch (error) {
    await send({ type: "broken", text: (error as Error).message });
  }
  process.exit(0);
});
