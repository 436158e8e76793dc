// Owns: the Planes policy for AVX-512 VBMI + GFNI: 512 elements a step, byte weaving by two-source permutes.
// Must not know: LZ4, files, frames.
#pragma once
#include <immintrin.h>

#include "core/bytes.h"

namespace framelab {
namespace {

/** Byte indexes, built by the compiler: 64 of them a row. */
struct WeaveIndexes {
  /** Lower and upper half of two vectors, byte by byte. */
  alignas(64) std::uint8_t pair[2][64] = {};
  /** Words 0..15 and 16..31 of two vectors, word by word, as byte pairs. */
  alignas(64) std::uint16_t words[2][32] = {};
  /** Every byte of a vector kBytes times: the upper ones are masked to zero. */
  alignas(64) std::uint8_t spread2[2][64] = {};
  alignas(64) std::uint8_t spread4[4][64] = {};
  /** Eight columns of eight bytes to rows, last byte first. */
  alignas(64) std::uint8_t transpose[64] = {};

  constexpr WeaveIndexes() {
    for (unsigned i = 0; i < 64; ++i) {
      for (unsigned h = 0; h < 2; ++h) {
        pair[h][i] = static_cast<std::uint8_t>((32 * h + i / 2) | ((i & 1) != 0 ? 64 : 0));
        spread2[h][i] = static_cast<std::uint8_t>(32 * h + i / 2);
      }
      for (unsigned h = 0; h < 4; ++h) spread4[h][i] = static_cast<std::uint8_t>(16 * h + i / 4);
      transpose[i] = static_cast<std::uint8_t>(8 * (7 - i % 8) + i / 8);
    }
    for (unsigned h = 0; h < 2; ++h) {
      for (unsigned i = 0; i < 32; ++i) {
        words[h][i] = static_cast<std::uint16_t>((16 * h + i / 2) | ((i & 1) != 0 ? 32 : 0));
      }
    }
  }
};

constexpr WeaveIndexes kWeave;

struct Avx512Planes {
  using Vec = __m512i;
  static constexpr std::size_t kStep = 512;

  static FRAMELAB_INLINE bool zero64(const std::uint8_t* p) {
    const Vec v = _mm512_loadu_si512(p);
    return _mm512_test_epi8_mask(v, v) == 0;
  }

  template <unsigned kBytes, unsigned kLive>
  static FRAMELAB_INLINE void step(const std::uint8_t* planes, std::size_t stride, std::uint8_t* out) {
    Vec group[kLive][8];
    for (unsigned g = 0; g < kLive; ++g) transpose(planes + 8 * g * stride, stride, group[g]);
    for (unsigned i = 0; i < 8; ++i) {
      std::uint8_t* const at = out + 64 * kBytes * i;
      if constexpr (kBytes == 1) {
        store(at, group[0][i]);
      } else if constexpr (kBytes == 2) {
        weave2<kLive>(group, i, at);
      } else {
        weave4<kLive>(group, i, at);
      }
    }
  }

 private:
  static FRAMELAB_INLINE void store(std::uint8_t* p, Vec v) { _mm512_storeu_si512(p, v); }

  template <unsigned kLive>
  static FRAMELAB_INLINE void weave2(const Vec (&group)[kLive][8], unsigned i, std::uint8_t* at) {
    for (unsigned h = 0; h < 2; ++h) {
      if constexpr (kLive == 1) {
        store(at + 64 * h, _mm512_maskz_permutexvar_epi8(0x5555555555555555,
                                                         _mm512_load_si512(kWeave.spread2[h]), group[0][i]));
      } else {
        store(at + 64 * h, pair(group[0][i], group[1][i], h));
      }
    }
  }

  template <unsigned kLive>
  static FRAMELAB_INLINE void weave4(const Vec (&group)[kLive][8], unsigned i, std::uint8_t* at) {
    if constexpr (kLive == 1) {
      for (unsigned h = 0; h < 4; ++h) {
        store(at + 64 * h, _mm512_maskz_permutexvar_epi8(0x1111111111111111,
                                                         _mm512_load_si512(kWeave.spread4[h]), group[0][i]));
      }
    } else {
      for (unsigned h = 0; h < 2; ++h) {
        const Vec low = pair(group[0][i], group[1][i], h);
        std::uint8_t* const half = at + 128 * h;
        if constexpr (kLive == 2) {
          store(half, _mm512_cvtepu16_epi32(_mm512_castsi512_si256(low)));
          store(half + 64, _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(low, 1)));
        } else {
          const Vec high = pair(group[2][i], group[3][i], h);
          store(half, _mm512_permutex2var_epi16(low, _mm512_load_si512(kWeave.words[0]), high));
          store(half + 64, _mm512_permutex2var_epi16(low, _mm512_load_si512(kWeave.words[1]), high));
        }
      }
    }
  }

  static FRAMELAB_INLINE Vec pair(Vec a, Vec b, unsigned half) {
    return _mm512_permutex2var_epi8(a, _mm512_load_si512(kWeave.pair[half]), b);
  }

  /** Eight planes to bytes: row[k] holds elements 64 k to 64 k + 63. */
  static FRAMELAB_INLINE void transpose(const std::uint8_t* planes, std::size_t stride, Vec row[8]) {
    const Vec identity = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201));
    const Vec order = _mm512_load_si512(kWeave.transpose);
    Vec even[4];
    Vec odd[4];
    for (unsigned i = 0; i < 4; ++i) {
      const Vec a = _mm512_loadu_si512(planes + 2 * i * stride);
      const Vec b = _mm512_loadu_si512(planes + (2 * i + 1) * stride);
      even[i] = _mm512_unpacklo_epi64(a, b);
      odd[i] = _mm512_unpackhi_epi64(a, b);
    }
    gather(even, row);
    gather(odd, row + 1);
    for (unsigned k = 0; k < 8; ++k) {
      row[k] = _mm512_gf2p8affine_epi64_epi8(identity, _mm512_permutexvar_epi8(order, row[k]), 0);
    }
  }

  /** Word w of each of eight planes together in one vector: rows 0, 2, 4, 6 for the words of `pairs`. */
  static FRAMELAB_INLINE void gather(const Vec pairs[4], Vec row[8]) {
    const Vec a = _mm512_shuffle_i64x2(pairs[0], pairs[1], 0x44);
    const Vec b = _mm512_shuffle_i64x2(pairs[0], pairs[1], 0xee);
    const Vec c = _mm512_shuffle_i64x2(pairs[2], pairs[3], 0x44);
    const Vec d = _mm512_shuffle_i64x2(pairs[2], pairs[3], 0xee);
    row[0] = _mm512_shuffle_i64x2(a, c, 0x88);
    row[2] = _mm512_shuffle_i64x2(a, c, 0xdd);
    row[4] = _mm512_shuffle_i64x2(b, d, 0x88);
    row[6] = _mm512_shuffle_i64x2(b, d, 0xdd);
  }
};

}  // namespace
}  // namespace framelab
