// Owns: tables of byte indexes that repeat a match's first `offset` bytes over a whole vector.
// Must not know: processors.
#pragma once
#include "core/bytes.h"

namespace framelab {
namespace {

/** row[d][i] = (first + i) mod d; row 0 is unused. Row kWidth is the identity: a match that does not overlap
 * itself. */
template <unsigned kWidth, unsigned kFirst = 0>
struct RepeatPattern {
  alignas(64) std::uint8_t row[kWidth + 1][kWidth] = {};

  constexpr RepeatPattern() {
    for (unsigned d = 1; d <= kWidth; ++d) {
      for (unsigned i = 0; i < kWidth; ++i) row[d][i] = static_cast<std::uint8_t>((kFirst + i) % d);
    }
  }
};

}  // namespace
}  // namespace framelab
