// Owns: literal and match copies for AVX2: overlapping matches by one byte permute.
// Must not know: streams and bounds. Every function may write kBlockSlack bytes behind what it is asked for.
#pragma once
#include <immintrin.h>

#include "codecs/lz4/copy_sse2.h"
#include "codecs/lz4/patterns.h"

namespace framelab {
namespace {

constexpr RepeatPattern<16> kRepeat16;

struct Avx2Copy : Sse2Copy {
  static FRAMELAB_INLINE __m256i load32(const std::uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static FRAMELAB_INLINE void store32(std::uint8_t* p, __m256i v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v);
  }
  /** 16 bytes of a match at any offset: no branch on overlap. */
  static FRAMELAB_INLINE __m128i repeat16(const std::uint8_t* from, unsigned offset) {
    const unsigned row = offset < 16 ? offset : 16;
    return _mm_shuffle_epi8(load(from), load(kRepeat16.row[row]));
  }

  static FRAMELAB_INLINE void match_short(std::uint8_t* out, unsigned offset, unsigned length) {
    const std::uint8_t* from = out - offset;
    store(out, repeat16(from, offset));
    if (FRAMELAB_UNLIKELY(length > 16)) {
      from = offset >= 16 ? from + 16 : out + 16 - offset;
      out[16] = from[0];
      out[17] = from[1];
    }
  }

  template <class Prefetch>
  static FRAMELAB_INLINE void match(std::uint8_t* out, unsigned offset, std::size_t length, Prefetch& ahead) {
    std::uint8_t* const end = out + length;
    if (offset > 64) {
      copy_apart(out, out - offset, end, ahead);
    } else if (offset >= 16) {
      repeat_wide(out, end, offset, ahead);
    } else {
      repeat_narrow(out, end, offset, ahead);
    }
  }

 private:
  template <class Prefetch>
  static FRAMELAB_INLINE void copy_apart(std::uint8_t* out, const std::uint8_t* from, std::uint8_t* end,
                                         Prefetch& ahead) {
    do {
      store32(out, load32(from));
      out += 32;
      from += 32;
      ahead.turn();
    } while (out < end);
  }

  /** Offsets 16..64: the pattern is built once, then stores only. */
  template <class Prefetch>
  static FRAMELAB_INLINE void repeat_wide(std::uint8_t* out, std::uint8_t* end, unsigned offset,
                                          Prefetch& ahead) {
    const __m256i low = load32(out - offset);
    const __m256i high = load32(out - offset + 32);
    if (offset <= 32) {
      do {
        store32(out, low);
        out += offset;
        ahead.turn();
      } while (out < end);
    } else {
      do {
        store32(out, low);
        store32(out + 32, high);
        out += offset;
        ahead.turn();
      } while (out < end);
    }
  }

  template <class Prefetch>
  static FRAMELAB_INLINE void repeat_narrow(std::uint8_t* out, std::uint8_t* end, unsigned offset,
                                            Prefetch& ahead) {
    const __m128i pattern = repeat16(out - offset, offset);
    const unsigned step = 16 - 16 % offset;
    if (step == 16) {
      const __m256i twice = _mm256_broadcastsi128_si256(pattern);
      do {
        store32(out, twice);
        out += 32;
        ahead.turn();
      } while (out < end);
    } else {
      do {
        store(out, pattern);
        out += step;
        ahead.turn();
      } while (out < end);
    }
  }
};

}  // namespace
}  // namespace framelab
