// Owns: the deflate filter (1) of HDF5 itself: a zlib stream.
// Must not know: chunk bytes, backends.
import { type Filter, knownInputBytes } from "../filter";

export const deflate: Filter = {
  id: 1,
  name: "deflate",
  addedBytes: 0,
  lower(context) {
    knownInputBytes(context);
    return [{ op: "inflate", filter: context.filter }];
  },
};
