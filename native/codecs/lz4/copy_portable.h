// Owns: literal and match copies in plain 64-bit C++: the base of the SSE2 policy, and the whole of the
// portable one.
// Must not know: streams and bounds. Every function may write kBlockSlack bytes behind what it is asked for.
#pragma once
#include "codecs/lz4/prefetch.h"
#include "codecs/lz4/through_memory.h"
#include "core/bytes.h"

namespace framelab {
namespace {

struct PortableCopy {
  template <class Copy>
  using Sequences = ThroughMemory<Copy>;

  /** Bytes that one turn of `literals` reads: it may read so many behind the last literal. */
  static constexpr std::size_t kLiteralStep = 32;

  static FRAMELAB_INLINE void copy16(std::uint8_t* to, const std::uint8_t* from) {
    const std::uint64_t low = load64(from);
    const std::uint64_t high = load64(from + 8);
    store64(to, low);
    store64(to + 8, high);
  }

  static FRAMELAB_INLINE void literals(std::uint8_t* to, const std::uint8_t* from, std::size_t count) {
    std::uint8_t* const end = to + count;
    do {
      copy16(to, from);
      copy16(to + 16, from + 16);
      to += 32;
      from += 32;
    } while (to < end);
  }

  /** A match of 4 to 18 bytes. */
  static FRAMELAB_INLINE void match_short(std::uint8_t* out, unsigned offset, unsigned length) {
    const std::uint8_t* from = out - offset;
    if (FRAMELAB_LIKELY(offset >= 8)) {
      store64(out, load64(from));
      store64(out + 8, load64(from + 8));
      from += 16;
    } else {
      store64(out, repeat8(from, offset));
      store64(out + 8, load64(out + 8 - kMultiple[offset]));
      from = out + 16 - offset;
    }
    if (FRAMELAB_UNLIKELY(length > 16)) {
      out[16] = from[0];
      out[17] = from[1];
    }
  }

  template <class Prefetch>
  static FRAMELAB_INLINE void match(std::uint8_t* out, unsigned offset, std::size_t length, Prefetch& ahead) {
    std::uint8_t* const end = out + length;
    if (offset >= 8) {
      const std::uint8_t* from = out - offset;
      do {
        store64(out, load64(from));
        out += 8;
        from += 8;
      } while (out < end);
    } else {
      match_repeat8(out, end, offset, ahead);
    }
  }

  /** Adds a length extension to `length`; false when its bytes run past the stream. Cannot wrap: a stream is
   * < 4 GiB. */
  static FRAMELAB_INLINE bool extend(const std::uint8_t*& in, const std::uint8_t* end, std::size_t& length) {
    unsigned more;
    do {
      if (FRAMELAB_UNLIKELY(in >= end)) return false;
      more = *in++;
      length += more;
    } while (more == 255);
    return true;
  }

 protected:
  /** The first `offset` (1..7) bytes at `from`, repeated over 8. */
  static FRAMELAB_INLINE std::uint64_t repeat8(const std::uint8_t* from, unsigned offset) {
    const std::uint64_t mask = (std::uint64_t{1} << (8 * offset)) - 1;
    return (load64(from) & mask) * kSpread[offset];
  }

  template <class Prefetch>
  static FRAMELAB_INLINE void match_repeat8(std::uint8_t* out, std::uint8_t* end, unsigned offset,
                                            Prefetch& ahead) {
    const std::uint64_t pattern = repeat8(out - offset, offset);
    const unsigned step = 8 - 8 % offset;
    do {
      store64(out, pattern);
      out += step;
      ahead.turn();
    } while (out < end);
  }

 private:
  /** A 1 in every offset-th byte: multiplying repeats the bytes. */
  static constexpr std::uint64_t kSpread[8] = {0,
                                               0x0101010101010101,
                                               0x0001000100010001,
                                               0x0001000001000001,
                                               0x0000000100000001,
                                               0x0000010000000001,
                                               0x0001000000000001,
                                               0x0100000000000001};
  /** Smallest multiple of the offset that is at least 8: how far back the second word lies. */
  static constexpr unsigned kMultiple[8] = {8, 8, 8, 9, 8, 10, 12, 14};
};

}  // namespace
}  // namespace framelab
