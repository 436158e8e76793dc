// Owns: what a place that shows progress must offer.
// Must not know: which places there are.
import type { ProgressEvent } from "../../types";

/** A place that shows progress. The caller sends at most one event every `everyMs`, and one final event. */
export interface ProgressSink {
  /** Least time between two events in milliseconds; 0 = every event. */
  readonly everyMs: number;
  /** Called once, in the synchronous part of the user's call. */
  open(): void;
  show(event: ProgressEvent): void;
}
