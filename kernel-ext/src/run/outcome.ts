// Owns: what a running load has found so far: damaged and suspect frames, counters, peak memory.
// Must not know: how chunks are decoded or shown.
import type { DamagedBlock, Note, SuspectFrame } from "../types";

/** A report must end somewhere: damaged blocks listed at most. Frames beyond are still marked. */
export const DAMAGE_LISTED = 1_000_000;

/** Collects the findings of one piece of work. */
export class Outcome {
  /** Source frames that are damaged. */
  readonly damagedFrames: Set<number> = new Set();
  readonly suspect: SuspectFrame[] = [];
  readonly notes: Note[] = [];
  storedBytes = 0;
  /** Bytes held beside the output at the worst moment. */
  peakBytes = 0;
  private readonly blocks = new Map<string, DamagedBlock>();
  private readonly suspects = new Set<number>();

  /** Every damaged block once, even when a selection uses its frame several times. */
  get damaged(): DamagedBlock[] {
    return [...this.blocks.values()];
  }

  addDamage(blocks: readonly DamagedBlock[]): void {
    for (const block of blocks) {
      this.damagedFrames.add(block.frame);
      if (this.blocks.size >= DAMAGE_LISTED) {
        this.note("damage-list-cut", `Only the first ${DAMAGE_LISTED} damaged blocks are listed.`);
        continue;
      }
      this.blocks.set(`${block.frame} ${block.offset} ${block.block}`, block);
    }
  }

  addSuspect(entry: SuspectFrame): void {
    if (this.suspects.has(entry.frame)) return;
    this.suspects.add(entry.frame);
    this.suspect.push(entry);
  }

  /** Adds a note once. */
  note(code: string, text: string): void {
    if (!this.notes.some((note) => note.code === code && note.text === text)) this.notes.push({ code, text });
  }
}
