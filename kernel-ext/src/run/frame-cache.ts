// Owns: decoded frames that were asked for last, so that reads near each other cost one decode.
// Must not know: how frames are decoded.

/** Bytes of decoded frames kept. */
export const CACHE_BYTES: number = 16 * 2 ** 20;

/** Groups that are decoded together when frames are read one after the other: enough for every core. */
const AHEAD_BYTES = 4 * 2 ** 20;

/** Groups [from, to) that were decoded together, and go together. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly bytes: Promise<Uint8Array>;
  /** It followed the run before it: the next one is worth reading ahead. */
  readonly follows: boolean;
}

/**
 * Frames in groups that are decoded together (the frames of a chunk). What was used longest ago goes first. A read of
 * the group behind the last decoded one brings those that follow, too; where these are read in turn, the next ones are
 * decoded meanwhile.
 */
export class FrameCache {
  /** The run that holds a group. */
  private readonly runs = new Map<number, Run>();
  /** All runs, the one used longest ago first. */
  private readonly order = new Set<Run>();
  /** Groups that are kept, and that are now. */
  private readonly most: number;
  private kept = 0;
  /** Groups that a sequential read decodes at once, and the group that would be the next one. */
  private readonly ahead: number;
  private next = -1;
  readonly group: number;

  /** `depth` frames share a chunk; `decode` gives the bytes of frames [from, to). */
  constructor(
    private readonly count: number,
    private readonly frameBytes: number,
    depth: number,
    private readonly decode: (from: number, to: number) => Promise<Uint8Array>,
  ) {
    const frames = Math.max(1, Math.floor(CACHE_BYTES / frameBytes));
    this.group = Math.min(depth, frames);
    this.most = Math.max(1, Math.floor(frames / this.group));
    const together = Math.floor(AHEAD_BYTES / (frameBytes * this.group));
    // Three runs are kept at least: the one that is read, the next, and one from elsewhere.
    this.ahead = Math.max(1, Math.min(together, Math.floor(this.most / 3)));
  }

  /** The bytes of a frame, which belong to the cache. */
  async frame(i: number): Promise<Uint8Array> {
    const group = Math.floor(i / this.group);
    const run = this.runOf(group);
    const first = run.from * this.group;
    const bytes = await run.bytes;
    return bytes.subarray((i - first) * this.frameBytes, (i - first + 1) * this.frameBytes);
  }

  clear(): void {
    this.runs.clear();
    this.order.clear();
    this.kept = 0;
  }

  private runOf(group: number): Run {
    const known = this.runs.get(group);
    if (!known) return this.read(group, group === this.next);
    this.order.delete(known);
    this.order.add(known);
    const isLast = known.follows && known.to === this.next;
    // Less than three runs would drop what is read for what may be.
    if (isLast && this.ahead * 3 <= this.most && this.next * this.group < this.count) {
      this.read(this.next, true);
    }
    return known;
  }

  /** Decodes a group, or the groups that follow it as well, or fewer at the end. */
  private read(from: number, follows: boolean): Run {
    const first = from * this.group;
    const last = Math.min(this.count, first + (follows ? this.ahead : 1) * this.group);
    const to = Math.ceil(last / this.group);
    const run = { from, to, bytes: this.decode(first, last), follows };
    this.next = to;
    for (let g = from; g < to; g++) this.runs.set(g, run);
    this.order.add(run);
    this.kept += to - from;
    // A read that failed is tried again.
    run.bytes.catch(() => this.drop(run));
    for (const oldest of this.order) {
      if (this.kept <= this.most || oldest === run) break;
      this.drop(oldest);
    }
    return run;
  }

  private drop(run: Run): void {
    if (!this.order.delete(run)) return;
    this.kept -= run.to - run.from;
    for (let g = run.from; g < run.to; g++) if (this.runs.get(g) === run) this.runs.delete(g);
  }
}
