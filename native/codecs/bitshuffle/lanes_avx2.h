// Owns: the AVX2 vector operations of the bit-unshuffle, with or without the GFNI bit transpose.
// Must not know: what they are used for.
#pragma once
#include <immintrin.h>

#include "core/bytes.h"

namespace framelab {
namespace {

template <bool kGfni>
struct Avx2Lanes {
  using Vec = __m256i;
  static constexpr unsigned kLanes = 2;
  static constexpr bool kBitTranspose = kGfni;

  static FRAMELAB_INLINE Vec load(const std::uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const Vec*>(p));
  }
  static FRAMELAB_INLINE Vec zero() { return _mm256_setzero_si256(); }
  static FRAMELAB_INLINE Vec fill(int byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }
  static FRAMELAB_INLINE Vec and_(Vec a, Vec b) { return _mm256_and_si256(a, b); }
  static FRAMELAB_INLINE Vec xor_(Vec a, Vec b) { return _mm256_xor_si256(a, b); }
  template <int kBits>
  static FRAMELAB_INLINE Vec shift_right(Vec a) {
    return _mm256_srli_epi16(a, kBits);
  }
  template <int kBits>
  static FRAMELAB_INLINE Vec shift_left(Vec a) {
    return _mm256_slli_epi16(a, kBits);
  }
  static FRAMELAB_INLINE Vec low8(Vec a, Vec b) { return _mm256_unpacklo_epi8(a, b); }
  static FRAMELAB_INLINE Vec high8(Vec a, Vec b) { return _mm256_unpackhi_epi8(a, b); }
  static FRAMELAB_INLINE Vec low16(Vec a, Vec b) { return _mm256_unpacklo_epi16(a, b); }
  static FRAMELAB_INLINE Vec high16(Vec a, Vec b) { return _mm256_unpackhi_epi16(a, b); }
  static FRAMELAB_INLINE Vec low32(Vec a, Vec b) { return _mm256_unpacklo_epi32(a, b); }
  static FRAMELAB_INLINE Vec high32(Vec a, Vec b) { return _mm256_unpackhi_epi32(a, b); }

  static FRAMELAB_INLINE Vec transpose_bits([[maybe_unused]] Vec a) {
#if defined(__GFNI__)
    // a times the identity, with a as the matrix: its transpose.
    return _mm256_gf2p8affine_epi64_epi8(_mm256_set1_epi64x(static_cast<long long>(0x8040201008040201)), a,
                                         0);
#else
    return a;
#endif
  }

  /** Lane 0 of each vector to `out`, lane 1 of each `lane_bytes` behind: one cache line after the other. */
  static FRAMELAB_INLINE void store_line(std::uint8_t* out, std::size_t lane_bytes, Vec a, Vec b, Vec c,
                                         Vec d) {
    store(out, _mm256_permute2x128_si256(a, b, 0x20));
    store(out + 32, _mm256_permute2x128_si256(c, d, 0x20));
    store(out + lane_bytes, _mm256_permute2x128_si256(a, b, 0x31));
    store(out + lane_bytes + 32, _mm256_permute2x128_si256(c, d, 0x31));
  }

  static FRAMELAB_INLINE bool zero64(const std::uint8_t* p) {
    const Vec any = _mm256_or_si256(load(p), load(p + 32));
    return _mm256_testz_si256(any, any) != 0;
  }

 private:
  static FRAMELAB_INLINE void store(std::uint8_t* p, Vec v) {
    _mm256_storeu_si256(reinterpret_cast<Vec*>(p), v);
  }
};

}  // namespace
}  // namespace framelab
