// Owns: decoded frames that were asked for last, so that reads near each other cost one decode.
// Must not know: how frames are decoded.

/** Bytes of decoded frames kept. */
export const CACHE_BYTES: number = 16 * 2 ** 20;

/** Frames in groups that are decoded together (the frames of a chunk). The group used longest ago goes first. */
export class FrameCache {
  private readonly groups = new Map<number, Promise<Uint8Array>>();
  private readonly most: number;
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
  }

  /** The bytes of a frame, which belong to the cache. */
  async frame(i: number): Promise<Uint8Array> {
    const group = Math.floor(i / this.group);
    const from = group * this.group;
    const bytes = await this.bytesOf(group, from);
    return bytes.subarray((i - from) * this.frameBytes, (i - from + 1) * this.frameBytes);
  }

  clear(): void {
    this.groups.clear();
  }

  private bytesOf(group: number, from: number): Promise<Uint8Array> {
    const known = this.groups.get(group);
    const bytes = known ?? this.decode(from, Math.min(this.count, from + this.group));
    this.groups.delete(group);
    this.groups.set(group, bytes);
    if (known) return known;
    // A read that failed is tried again.
    bytes.catch(() => this.groups.delete(group));
    const [oldest] = this.groups.keys();
    if (this.groups.size > this.most) this.groups.delete(oldest!);
    return bytes;
  }
}
