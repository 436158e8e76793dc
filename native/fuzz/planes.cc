// Owns: the sweep of planes.h.
// Must not know: LZ4, chunks; how an instruction set goes about it.
#include "fuzz/planes.h"

#include <algorithm>

#include "fuzz/cases.h"
#include "fuzz/guarded.h"

namespace framelab::fuzz {

namespace {

constexpr std::size_t kMostBytes = 8 * kMostPlaneElements;

/** Planes of which the lowest `live` groups hold anything, the uppermost of them one set bit at least. */
ByteVector some_planes(std::size_t elements, unsigned element_bytes, unsigned live, Random& random) {
  ByteVector planes(elements * element_bytes);
  for (std::size_t i = 0; i < elements * live; ++i) planes[i] = random.below(2) == 0 ? 0 : random.byte();
  if (live > 0) planes[elements * (live - 1) + random.below(elements)] |= 1;
  return planes;
}

}  // namespace

std::string check_planes(const Kernels& kernels, std::size_t& cases) {
  Guarded in{kMostBytes};
  Guarded out{kMostBytes};
  Random random(1);
  for (unsigned element_bytes = 1; element_bytes <= 8; element_bytes *= 2) {
    for (std::size_t elements = kFewestPlaneElements; elements <= kMostPlaneElements; elements += 8) {
      for (unsigned live = 0; live <= element_bytes; ++live, ++cases) {
        const ByteVector planes = some_planes(elements, element_bytes, live, random);
        const ByteVector expected = reference_unshuffle(planes, element_bytes);
        std::uint8_t* const from = in.last(planes.size(), 0);
        std::copy(planes.begin(), planes.end(), from);
        std::uint8_t* const to = out.last(planes.size(), static_cast<std::uint8_t>(~expected[0]));
        kernels.unshuffle(from, to, elements, element_bytes);
        const bool same = std::equal(expected.begin(), expected.end(), to) && out.intact();
        in.reset();
        out.reset();
        if (!same) {
          return std::string(kernels.name) + ", " + std::to_string(elements) + " elements of " +
                 std::to_string(element_bytes) + " bytes, " + std::to_string(live) + " groups";
        }
      }
    }
  }
  return "";
}

}  // namespace framelab::fuzz
