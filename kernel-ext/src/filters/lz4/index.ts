// Owns: the LZ4 filter (32004) without bitshuffle.
// Must not know: chunk bytes, backends.
import { type Filter, knownInputBytes } from "../filter";

/** Its client data (a block size) is not needed: every chunk's header has its own. */
export const lz4: Filter = {
  id: 32004,
  name: "lz4",
  addedBytes: 0,
  lower(context) {
    knownInputBytes(context);
    return [{ op: "lz4-block", filter: context.filter, framing: "lz4" }];
  },
};
