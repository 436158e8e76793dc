// Owns: decoding chosen frames of chunks that are held in memory, and giving the memory back when nobody reads it.
// Must not know: what is done with the frames, caches.
import type { OutputMemory } from "../backends/backend";
import { damagedFramesError } from "../damage/messages";
import { SelectionError } from "../errors";
import type { CheckedOptions } from "../options";
import type { HeldWork } from "./hold-chunks";
import { releaseFrames } from "./output-memory";
import { pickFrames } from "./pick-frames";
import type { Prepared } from "./prepare";
import { openProducer } from "./produce";
import { openSession, sessionReport } from "./session";
import { openTask } from "./task";

/** Frames of a checked load, as stored chunks. */
export class HeldFrames {
  readonly prepared: Prepared;
  private readonly memory: OutputMemory;
  private readers = 0;
  private released = false;

  /** `valid`: what the check at load found, one entry a frame. */
  constructor(
    held: HeldWork,
    readonly options: CheckedOptions,
    private readonly valid: Uint8Array,
  ) {
    this.prepared = held.prepared;
    this.memory = held.memory;
  }

  /** Bytes of the stored chunks. */
  get bytes(): number {
    return this.memory.bytes;
  }

  /** Keeps the memory while `work` runs. @throws SelectionError after a release. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.released) {
      const { path } = this.prepared.acquisition;
      throw new SelectionError(`The encoded frames of ${path} were released.`, {
        place: path,
        todo: "Load them again.",
      });
    }
    this.readers += 1;
    try {
      return await work();
    } finally {
      this.readers -= 1;
      this.freeIfUnused();
    }
  }

  /** Gives the memory back as soon as nothing reads it. */
  release(): void {
    this.released = true;
    this.freeIfUnused();
  }

  private freeIfUnused(): void {
    if (this.released && this.readers === 0) releaseFrames(this.memory);
  }

  /**
   * Decodes frames `list` into `output`, one after the other.
   * @returns one entry a frame: 1 = exact, 0 = damaged or missing, as the load found it.
   * @throws DamagedFramesError when a frame that was good is damaged now; SelectionError after a release.
   */
  read(list: readonly number[], leading: Prepared["leading"], output: OutputMemory): Promise<Uint8Array> {
    return this.use(async () => {
      const { path } = this.prepared.acquisition;
      const task = openTask("read", path, { signal: undefined }, () => () => {});
      try {
        const picked = pickFrames(this.prepared, list, leading);
        const session = openSession(picked, this.options, task.cancel, task.ticker, task.clock);
        const produce = openProducer(session, "mask", list.length);
        const valid = await produce({ from: 0, to: list.length }, output);
        if (list.some((frame, k) => valid[k] === 0 && this.valid[frame] === 1)) {
          throw damagedFramesError(sessionReport(session, list.length, list.length));
        }
        task.done("");
        return valid;
      } catch (error) {
        throw task.failed(error);
      }
    });
  }
}
