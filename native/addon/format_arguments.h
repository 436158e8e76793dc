// Owns: reading a chunk format and an instruction set from JavaScript.
// Must not know: batches, files.
#pragma once
#include <napi.h>

#include "backends/cpu/chunk.h"

namespace framelab {

/** Reads layout, chunkBytes, filterElementBytes, blockElements, swapBytes and filter. */
ChunkFormat format_argument(const Napi::Object& from);

/** Reads isa: the name of a set that this processor runs. */
const Kernels& kernels_argument(const Napi::Object& from);

}  // namespace framelab
