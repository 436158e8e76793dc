// Owns: what the process that runs a notebook and its parent tell each other.
// Must not know: how either works.
import type { Output } from "./nbformat";

/** To the runner: the sources of the code cells, in order, and where they count as standing. */
export interface RunRequest {
  /** Absolute path of the notebook's folder: the working directory, and where packages are looked up. */
  readonly folder: string;
  readonly sources: readonly string[];
}

/** State of a code cell. `abort`: the kernel skipped it; `not-run`: the runner ended before it. */
export type CellStatus = "ok" | "error" | "abort" | "not-run";

/** From the runner: a code cell began, or ended as it stands here, or changed later through a display update. */
export type RunMessage =
  | { readonly type: "begin"; readonly index: number }
  | {
      readonly type: "cell";
      readonly index: number;
      readonly status: CellStatus;
      readonly count: number | null;
      readonly outputs: readonly Output[];
    }
  | { readonly type: "async-error"; readonly index: number; readonly text: string }
  /** The runner itself failed: before the first cell began, the kernel cannot be set up. */
  | { readonly type: "broken"; readonly text: string }
  | { readonly type: "end" };
