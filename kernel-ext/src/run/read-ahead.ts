// Owns: reading data files before their chunks are wanted, so that a cold disk is busy while files are opened.
// Must not know: what the bytes are, what becomes of them. Nothing depends on it: whoever wants the bytes reads them.
import { closeSync } from "node:fs";
import { type Addon, loadAddon } from "../backends/addon";
import { openAgain } from "../source/open-file";
import type { CancelScope } from "./cancel";

/** Bytes of files that are read before these files are reached, at most: the system's free memory takes them. */
export const AHEAD_BYTES: number = 128 * 2 ** 20;
/** Bytes that are read without looking whether they are still wanted: some milliseconds of a disk. */
const STEP_BYTES = 8 * 2 ** 20;

interface AheadFile {
  readonly path: string;
  readonly bytes: number;
}

/** Of a longer file the start is read ahead. */
const aheadOf = ({ bytes }: AheadFile): number => Math.min(bytes, AHEAD_BYTES);

/** Files that will be read as a whole, in the order in which they will be. Does nothing without the addon. */
export class ReadAhead {
  /** All that were added; the first `reached` are not read ahead any more, the first `begun` have been, or are being. */
  private readonly files: AheadFile[] = [];
  private reached = 0;
  private begun = 0;
  /** Bytes of the files from `reached` to `begun`. */
  private aheadBytes = 0;
  private isReading = false;

  constructor(private readonly cancel: CancelScope) {}

  /** `file` comes next; the same one again adds nothing. */
  add(file: AheadFile): void {
    if (this.files.at(-1)?.path === file.path) return;
    this.files.push(file);
    void this.read();
  }

  /** Whoever wants `path` is at it: it and the files before it are left to him. */
  reach(path: string): void {
    const at = this.files.findIndex((file, i) => i >= this.reached && file.path === path);
    for (; this.reached <= at; this.reached++) {
      if (this.reached < this.begun) this.aheadBytes -= aheadOf(this.files[this.reached]!);
    }
    this.begun = Math.max(this.begun, this.reached);
    void this.read();
  }

  private async read(): Promise<void> {
    const found = loadAddon();
    if (this.isReading || !("addon" in found)) return;
    this.isReading = true;
    while (this.begun < this.files.length && !this.cancel.isOver()) {
      const bytes = aheadOf(this.files[this.begun]!);
      if (this.aheadBytes + bytes > AHEAD_BYTES) break;
      this.aheadBytes += bytes;
      await this.readFile(this.begun++, found.addon);
    }
    this.isReading = false;
  }

  private async readFile(i: number, { readAhead }: Addon): Promise<void> {
    const file = this.files[i]!;
    const bytes = aheadOf(file);
    try {
      const { fd } = openAgain(file.path);
      try {
        for (let offset = 0; offset < bytes; offset += STEP_BYTES) {
          if (this.cancel.isOver() || i < this.reached) return;
          await readAhead({ fd, offset, bytes: Math.min(STEP_BYTES, bytes - offset) });
        }
      } finally {
        closeSync(fd);
      }
    } catch {
      // Whoever reads the file finds out, and says so.
    }
  }
}
