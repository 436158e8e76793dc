// Owns: what progress shows, when, and that nothing in it can become markup.
// Must not know: the kernel.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProgressEvent } from "framelab";
import { openProgress } from "#framelab/display/progress";
import { progressHtml, progressText } from "#framelab/display/progress-view";
import { notebookSink } from "#framelab/display/sinks/notebook";
import type { ProgressSink } from "#framelab/display/sinks/sink";
import { terminalSink } from "#framelab/display/sinks/terminal";

const EVENT: ProgressEvent = {
  state: "running",
  task: "load",
  path: "/data/scan_master.h5",
  framesDone: 64,
  framesTotal: 256,
  damaged: 0,
  decodedBytes: 500_000_000,
  seconds: 2,
  backend: "cpu",
  message: "",
};

function recorder(everyMs: number): ProgressSink & { readonly seen: ProgressEvent[] } {
  const seen: ProgressEvent[] = [];
  return { everyMs, seen, open() {}, show: (event) => void seen.push(event) };
}

test("a running line has bar, frames, speed, time left, backend and damage", () => {
  assert.equal(
    progressText({ ...EVENT, damaged: 3 }),
    "load [#####...............] 25 %  64 / 256 frames  0.3 GB/s  6.0 s left  cpu  3 damaged",
  );
});

test("a final line says what happened, and a failed one does not claim 100 %", () => {
  const failed = {
    ...EVENT,
    state: "failed",
    message: "Frames 37 to 37: a chunk of a.h5 is cut. And more.",
  } as const;
  assert.equal(
    progressText(failed),
    "load failed  64 / 256 frames  0.3 GB/s  2.0 s  cpu  Frames 37 to 37: a chunk of a.h5 is cut.",
  );
  assert.match(progressHtml(failed), /value="25"/);
  const done = { ...EVENT, state: "done", framesDone: 256, message: "Frames u16 [4, 4]" } as const;
  assert.equal(progressText(done), "load done  Frames u16 [4, 4]  2.0 s");
  assert.match(progressHtml({ ...EVENT, state: "cancelled" }), /load cancelled/);
});

test("nothing of an event becomes markup", () => {
  const hostile = `<img src=x onerror="alert(1)">'&`;
  for (const state of ["running", "done", "cancelled", "failed"] as const) {
    const html = progressHtml({
      ...EVENT,
      state,
      task: hostile,
      message: hostile,
      backend: hostile as "cpu",
    });
    assert.doesNotMatch(html, /<img/);
    assert.match(html, /&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt;&#39;&amp;/);
  }
});

test("HTML uses only what a sanitiser keeps", () => {
  for (const state of ["running", "done", "cancelled", "failed"] as const) {
    const tags = [...progressHtml({ ...EVENT, state, damaged: 1 }).matchAll(/<(\w+)/g)].map(
      (match) => match[1],
    );
    assert.deepEqual(
      tags.filter((tag) => !["div", "span", "progress", "br"].includes(tag!)),
      [],
    );
  }
});

test("work shorter than the quiet time shows its last state only", () => {
  const sink = recorder(100);
  const progress = openProgress(true, sink);
  for (let framesDone = 0; framesDone < 50; framesDone++) progress.event({ ...EVENT, framesDone });
  progress.event({ ...EVENT, state: "done", framesDone: 256 });
  assert.deepEqual(
    sink.seen.map(({ state }) => state),
    ["done"],
  );
});

test("at most ten updates a second, the newest wins, the final one is last and once", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const sink = recorder(100);
  const progress = openProgress(true, sink);
  // One event a millisecond for a second.
  for (let framesDone = 1; framesDone <= 1000; framesDone++) {
    now += 1;
    context.mock.timers.tick(1);
    progress.event({ ...EVENT, framesDone });
  }
  assert.ok(
    sink.seen.length >= 8 && sink.seen.length <= 9,
    `${sink.seen.length} updates in the 800 ms behind the quiet time`,
  );
  progress.event({ ...EVENT, state: "failed" });
  progress.event({ ...EVENT, state: "done" });
  progress.event(EVENT);
  now += 1000;
  context.mock.timers.tick(1000);
  assert.equal(sink.seen.at(-1)!.state, "failed");
  assert.equal(sink.seen.filter(({ state }) => state !== "running").length, 1);
  const counts = sink.seen.map(({ framesDone }) => framesDone).slice(0, -1);
  assert.deepEqual(
    counts,
    [...counts].sort((a, b) => a - b),
  );
});

test("a last running event that was held back is shown when nothing follows", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  context.mock.method(performance, "now", () => 0);
  const sink = recorder(100);
  const progress = openProgress(true, sink);
  progress.event({ ...EVENT, framesDone: 1 });
  progress.event({ ...EVENT, framesDone: 2 });
  context.mock.timers.tick(200);
  assert.deepEqual(
    sink.seen.map(({ framesDone }) => framesDone),
    [2],
  );
});

test("a function gets every event; one that throws is called once and warned about", async () => {
  const seen: number[] = [];
  const progress = openProgress((event) => seen.push(event.framesDone));
  for (const framesDone of [1, 2, 3]) progress.event({ ...EVENT, framesDone });
  assert.deepEqual(seen, [1, 2, 3]);

  const warned = new Promise<Error>((resolve) => {
    process.on(
      "warning",
      (warning) => (warning as { code?: string }).code === "FRAMELAB_PROGRESS" && resolve(warning),
    );
  });
  let calls = 0;
  const broken = openProgress(() => {
    calls += 1;
    throw new Error("no");
  });
  broken.event(EVENT);
  broken.event(EVENT);
  assert.equal(calls, 1);
  assert.match((await warned).message, /progress function threw.*Error: no/);
});

test("false is silent", () => {
  const sink = recorder(0);
  openProgress(false, sink).event({ ...EVENT, state: "done" });
  assert.deepEqual(sink.seen, []);
});

test("a notebook display begins empty and is updated in place, with text beside HTML", () => {
  const messages: { data: Record<string, unknown>; id: string; update: boolean }[] = [];
  const progress = openProgress(
    true,
    notebookSink((message) => void messages.push(message as never)),
  );
  progress.event({ ...EVENT, state: "done", message: "256 frames, all good" });
  assert.deepEqual(
    messages.map(({ update }) => update),
    [false, true],
  );
  assert.deepEqual(messages[0]!.data, { "text/plain": "", "text/html": "" });
  assert.equal(messages[0]!.id, messages[1]!.id);
  assert.match(String(messages[1]!.data["text/plain"]), /256 frames, all good/);
  assert.match(String(messages[1]!.data["text/html"]), /256 frames, all good/);
});

test("a terminal line is rewritten, fits the width, and passes no control characters", () => {
  let written = "";
  const sink = terminalSink({ columns: 30, write: (text: string) => (written += text) });
  sink.show(EVENT);
  assert.equal(written, "\r\x1b[2Kload [#####...............] 2");
  written = "";
  sink.show({ ...EVENT, state: "failed", message: "bad \x1b[31mpath\r." });
  assert.match(written, /bad \?\[31mpath\?\.\n$/);
});
