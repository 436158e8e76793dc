// Owns: literal and long-match copies for AVX-512 VBMI: up to 64 bytes are one load, one permute, one store.
// Must not know: streams and bounds. Every function may write kBlockSlack bytes behind what it is asked for.
#pragma once
#include <immintrin.h>

#include "codecs/lz4/copy_avx2.h"
#include "codecs/lz4/patterns.h"
#include "codecs/lz4/recent_avx512.h"

namespace framelab {
namespace {

constexpr RepeatPattern<64> kRepeat64;

struct Avx512Copy : Avx2Copy {
  template <class Copy>
  using Sequences = RecentBytes;

  static constexpr std::size_t kLiteralStep = 64;

  static FRAMELAB_INLINE void literals(std::uint8_t* to, const std::uint8_t* from, std::size_t count) {
    std::uint8_t* const end = to + count;
    do {
      _mm512_storeu_si512(to, _mm512_loadu_si512(from));
      to += 64;
      from += 64;
    } while (to < end);
  }

  template <class Prefetch>
  static FRAMELAB_INLINE void match(std::uint8_t* out, unsigned offset, std::size_t length, Prefetch& ahead) {
    if (length <= 64) {
      _mm512_storeu_si512(out, repeat64(out - offset, offset));
      return;
    }
    std::uint8_t* const end = out + length;
    if (offset >= 64) {
      const std::uint8_t* from = out - offset;
      do {
        _mm512_storeu_si512(out, _mm512_loadu_si512(from));
        out += 64;
        from += 64;
        ahead.turn();
      } while (out < end);
    } else {
      const __m512i pattern = repeat64(out - offset, offset);
      const unsigned step = 64 - 64 % offset;
      do {
        _mm512_storeu_si512(out, pattern);
        out += step;
        ahead.turn();
      } while (out < end);
    }
  }

  /** Masked loads: a run of 255s is counted 64 bytes at a time, never past the stream. */
  static FRAMELAB_INLINE bool extend(const std::uint8_t*& in, const std::uint8_t* end, std::size_t& length) {
    if (FRAMELAB_UNLIKELY(in >= end)) return false;
    const unsigned first = *in++;
    length += first;
    if (FRAMELAB_LIKELY(first != 255)) return true;
    for (;;) {
      const auto left = static_cast<std::size_t>(end - in);
      const __mmask64 inside = left >= 64 ? ~__mmask64{0} : (__mmask64{1} << left) - 1;
      const __m512i bytes = _mm512_maskz_loadu_epi8(inside, in);
      const std::uint64_t other = ~_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(-1));
      if (FRAMELAB_LIKELY(other != 0)) {
        const auto run = static_cast<unsigned>(__builtin_ctzll(other));
        if (FRAMELAB_UNLIKELY(run >= left)) return false;
        length += 255 * run + in[run];
        in += run + 1;
        return true;
      }
      length += std::size_t{255} * 64;
      in += 64;
    }
  }

 private:
  static FRAMELAB_INLINE __m512i repeat64(const std::uint8_t* from, unsigned offset) {
    const unsigned row = offset < 64 ? offset : 64;
    return _mm512_permutexvar_epi8(_mm512_load_si512(kRepeat64.row[row]), _mm512_loadu_si512(from));
  }
};

}  // namespace
}  // namespace framelab
