// Owns: asking for the output's cache lines while a block is still being decoded to scratch.
// Must not know: LZ4. A prefetch never faults, so the window may reach past the output.
#pragma once
#include "core/bytes.h"

namespace framelab {
namespace {

/**
 * Walks a window of 8 KiB and wraps: asking again for a line costs nothing. Into the second-level cache: the first
 * has too few misses under way for the writes of several cores (measured on Zen 4: two cores decode 8 to 14 %
 * more than with prefetches to write).
 */
class PrefetchOutput {
 public:
  explicit PrefetchOutput(const std::uint8_t* output) : base_(reinterpret_cast<std::uintptr_t>(output)) {}

  /** Once for each sequence. Two lines: a block that compresses badly has about half as many sequences as lines. */
  FRAMELAB_INLINE void sequence() {
    turn();
    turn();
  }

  /** Once for each turn of a loop that copies a long match. */
  FRAMELAB_INLINE void turn() {
    __builtin_prefetch(reinterpret_cast<const void*>(base_ + at_), 0, 2);
    at_ = (at_ + kLine) & kWindowMask;
  }

 private:
  static constexpr unsigned kLine = 64;
  static constexpr unsigned kWindowMask = 8191;
  std::uintptr_t base_;
  unsigned at_ = 0;
};

/** Where measuring says that the processor does better alone. */
class NoPrefetch {
 public:
  explicit NoPrefetch(const std::uint8_t*) {}
  FRAMELAB_INLINE void sequence() {}
  FRAMELAB_INLINE void turn() {}
};

}  // namespace
}  // namespace framelab
