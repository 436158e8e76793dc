// Owns: turning a notebook's interrupt (SIGINT) into the cancelling of work that runs.
// Must not know: displays, backends, what is cancelled.
import { kernel } from "../host";

/**
 * Calls `cancel` once when the notebook is interrupted; the function returned ends the watch. Outside a
 * notebook SIGINT keeps its own meaning and nothing is watched.
 *
 * The kernel runs the synchronous part of a cell with a SIGINT watch of its own, and a listener that is added
 * there takes its place: the next interrupt then kills the kernel. So the listener is added a tick later.
 */
export function onInterrupt(cancel: () => void): () => void {
  if (kernel() === null) return () => {};
  let ended = false;
  const listener = (): void => {
    stop();
    cancel();
  };
  const stop = (): void => {
    ended = true;
    process.removeListener("SIGINT", listener);
  };
  void listenLater();
  return stop;

  async function listenLater(): Promise<void> {
    await null;
    if (!ended) process.on("SIGINT", listener);
  }
}
