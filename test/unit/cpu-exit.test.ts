// Owns: processes and workers that end while native threads still decode: no crash, no hang.
// Must not know: what is decoded.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, it } from "node:test";
import { openCpuBackend } from "#framelab/backends/cpu/index";
import { bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";

const opened = openCpuBackend();
const skip = "reason" in opened ? `no native backend: ${opened.reason}` : false;
const folder = mkdtempSync(join(tmpdir(), "framelab-exit-"));
after(() => rmSync(folder, { recursive: true }));

const ELEMENTS = 192 * 192;
const chunk = encodeChunk(
  Uint8Array.from({ length: 2 * ELEMENTS }, (_, i) => (i % 2 ? 0 : i % 7)),
  2,
);
const file = join(folder, "chunk.bin");
writeFileSync(file, chunk);

/** Starts a decode of some 10 GB into one frame's memory and gives its promise. */
const START = `
const { openSync } = require("node:fs");
const dist = ${JSON.stringify(resolve(__dirname, "../../../dist"))};
const { openCpuBackend } = require(dist + "/backends/cpu/index.js");
const { lowerFilters } = require(dist + "/filters/lower.js");
const count = 200000;
const program = lowerFilters({
  filters: [{ id: 32008, name: "bitshuffle", values: ${JSON.stringify(bitshuffleValues(2))} }],
  dtype: "u16", littleEndian: true, chunkElements: ${ELEMENTS}, place: "test",
});
function start() {
  const batch = {
    program, fd: openSync(${JSON.stringify(file)}, "r"), file: "chunk.bin", fileBytes: ${chunk.length}, count,
    address: new Float64Array(count), storedBytes: new Float64Array(count).fill(${chunk.length}),
    filterMask: new Uint32Array(count), target: new Float64Array(count),
  };
  const output = { buffer: new ArrayBuffer(${2 * ELEMENTS}), start: 0, bytes: ${2 * ELEMENTS} };
  const words = new Int32Array(4);
  return { words, done: openCpuBackend({ threads: 2 }).backend.decode(batch, output, { words }) };
}
async function untilRunning(words) {
  while (Atomics.load(words, 1) === 0) await new Promise((turn) => setImmediate(turn));
}
`;

function run(script: string): void {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, ["-e", START + script], {
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.deepEqual({ status, signal, stdout }, { status: 0, signal: null, stdout: "end\n" }, stderr);
}

describe("ending while native threads decode", { skip }, () => {
  it("by process.exit", () => {
    run(
      `const { words } = start(); untilRunning(words).then(() => { console.log("end"); process.exit(0); });`,
    );
  });

  it("by an error that nobody catches", () => {
    run(`process.on("uncaughtException", () => { console.log("end"); process.exit(0); });
      const { words } = start(); untilRunning(words).then(() => { throw new Error("stop"); });`);
  });

  it("by workers that are terminated, one after the other, each the first to load the addon", () => {
    const worker = `${START}
      const { parentPort } = require("node:worker_threads");
      const { words } = start(); untilRunning(words).then(() => parentPort.postMessage("running"));`;
    run(`const { Worker } = require("node:worker_threads");
      (async () => {
        for (let i = 0; i < 3; i++) {
          const worker = new Worker(${JSON.stringify(worker)}, { eval: true });
          await new Promise((ready, fail) => worker.once("message", ready).once("error", fail));
          await worker.terminate();
        }
        console.log("end");
      })();`);
  });

  it("by a worker, while the main thread decodes on with the same pool", () => {
    const worker = `${START}
      const { parentPort } = require("node:worker_threads");
      const { words } = start(); untilRunning(words).then(() => parentPort.postMessage("running"));`;
    run(`const { Worker } = require("node:worker_threads");
      (async () => {
        const { words, done } = start();
        const worker = new Worker(${JSON.stringify(worker)}, { eval: true });
        await new Promise((ready, fail) => worker.once("message", ready).once("error", fail));
        await worker.terminate();
        const before = words[1];
        while (Atomics.load(words, 1) === before) await new Promise((turn) => setImmediate(turn));
        Atomics.store(words, 0, 1);
        if ((await done).state === "cancelled") console.log("end");
      })();`);
  });
});
