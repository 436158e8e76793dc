// Owns: the pixel mask of an acquisition, checked against the detector.
// Must not know: how it was read, what its flags are used for.
import { UnsupportedLayoutError } from "../errors";
import type { Note, PixelMask } from "../types";
import type { AnswerTo } from "./metadata/protocol";

/** Where DECTRIS masters keep it, the first that exists counts. */
export const PIXEL_MASK_PATHS: readonly [string, string] = [
  "/entry/instrument/detector/detectorSpecific/pixel_mask",
  "/entry/instrument/detector/pixel_mask",
];

/** The largest detector's mask (EIGER2 16M, 4371 x 4150 pixels of 4 bytes, is 73 MB) with room. */
export const MAX_PIXEL_MASK_BYTES: number = 128 * 2 ** 20;

/** What was found at one place. */
export interface GridAt {
  readonly path: string;
  readonly answer: AnswerTo<{ ask: "grid"; path: string; maxBytes: number }>;
}

/**
 * The first mask that is present, or null. One that cannot be read (an unsupported filter, damage) is a note.
 *
 * @throws UnsupportedLayoutError when it has another shape than the detector.
 */
export function pixelMaskOf(
  file: string,
  answers: readonly GridAt[],
  detector: readonly [number, number],
): { mask: PixelMask | null; notes: readonly Note[] } {
  for (const { path, answer } of answers) {
    if ("failed" in answer) return unread(path, answer.failed);
    const grid = answer.ok;
    if (grid.kind === "absent") continue;
    const { shape } = grid;
    if (shape !== null && !(shape.length === 2 && shape[0] === detector[0] && shape[1] === detector[1])) {
      throw new UnsupportedLayoutError(
        `The pixel mask ${path} of ${file} is [${shape.join(", ")}], the detector is [${detector.join(", ")}].`,
        {
          place: `${file}, ${path}`,
          expected: `[${detector.join(", ")}]`,
          got: `[${shape.join(", ")}]`,
          todo: "The master and its data files do not belong together, or the mask is of another readout mode.",
        },
      );
    }
    if (grid.kind === "refused") return unread(path, grid.why);
    return { mask: { shape: grid.shape, data: grid.values }, notes: [] };
  }
  return { mask: null, notes: [] };
}

function unread(path: string, why: string): { mask: null; notes: readonly Note[] } {
  return {
    mask: null,
    notes: [{ code: "pixel-mask-unread", text: `The pixel mask ${path} was not read: ${why}.` }],
  };
}
