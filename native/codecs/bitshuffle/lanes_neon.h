// Owns: the NEON vector operations of the bit-unshuffle.
// Must not know: what they are used for.
#pragma once
#include <arm_neon.h>

#include "core/bytes.h"

namespace framelab {
namespace {

struct NeonLanes {
  using Vec = uint8x16_t;
  static constexpr unsigned kLanes = 1;
  static constexpr bool kBitTranspose = false;

  static FRAMELAB_INLINE Vec load(const std::uint8_t* p) { return vld1q_u8(p); }
  static FRAMELAB_INLINE Vec zero() { return vdupq_n_u8(0); }
  static FRAMELAB_INLINE Vec fill(int byte) { return vdupq_n_u8(static_cast<std::uint8_t>(byte)); }
  static FRAMELAB_INLINE Vec and_(Vec a, Vec b) { return vandq_u8(a, b); }
  static FRAMELAB_INLINE Vec xor_(Vec a, Vec b) { return veorq_u8(a, b); }
  template <int kBits>
  static FRAMELAB_INLINE Vec shift_right(Vec a) {
    return vreinterpretq_u8_u16(vshrq_n_u16(vreinterpretq_u16_u8(a), kBits));
  }
  template <int kBits>
  static FRAMELAB_INLINE Vec shift_left(Vec a) {
    return vreinterpretq_u8_u16(vshlq_n_u16(vreinterpretq_u16_u8(a), kBits));
  }
  static FRAMELAB_INLINE Vec low8(Vec a, Vec b) { return vzip1q_u8(a, b); }
  static FRAMELAB_INLINE Vec high8(Vec a, Vec b) { return vzip2q_u8(a, b); }
  static FRAMELAB_INLINE Vec low16(Vec a, Vec b) {
    return vreinterpretq_u8_u16(vzip1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
  }
  static FRAMELAB_INLINE Vec high16(Vec a, Vec b) {
    return vreinterpretq_u8_u16(vzip2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
  }
  static FRAMELAB_INLINE Vec low32(Vec a, Vec b) {
    return vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
  }
  static FRAMELAB_INLINE Vec high32(Vec a, Vec b) {
    return vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
  }

  /** The 64 bytes of `a` to `d`; the lane distance is for wider vectors. */
  static FRAMELAB_INLINE void store_line(std::uint8_t* out, std::size_t, Vec a, Vec b, Vec c, Vec d) {
    vst1q_u8(out, a);
    vst1q_u8(out + 16, b);
    vst1q_u8(out + 32, c);
    vst1q_u8(out + 48, d);
  }

  static FRAMELAB_INLINE bool zero64(const std::uint8_t* p) {
    return vmaxvq_u8(vorrq_u8(vorrq_u8(load(p), load(p + 16)), vorrq_u8(load(p + 32), load(p + 48)))) == 0;
  }
};

}  // namespace
}  // namespace framelab
