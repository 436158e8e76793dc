// Owns: reading from JavaScript what the frames of a batch are added to.
// Must not know: how they are added.
#pragma once
#include <napi.h>

#include <vector>

#include "backends/cpu/frame_sums.h"

namespace framelab {

/** A checked plan, and the arrays that must live as long as it is used. */
struct SumArgument {
  SumPlan plan;
  std::vector<Napi::ObjectReference> arrays;
};

/** `from` for `chunks` chunks of `chunk_bytes` bytes. */
SumArgument sum_argument(const Napi::Object& from, std::size_t chunks, std::size_t chunk_bytes);

}  // namespace framelab
