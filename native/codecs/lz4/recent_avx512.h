// Owns: literals and short matches of the fast loop with the last 32 decoded bytes kept in a register.
// Must not know: streams and bounds.
//
// Half of the matches of detector data reach back at most 32 bytes, into stores that have not left the store
// queue and that no single one of them covers: each such load waits for all of them, and the next match waits
// for its result. So the bytes are taken from a register instead. What is to be picked is worked out on vectors
// of byte indexes, which depend on the stream alone: from one sequence to the next the decoded bytes pass one
// permute. Offsets over 32 load from the block. Zen 4, counts, LZ4 alone, against loads for all offsets: 21 to
// 24 % fewer cycles. A 64-byte register is slower (its permutes take two turns), and two 16-byte shuffles
// on AVX2 slower than loads.
#pragma once
#include <immintrin.h>

#include "core/bytes.h"

namespace framelab {
namespace {

/** Indexes 0..31 mean the recent bytes, 32..63 those of the sequence: 14 literals, then 18 of a far match. */
struct RecentIndexes {
  static constexpr unsigned kRecent = 32;
  static constexpr unsigned kLiterals = 14;
  static constexpr unsigned kMatch = kRecent - kLiterals;
  static constexpr unsigned kFar = kRecent + 1;

  /** 0, 1, 2 …: read at n, it moves both halves down by n bytes. */
  alignas(64) std::uint8_t slide[96] = {};
  /** A match at an offset of 1..32, in the recent bytes; row kFar takes the far match. */
  alignas(64) std::uint8_t match[kFar + 1][kRecent] = {};
  alignas(64) std::uint8_t far_match[kRecent] = {};

  constexpr RecentIndexes() {
    for (unsigned i = 0; i < 2 * kRecent; ++i) slide[i] = static_cast<std::uint8_t>(i);
    for (unsigned offset = 1; offset <= kRecent; ++offset) {
      for (unsigned i = 0; i < kRecent; ++i) {
        match[offset][i] = static_cast<std::uint8_t>(kRecent - offset + i % offset);
      }
    }
    for (unsigned i = 0; i < kRecent; ++i) {
      match[kFar][i] = static_cast<std::uint8_t>(kRecent + i);
      far_match[i] = static_cast<std::uint8_t>(i < kMatch ? kRecent + kLiterals + i : 0);
    }
  }
};

constexpr RecentIndexes kRecentIndexes;

class RecentBytes {
  using Indexes = RecentIndexes;

 public:
  /** Before the first sequence, and behind every copy that did not pass here: `produced` bytes lie before `out`.
   */
  FRAMELAB_INLINE void resume(const std::uint8_t* out, std::size_t produced) {
    if (FRAMELAB_LIKELY(produced >= Indexes::kRecent)) {
      recent_ = load(out - Indexes::kRecent);
    } else {
      // Masked: no byte before the block is touched. The others are never picked, as no offset reaches them.
      const std::uint64_t there = ~std::uint64_t{0} << (Indexes::kRecent - produced);
      recent_ = _mm256_maskz_loadu_epi8(static_cast<__mmask32>(there), out - Indexes::kRecent);
    }
  }

  /** At most 14 of the 16 bytes at `from`. */
  FRAMELAB_INLINE void literals(std::uint8_t* out, const std::uint8_t* from, unsigned count) {
    literals_ = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), literals_);
    merged_ = load(kRecentIndexes.slide + count);
  }

  /** A match of 4 to 18 bytes, right behind the literals. Writes 32 bytes. */
  FRAMELAB_INLINE void match(std::uint8_t* out, unsigned offset, unsigned length) {
    const bool far_away = offset > Indexes::kRecent;
    const std::uint8_t* const from = far_away ? out - offset : kRecentIndexes.slide + Indexes::kLiterals;
    // Masked: the 14 bytes before `from` need not exist.
    const __m256i sequence = _mm256_mask_loadu_epi8(
        _mm256_castsi128_si256(literals_), ~__mmask32{0} << Indexes::kLiterals, from - Indexes::kLiterals);
    const __m256i row = load(kRecentIndexes.match[far_away ? Indexes::kFar : offset]);
    const __m256i copied = _mm256_permutex2var_epi8(merged_, row, load(kRecentIndexes.far_match));
    const __m256i next = _mm256_permutex2var_epi8(merged_, load(kRecentIndexes.slide + length), copied);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutex2var_epi8(recent_, copied, sequence));
    recent_ = _mm256_permutex2var_epi8(recent_, next, sequence);
  }

 private:
  static FRAMELAB_INLINE __m256i load(const std::uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }

  /** Byte 31 is the last one before the sequence. */
  __m256i recent_ = _mm256_setzero_si256();
  __m128i literals_ = _mm_setzero_si128();
  /** Where the last 32 bytes are once the literals are there, as indexes. */
  __m256i merged_ = _mm256_setzero_si256();
};

}  // namespace
}  // namespace framelab
