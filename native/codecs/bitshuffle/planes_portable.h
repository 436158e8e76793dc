// Owns: the Planes policy for processors without a vector policy: no vector steps, everything by 64-bit
// arithmetic.
// Must not know: LZ4, files, frames.
#pragma once
#include "codecs/bitshuffle/transpose8.h"
#include "core/bytes.h"

namespace framelab {
namespace {

struct PortablePlanes {
  /** 8 elements: one byte of each plane. */
  static constexpr std::size_t kStep = 8;

  static FRAMELAB_INLINE bool zero64(const std::uint8_t* p) {
    std::uint64_t any = 0;
    for (unsigned i = 0; i < 64; i += 8) any |= load64(p + i);
    return any == 0;
  }

  template <unsigned kBytes, unsigned kLive>
  static FRAMELAB_INLINE void step(const std::uint8_t* planes, std::size_t stride, std::uint8_t* out) {
    for (unsigned group = 0; group < kBytes; ++group) {
      std::uint64_t bits = 0;
      if (group < kLive) {
        for (unsigned b = 0; b < 8; ++b) bits |= std::uint64_t{planes[(8 * group + b) * stride]} << (8 * b);
        bits = transpose8(bits);
      }
      for (unsigned k = 0; k < 8; ++k) out[k * kBytes + group] = static_cast<std::uint8_t>(bits >> (8 * k));
    }
  }
};

}  // namespace
}  // namespace framelab
