// Owns: adding frames up in native code while they are decoded.
// Must not know: acquisitions, masks' shapes, why a chunk is damaged.
import { isSummable, type SumPlan } from "../../sum-plan";
import type { Addon } from "../addon";
import type { FrameAdder } from "../backend";
import { chunkFormat } from "./format";
import { failure, formatOf } from "./native-batch";

/** Rows are shorter, chunks have fewer frames, and results fewer places: sums of positions stay exact. */
const MOST_WIDTH = 2 ** 16;
const MOST_CHUNK_FRAMES = 2 ** 16 - 1;
const MOST_RESULTS = 2 ** 32 - 1;
/** Bytes that the partial sums of all threads may take: large detectors are added by fewer threads. */
const MOST_BYTES = 256 * 2 ** 20;

/** The fused sums of the cpu backend. */
export function frameAdder(addon: Addon, how: { isa: string; threads: number }): FrameAdder {
  const threadsFor = (plan: SumPlan) =>
    Math.max(1, Math.min(how.threads, Math.floor(MOST_BYTES / threadBytes(plan))));
  return {
    refuses(program, plan, chunkFrames) {
      const lowered = chunkFormat(program);
      if ("reason" in lowered) return lowered.reason;
      const fits =
        plan.width <= MOST_WIDTH && chunkFrames <= MOST_CHUNK_FRAMES && plan.results <= MOST_RESULTS;
      return isSummable(plan.dtype) && fits ? null : "native code does not add frames of this kind";
    },
    bytes: (plan) => threadsFor(plan) * threadBytes(plan),
    async add(batch, plan, { words }) {
      const { fd, fileBytes, memory, count, address, storedBytes, filterMask } = batch;
      const stored = { fd, fileBytes, memory, count, address, storedBytes, filterMask };
      const sums = { ...plan, chunkFrames: batch.chunkFrames, slots: batch.slots };
      const format = formatOf(batch, "cpu");
      try {
        return await addon.sumBatch({ ...format, ...how, threads: threadsFor(plan), ...stored, words, sums });
      } catch (cause) {
        throw failure(batch, cause);
      }
    },
  };
}

/** What one thread holds: a sum, a maximum and a count for each pixel, at most. */
function threadBytes({ framePixels, pattern }: SumPlan): number {
  return pattern ? 16 * framePixels : 64;
}
