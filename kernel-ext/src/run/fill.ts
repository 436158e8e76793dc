// Owns: writing frames that have no decoded pixels: zeros for damaged ones, the stored fill value for missing ones.
// Must not know: why a frame has none.
import type { OutputMemory } from "../backends/backend";
import type { Acquisition } from "../source/acquisition";

/** One frame of the output as bytes. */
export function frameBytesOf(output: OutputMemory, frame: number, frameBytes: number): Uint8Array {
  return new Uint8Array(output.buffer, output.start + frame * frameBytes, frameBytes);
}

/** Fills a frame with the acquisition's fill value, in native byte order. */
export function fillFrame(frame: Uint8Array, { fillValue, littleEndian }: Acquisition["fill"]): void {
  if (fillValue.every((byte) => byte === 0)) {
    frame.fill(0);
    return;
  }
  const value = littleEndian ? fillValue : Uint8Array.from(fillValue).reverse();
  for (let at = 0; at < frame.length; at += value.length) frame.set(value, at);
}
