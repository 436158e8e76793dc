// Owns: the 8 x 8 bit transpose in one 64-bit word.
// Must not know: blocks.
#pragma once
#include "core/bytes.h"

namespace framelab {
namespace {

/** Transposes 8 x 8 bits: byte b of `x` is plane b of 8 elements; byte k of the result is element k. */
FRAMELAB_INLINE std::uint64_t transpose8(std::uint64_t x) {
  std::uint64_t t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AA;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCC;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0;
  return x ^ t ^ (t << 28);
}

}  // namespace
}  // namespace framelab
