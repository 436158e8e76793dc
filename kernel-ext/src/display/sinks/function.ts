// Owns: progress handed to a user's function.
// Must not know: how progress looks.
import type { ProgressEvent } from "../../types";
import type { ProgressSink } from "./sink";

/** Every event goes to `listener`. One that throws is told so once and not called again: the data matter more. */
export function functionSink(listener: (event: ProgressEvent) => void): ProgressSink {
  let broken = false;
  return {
    everyMs: 0,
    open() {},
    show(event) {
      if (broken) return;
      try {
        listener(event);
      } catch (error) {
        broken = true;
        process.emitWarning(`The progress function threw and is not called again: ${String(error)}`, {
          code: "FRAMELAB_PROGRESS",
        });
      }
    },
  };
}
