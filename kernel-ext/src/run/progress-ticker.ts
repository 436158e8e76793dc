// Owns: turning the counters of running work into progress events, ten times a second at most.
// Must not know: where events are shown.
import { CONTROL_CHUNKS_DONE, type Control } from "../backends/backend";
import type { BackendName, ProgressEvent } from "../types";

const INTERVAL_MS = 100;

/** What a ticker needs to make an event. */
export interface TickerFacts {
  readonly task: string;
  readonly path: string;
  readonly control: Control;
  readonly emit: (event: ProgressEvent) => void;
}

/** Emits events while work runs; ends with exactly one final event. */
export class ProgressTicker {
  private readonly started = performance.now();
  private readonly timer: NodeJS.Timeout;
  private backend: BackendName | null = null;
  private framesBefore = 0;
  private chunksBefore = 0;
  private batches = 0;
  private framesPerChunk = 1;
  private framesTotal = 0;
  private frameBytes = 0;
  private damaged: () => number = () => 0;

  constructor(private readonly facts: TickerFacts) {
    this.timer = setInterval(() => this.send("running", ""), INTERVAL_MS);
    this.timer.unref();
    this.send("running", "");
  }

  /** The work is known: how many frames of how many bytes, and where to ask for damaged frames so far. */
  begin(framesTotal: number, frameBytes: number, damaged: () => number): void {
    this.framesTotal = framesTotal;
    this.frameBytes = frameBytes;
    this.damaged = damaged;
  }

  /** A batch starts: until it ends, frames advance with its chunks. One that starts before another ends is alike. */
  batchStarts(backend: BackendName, framesPerChunk: number): void {
    if (this.batches === 0) this.chunksBefore = this.chunksDone;
    this.batches += 1;
    this.backend = backend;
    this.framesPerChunk = framesPerChunk;
  }

  /** A batch of so many chunks ends; none of its frames count where it failed. */
  batchEnds(frames: number, chunks: number): void {
    this.batches -= 1;
    this.chunksBefore = this.batches === 0 ? this.chunksDone : this.chunksBefore + chunks;
    this.framesBefore += frames;
  }

  /** Frames are done without a batch, whatever came of them. */
  advance(frames: number): void {
    this.framesBefore += frames;
  }

  private get chunksDone(): number {
    return this.facts.control.words[CONTROL_CHUNKS_DONE];
  }

  finish(state: "done" | "cancelled" | "failed", message: string): void {
    clearInterval(this.timer);
    this.send(state, message);
  }

  private send(state: ProgressEvent["state"], message: string): void {
    const chunks = this.batches === 0 ? 0 : this.chunksDone - this.chunksBefore;
    const frames = this.framesBefore + Math.floor(chunks * this.framesPerChunk);
    const framesDone = Math.min(frames, this.framesTotal);
    this.facts.emit({
      state,
      task: this.facts.task,
      path: this.facts.path,
      framesDone,
      framesTotal: this.framesTotal,
      damaged: this.damaged(),
      decodedBytes: framesDone * this.frameBytes,
      seconds: (performance.now() - this.started) / 1000,
      backend: this.backend,
      message,
    });
  }
}
