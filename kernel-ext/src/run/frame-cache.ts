// Owns: decoded frames that were asked for last, so that reads near each other cost one decode.
// Must not know: how frames are decoded.

/** Bytes of decoded frames kept. */
export const CACHE_BYTES: number = 16 * 2 ** 20;

/** Groups that are decoded together when frames are read one after the other: enough for every core. */
const AHEAD_BYTES = 2 * 2 ** 20;

/**
 * Frames in groups that are decoded together (the frames of a chunk). The group used longest ago goes first. A read of
 * the group behind the last decoded one brings those that follow, too.
 */
export class FrameCache {
  private readonly groups = new Map<number, Promise<Uint8Array>>();
  private readonly most: number;
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
    this.ahead = Math.max(1, Math.min(together, Math.floor(this.most / 2)));
  }

  /** The bytes of a frame, which belong to the cache. */
  async frame(i: number): Promise<Uint8Array> {
    const group = Math.floor(i / this.group);
    const from = group * this.group;
    const bytes = await this.bytesOf(group);
    return bytes.subarray((i - from) * this.frameBytes, (i - from + 1) * this.frameBytes);
  }

  clear(): void {
    this.groups.clear();
  }

  private bytesOf(group: number): Promise<Uint8Array> {
    const known = this.groups.get(group);
    if (known) {
      this.groups.delete(group);
      this.groups.set(group, known);
      return known;
    }
    return this.read(group, group === this.next ? this.ahead : 1);
  }

  /** Decodes `together` groups, or fewer at the end, and keeps them one by one. */
  private read(group: number, together: number): Promise<Uint8Array> {
    const from = group * this.group;
    const to = Math.min(this.count, from + together * this.group);
    this.next = Math.ceil(to / this.group);
    const all = this.decode(from, to);
    const groupBytes = this.group * this.frameBytes;
    // The one that was asked for is kept last: it is the one to stay.
    for (let g = this.next - 1; g >= group; g--) {
      // A copy: a view would keep all of them.
      const own = all.then((bytes) => bytes.slice((g - group) * groupBytes, (g - group + 1) * groupBytes));
      this.groups.delete(g);
      this.groups.set(g, own);
      // A read that failed is tried again.
      own.catch(() => this.groups.get(g) === own && this.groups.delete(g));
    }
    while (this.groups.size > this.most) this.groups.delete(this.groups.keys().next().value!);
    return this.groups.get(group)!;
  }
}
