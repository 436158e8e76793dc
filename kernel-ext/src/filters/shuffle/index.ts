// Owns: the byte shuffle filter (2) of HDF5 itself.
// Must not know: chunk bytes, backends.
import type { Filter } from "../filter";

/** Client data: [element bytes]; absent in files of very old writers, where the type's size holds. */
export const shuffle: Filter = {
  id: 2,
  name: "shuffle",
  addedBytes: 0,
  lower({ filter, values, elementBytes, refuse }) {
    const shuffled = values[0] ?? elementBytes;
    if (shuffled === 0) refuse("its client data gives an element size of 0 bytes");
    return [{ op: "byte-unshuffle", filter, elementBytes: shuffled }];
  },
};
