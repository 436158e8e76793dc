// Owns: progress as one notebook display that is updated in place.
// Must not know: how the kernel sends it.
import { randomBytes } from "node:crypto";
import { progressHtml, progressText } from "../progress-view";
import type { KernelWriter } from "./kernel";
import type { ProgressSink } from "./sink";

/**
 * The first message is an empty placeholder, sent at once: only a message of the running cell is sure to be
 * kept, and the updates that follow find it by its id, whichever cell runs by then.
 */
export function notebookSink(write: KernelWriter): ProgressSink {
  const id = randomBytes(8).toString("hex");
  return {
    everyMs: 100,
    open() {
      write({ data: { "text/plain": "", "text/html": "" }, id, update: false });
    },
    show(event) {
      const data = { "text/plain": progressText(event), "text/html": progressHtml(event) };
      write({ data, id, update: true });
    },
  };
}
