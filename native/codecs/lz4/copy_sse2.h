// Owns: literal and match copies for x86-64's base instruction set (SSE2, no byte permute).
// Must not know: streams and bounds. Every function may write kBlockSlack bytes behind what it is asked for.
#pragma once
#include <emmintrin.h>

#include "codecs/lz4/copy_portable.h"

namespace framelab {
namespace {

struct Sse2Copy : PortableCopy {
  static FRAMELAB_INLINE __m128i load(const std::uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static FRAMELAB_INLINE void store(std::uint8_t* p, __m128i v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v);
  }
  static FRAMELAB_INLINE void copy16(std::uint8_t* to, const std::uint8_t* from) { store(to, load(from)); }

  static FRAMELAB_INLINE void literals(std::uint8_t* to, const std::uint8_t* from, std::size_t count) {
    std::uint8_t* const end = to + count;
    do {
      const __m128i low = load(from);
      const __m128i high = load(from + 16);
      store(to, low);
      store(to + 16, high);
      to += 32;
      from += 32;
    } while (to < end);
  }

  template <class Prefetch>
  static FRAMELAB_INLINE void match(std::uint8_t* out, unsigned offset, std::size_t length, Prefetch& ahead) {
    std::uint8_t* const end = out + length;
    const std::uint8_t* from = out - offset;
    if (offset > 32) {
      copy_apart(out, from, end, ahead);
    } else if (offset >= 16) {
      // Built once, then stores only: no load waits for a store.
      const __m128i low = load(from);
      const __m128i high = load(from + 16);
      do {
        store(out, low);
        store(out + 16, high);
        out += offset;
        ahead.turn();
      } while (out < end);
    } else if (offset >= 8) {
      do {
        store64(out, load64(from));
        out += 8;
        from += 8;
      } while (out < end);
    } else if (8 % offset == 0) {
      const __m128i pattern = _mm_set1_epi64x(static_cast<long long>(repeat8(from, offset)));
      do {
        store(out, pattern);
        out += 16;
        ahead.turn();
      } while (out < end);
    } else {
      match_repeat8(out, end, offset, ahead);
    }
  }

  static FRAMELAB_INLINE bool extend(const std::uint8_t*& in, const std::uint8_t* end, std::size_t& length) {
    while (end - in >= 16) {
      const auto equal =
          static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(load(in), _mm_set1_epi8(-1))));
      const unsigned other = equal ^ 0xffffU;
      if (FRAMELAB_LIKELY(other != 0)) {
        const auto run = static_cast<unsigned>(__builtin_ctz(other));
        length += 255 * run + in[run];
        in += run + 1;
        return true;
      }
      length += std::size_t{255} * 16;
      in += 16;
    }
    return PortableCopy::extend(in, end, length);
  }

 protected:
  template <class Prefetch>
  static FRAMELAB_INLINE void copy_apart(std::uint8_t* out, const std::uint8_t* from, std::uint8_t* end,
                                         Prefetch& ahead) {
    do {
      store(out, load(from));
      out += 16;
      from += 16;
      ahead.turn();
    } while (out < end);
  }
};

}  // namespace
}  // namespace framelab
