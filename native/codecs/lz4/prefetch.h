// Owns: asking for the output's cache lines while a block is still being decoded to scratch.
// Must not know: LZ4. A prefetch never faults, so the window may reach past the output.
#pragma once
#include "core/bytes.h"

namespace framelab {
namespace {

/**
 * Walks a window of 8 KiB, one line per call of `line`, so that the stores of the bit-unshuffle find their
 * lines owned. Wraps: a block with many sequences asks for the same lines again, which costs nothing.
 */
class PrefetchOutput {
 public:
  explicit PrefetchOutput(const std::uint8_t* output) : base_(reinterpret_cast<std::uintptr_t>(output)) {}

  FRAMELAB_INLINE void line() {
    __builtin_prefetch(reinterpret_cast<const void*>(base_ + at_), 1, 3);
    at_ = (at_ + kLine) & kWindowMask;
  }

  /** For loops that write `bytes` (16, 32 or 64) a turn: one prefetch for each line passed. */
  template <unsigned kBytes>
  FRAMELAB_INLINE void step() {
    if (kBytes == kLine || (at_ & (kLine - kBytes)) == 0) {
      __builtin_prefetch(reinterpret_cast<const void*>(base_ + at_), 1, 3);
    }
    at_ = (at_ + kBytes) & kWindowMask;
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
  FRAMELAB_INLINE void line() {}
  template <unsigned kBytes>
  FRAMELAB_INLINE void step() {}
};

}  // namespace
}  // namespace framelab
