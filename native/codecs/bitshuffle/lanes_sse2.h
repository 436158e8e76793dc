// Owns: the SSE2 vector operations of the bit-unshuffle.
// Must not know: what they are used for.
#pragma once
#include <emmintrin.h>

#include "core/bytes.h"

namespace framelab {
namespace {

struct Sse2Lanes {
  using Vec = __m128i;
  static constexpr unsigned kLanes = 1;
  static constexpr bool kBitTranspose = false;

  static FRAMELAB_INLINE Vec load(const std::uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const Vec*>(p));
  }
  static FRAMELAB_INLINE Vec zero() { return _mm_setzero_si128(); }
  static FRAMELAB_INLINE Vec fill(int byte) { return _mm_set1_epi8(static_cast<char>(byte)); }
  static FRAMELAB_INLINE Vec and_(Vec a, Vec b) { return _mm_and_si128(a, b); }
  static FRAMELAB_INLINE Vec xor_(Vec a, Vec b) { return _mm_xor_si128(a, b); }
  template <int kBits>
  static FRAMELAB_INLINE Vec shift_right(Vec a) {
    return _mm_srli_epi16(a, kBits);
  }
  template <int kBits>
  static FRAMELAB_INLINE Vec shift_left(Vec a) {
    return _mm_slli_epi16(a, kBits);
  }
  static FRAMELAB_INLINE Vec low8(Vec a, Vec b) { return _mm_unpacklo_epi8(a, b); }
  static FRAMELAB_INLINE Vec high8(Vec a, Vec b) { return _mm_unpackhi_epi8(a, b); }
  static FRAMELAB_INLINE Vec low16(Vec a, Vec b) { return _mm_unpacklo_epi16(a, b); }
  static FRAMELAB_INLINE Vec high16(Vec a, Vec b) { return _mm_unpackhi_epi16(a, b); }
  static FRAMELAB_INLINE Vec low32(Vec a, Vec b) { return _mm_unpacklo_epi32(a, b); }
  static FRAMELAB_INLINE Vec high32(Vec a, Vec b) { return _mm_unpackhi_epi32(a, b); }

  /** The 64 bytes of `a` to `d`; the lane distance is for wider vectors. */
  static FRAMELAB_INLINE void store_line(std::uint8_t* out, std::size_t, Vec a, Vec b, Vec c, Vec d) {
    _mm_storeu_si128(reinterpret_cast<Vec*>(out), a);
    _mm_storeu_si128(reinterpret_cast<Vec*>(out + 16), b);
    _mm_storeu_si128(reinterpret_cast<Vec*>(out + 32), c);
    _mm_storeu_si128(reinterpret_cast<Vec*>(out + 48), d);
  }

  static FRAMELAB_INLINE bool zero64(const std::uint8_t* p) {
    const Vec any =
        _mm_or_si128(_mm_or_si128(load(p), load(p + 16)), _mm_or_si128(load(p + 32), load(p + 48)));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(any, zero())) == 0xffff;
  }
};

}  // namespace
}  // namespace framelab
