// Owns: literal and match copies for arm64 NEON: overlapping matches by one table look-up.
// Must not know: streams and bounds. Every function may write kBlockSlack bytes behind what it is asked for.
#pragma once
#include <arm_neon.h>

#include "codecs/lz4/copy_portable.h"
#include "codecs/lz4/patterns.h"

namespace framelab {
namespace {

constexpr RepeatPattern<16> kRepeat16;

struct NeonCopy : PortableCopy {
  static FRAMELAB_INLINE void copy16(std::uint8_t* to, const std::uint8_t* from) {
    vst1q_u8(to, vld1q_u8(from));
  }

  static FRAMELAB_INLINE void literals(std::uint8_t* to, const std::uint8_t* from, std::size_t count) {
    std::uint8_t* const end = to + count;
    do {
      const uint8x16_t low = vld1q_u8(from);
      const uint8x16_t high = vld1q_u8(from + 16);
      vst1q_u8(to, low);
      vst1q_u8(to + 16, high);
      to += 32;
      from += 32;
    } while (to < end);
  }

  static FRAMELAB_INLINE uint8x16_t repeat16(const std::uint8_t* from, unsigned offset) {
    const unsigned row = offset < 16 ? offset : 16;
    return vqtbl1q_u8(vld1q_u8(from), vld1q_u8(kRepeat16.row[row]));
  }

  static FRAMELAB_INLINE void match_short(std::uint8_t* out, unsigned offset, unsigned length) {
    const std::uint8_t* from = out - offset;
    vst1q_u8(out, repeat16(from, offset));
    if (FRAMELAB_UNLIKELY(length > 16)) {
      from = offset >= 16 ? from + 16 : out + 16 - offset;
      out[16] = from[0];
      out[17] = from[1];
    }
  }

  template <class Prefetch>
  static FRAMELAB_INLINE void match(std::uint8_t* out, unsigned offset, std::size_t length, Prefetch& ahead) {
    std::uint8_t* const end = out + length;
    if (offset >= 16) {
      const std::uint8_t* from = out - offset;
      do {
        copy16(out, from);
        out += 16;
        from += 16;
        ahead.turn();
      } while (out < end);
    } else {
      const uint8x16_t pattern = repeat16(out - offset, offset);
      const unsigned step = 16 - 16 % offset;
      do {
        vst1q_u8(out, pattern);
        out += step;
        ahead.turn();
      } while (out < end);
    }
  }

  static FRAMELAB_INLINE bool extend(const std::uint8_t*& in, const std::uint8_t* end, std::size_t& length) {
    while (end - in >= 16 && vminvq_u8(vld1q_u8(in)) == 255) {
      length += std::size_t{255} * 16;
      in += 16;
    }
    return PortableCopy::extend(in, end, length);
  }
};

}  // namespace
}  // namespace framelab
