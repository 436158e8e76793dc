// Owns: over the real protocol: a flood of messages arrives whole, an interrupt stops the work and not the kernel.
// Must not know: how the package does it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KernelClient, streamText } from "./kernel-client";

const root = join(__dirname, "..", "..", "..");
// A cell has a plain `require`: the compiled modules are reached by path, as the package reaches them itself.
const built = (name: string): string => JSON.stringify(join(root, "dist", `${name}.js`));

let kernel: KernelClient;
before(async () => {
  kernel = await KernelClient.start(root);
});
after(() => kernel.close());

test("a flood of output arrives whole", async () => {
  const patched = await kernel.execute(`require(${built("display/sinks/kernel-care")}).keepMessages()`);
  assert.match(streamText(patched, "stdout"), /true/);
  const run = await kernel.execute(`for (let i = 0; i < 3000; i++) console.log("line " + i);`);
  assert.equal(run.status, "ok");
  const lines = streamText(run, "stdout").trimEnd().split("\n");
  assert.deepEqual(
    lines,
    Array.from({ length: 3000 }, (_, i) => `line ${i}`),
  );
});

test("progress of a work that nobody awaits ends in its own display, whole and in order", async () => {
  const run = await kernel.execute(`{
    const { openProgress } = require(${built("display/progress")});
    const progress = openProgress(true);
    const event = (state: string, framesDone: number) => ({ state, task: "load", path: "x.h5", framesDone,
      framesTotal: 4, damaged: 0, decodedBytes: framesDone * 1000, seconds: 0.4, backend: "reference", message: "" });
    progress.event(event("running", 1));
    setTimeout(() => progress.event(event("running", 3)), 250);
    setTimeout(() => { progress.event(event("done", 4)); (globalThis as any).finished(); }, 400);
  }
  await new Promise<void>((done) => { (globalThis as any).finished = done; });`);
  assert.equal(run.status, "ok");
  const displays = run.messages.filter(({ type }) => type.endsWith("display_data"));
  const [first, ...updates] = displays;
  assert.equal(first!.type, "display_data");
  assert.deepEqual(first!.content.data, { "text/plain": "", "text/html": "" });
  assert.ok(updates.length >= 2 && updates.every(({ type }) => type === "update_display_data"));
  const ids = new Set(displays.map(({ content }) => content.transient.display_id));
  assert.equal(ids.size, 1);
  assert.match(updates.at(-1)!.content.data["text/plain"], /^load done {2}4 frames, 4\.0 kB/);
});

test("an interrupt in the middle of work cancels it; the kernel lives and runs the next cell", async () => {
  const started = Date.now();
  const cell = kernel.execute(`{
    const { onInterrupt } = require(${built("run/interrupt")});
    (globalThis as any).cancelled = 0;
    (globalThis as any).work = new Promise<void>((end) => {
      const timer = setTimeout(end, 60_000);
      onInterrupt(() => { clearTimeout(timer); (globalThis as any).cancelled += 1; end(); });
    });
    console.log("working");
  }
  await globalThis["work"];`);
  setTimeout(() => kernel.interrupt(), 800);
  const { messages } = await cell;
  assert.match(streamText({ status: "", messages }, "stdout"), /working/);
  // The kernel skips what arrives within 200 ms after a failed cell.
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(kernel.alive, true);
  const next = await kernel.execute(
    // Awaits first: while the synchronous part of a cell runs, Node sets all SIGINT listeners aside.
    `await null; console.log((globalThis as any).cancelled, process.listeners("SIGINT").length)`,
  );
  assert.equal(next.status, "ok");
  assert.equal(streamText(next, "stdout").trim(), "1 1");
  assert.ok(Date.now() - started < 30_000, "the work of a minute was cut short");
});

test("an interrupt in the middle of decoding ends it with AbortError; the next cell loads", async () => {
  const cell = kernel.execute(`
    const framelab = require(${built("index")});
    // Minutes of decoding in constant memory: the demo's frames over and over.
    const frames = Array.from({ length: 2_000_000 }, (_, i) => i % 256);
    const work = framelab.verify(${JSON.stringify(join(root, "demo", "demo_master.h5"))}, { frames, backend: "reference" });
    work.catch((error: { code: string }) => { (globalThis as any).outcome = error.code; });
    await work;`);
  setTimeout(() => kernel.interrupt(), 2500);
  const run = await cell;
  assert.equal(run.status, "error");
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.equal(kernel.alive, true);
  const next = await kernel.execute(`
    const again = await require(${built("index")}).load(${JSON.stringify(join(root, "demo", "demo_master.h5"))}, { frames: [0] });
    console.log((globalThis as any).outcome, again.valid.length);`);
  assert.equal(next.status, "ok");
  assert.equal(streamText(next, "stdout").trim(), "aborted 1");
});
