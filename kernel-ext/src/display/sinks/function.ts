// Owns: progress handed to a user's function.
// Must not know: how progress looks.
import type { ProgressEvent } from "../../types";
import type { ProgressSink } from "./sink";

/**
 * Every event goes to `listener`. One that throws, or whose promise rejects, is told so once and not called again: the
 * data matter more.
 */
export function functionSink(listener: (event: ProgressEvent) => void): ProgressSink {
  let broken = false;
  const fail = (error: unknown): void => {
    if (broken) return;
    broken = true;
    process.emitWarning(`The progress function threw and is not called again: ${String(error)}`, {
      code: "FRAMELAB_PROGRESS",
    });
  };
  return {
    everyMs: 0,
    open() {},
    show(event) {
      if (broken) return;
      try {
        // An async function is a function that returns nothing, too, as far as its type says.
        const result: unknown = listener(event);
        if (result instanceof Promise) result.catch(fail);
      } catch (error) {
        fail(error);
      }
    },
  };
}
