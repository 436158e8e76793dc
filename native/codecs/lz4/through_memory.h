// Owns: literals and short matches of the fast loop, copied from and to the block's memory.
// Must not know: streams and bounds.
#pragma once
#include "core/bytes.h"

namespace framelab {
namespace {

/** What the fast loop asks for, for a Copy whose short matches are loads from the block. Holds nothing. */
template <class Copy>
struct ThroughMemory {
  FRAMELAB_INLINE void resume(const std::uint8_t*, std::size_t) {}
  FRAMELAB_INLINE void literals(std::uint8_t* out, const std::uint8_t* from, unsigned) {
    Copy::copy16(out, from);
  }
  FRAMELAB_INLINE void match(std::uint8_t* out, unsigned offset, unsigned length) {
    Copy::match_short(out, offset, length);
  }
};

}  // namespace
}  // namespace framelab
