// Owns: the bitshuffle filter (32008): its client data, and the steps that undo it.
// Must not know: chunk bytes, backends.
import { type Filter, knownInputBytes, type LowerContext } from "../filter";
import type { Step } from "../program";
import { GROUP_ELEMENTS } from "./blocks";

const NO_COMPRESSION = 0;
const LZ4 = 2;
const ZSTANDARD = 3;

interface ClientData {
  readonly elementBytes: number;
  readonly blockElements: number;
  readonly compressor: number;
}

export const bitshuffle: Filter = { id: 32008, name: "bitshuffle", addedBytes: 0, lower };

function lower(context: LowerContext): Step[] {
  const { elementBytes, blockElements, compressor } = readClientData(context);
  const { filter } = context;
  if (elementBytes === 0) context.refuse("its client data gives an element size of 0 bytes");
  const inputBytes = knownInputBytes(context);
  if (inputBytes % elementBytes !== 0) {
    context.refuse(`its elements of ${elementBytes} bytes do not divide a chunk of ${inputBytes} bytes`);
  }
  const unshuffle: Step = { op: "bit-unshuffle", filter, elementBytes, blockElements };
  switch (compressor) {
    case LZ4:
      return [{ op: "lz4-block", filter, framing: "bitshuffle", elementBytes }, unshuffle];
    case NO_COMPRESSION:
      if (blockElements % GROUP_ELEMENTS !== 0) {
        context.refuse(`its blocks of ${blockElements} elements are not a multiple of ${GROUP_ELEMENTS}`);
      }
      return [unshuffle];
    case ZSTANDARD:
      return context.refuse("it compresses with Zstandard (bitshuffle+Zstandard), only LZ4 is decoded");
    default:
      return context.refuse(`it names compressor ${compressor}, only 0 (none) and 2 (LZ4) are decoded`);
  }
}

/**
 * [major, minor, element bytes, block elements, compressor, level], of which the end may be absent: the filter then
 * takes 0 for each, so a list of 3 means no compression. The element size is the one that the filter worked with, even
 * where the dataset's type has another one. Fewer than 3 values are the writer's own options [block elements,
 * compressor], stored by a program that had no plugin to put version and element size in front of them.
 */
function readClientData({ values, elementBytes }: LowerContext): ClientData {
  const optionsOnly = values.length < 3;
  const [blockElements = 0, compressor = NO_COMPRESSION] = optionsOnly ? values : values.slice(3);
  return { elementBytes: optionsOnly ? elementBytes : values[2]!, blockElements, compressor };
}
