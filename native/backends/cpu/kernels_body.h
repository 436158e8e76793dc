// Owns: the inner operations of kernels.h, made from a Copy and a Planes policy.
// Must not know: which instruction set it is compiled for. Included once by each kernels_*.cc.
#pragma once
#include "backends/cpu/kernels.h"
#include "codecs/bitshuffle/unshuffle.h"
#include "codecs/lz4/block.h"

namespace framelab {
namespace {

/** `Ahead`: PrefetchOutput where asking for the output early pays on this set (measured), else NoPrefetch. */
template <class Copy, class Planes, class Ahead>
struct KernelsBody {
  static Reason decode_block(BlockStream stream, std::uint8_t* out, std::size_t size,
                             const std::uint8_t* ahead) {
    if (ahead == nullptr) return decode<NoPrefetch>(stream, out, size, ahead);
    return decode<Ahead>(stream, out, size, ahead);
  }

  static void unshuffle(const std::uint8_t* planes, std::uint8_t* out, std::size_t elements,
                        unsigned element_bytes) {
    unshuffle_block<Planes>(planes, out, elements, element_bytes);
  }

 private:
  template <class Prefetch>
  static Reason decode(BlockStream stream, std::uint8_t* out, std::size_t size, const std::uint8_t* ahead) {
    return BlockDecoder<Copy, Prefetch>(stream, out, size, Prefetch(ahead)).run();
  }
};

}  // namespace
}  // namespace framelab
