// Owns: the blocks of known_blocks.h, written sequence by sequence beside what they decode to.
// Must not know: Metal, kernels.
#include "backends/metal/known_blocks.h"

#include <algorithm>

namespace framelab::metal {
namespace {

/** A stream and what it decodes to, grown together. */
class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random_(seed) {}

  void sequence(std::size_t literals, std::size_t offset, std::size_t match) {
    const std::size_t beyond = match == 0 ? 0 : match - 4;
    stream.push_back(static_cast<std::uint8_t>((std::min<std::size_t>(literals, 15) << 4) |
                                               std::min<std::size_t>(beyond, 15)));
    if (literals >= 15) length(literals - 15);
    for (std::size_t i = 0; i < literals; ++i) {
      random_ = random_ * 1664525u + 1013904223u;
      stream.push_back(static_cast<std::uint8_t>(random_ >> 24));
      planes.push_back(stream.back());
    }
    if (match == 0) return;
    stream.push_back(static_cast<std::uint8_t>(offset));
    stream.push_back(static_cast<std::uint8_t>(offset >> 8));
    if (beyond >= 15) length(beyond - 15);
    for (std::size_t i = 0; i < match; ++i)
      planes.push_back(offset == 0 || offset > planes.size() ? 0 : planes[planes.size() - offset]);
  }

  std::vector<std::uint8_t> stream;
  std::vector<std::uint8_t> planes;

 private:
  void length(std::size_t beyond) {
    for (; beyond >= 255; beyond -= 255) stream.push_back(255);
    stream.push_back(static_cast<std::uint8_t>(beyond));
  }
  std::uint32_t random_;
};

/** Every branch of the copy engine: near and far offsets, short and long matches, long literals. */
KnownBlock varied(std::size_t bytes, std::uint32_t seed) {
  static constexpr std::size_t kOffsets[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 63, 100, 159, 160, 170};
  static constexpr std::size_t kLengths[] = {4, 9, 18, 19, 31, 32, 33, 64, 5, 6};
  Writer w(seed);
  w.sequence(180, kOffsets[seed % 16], 6);
  for (std::size_t i = seed; w.planes.size() + 90 < bytes; ++i)
    w.sequence(i % 3 == 0 ? i % 20 : 0, kOffsets[i * 5 % 16], kLengths[i % 10]);
  w.sequence(bytes - w.planes.size(), 0, 0);
  return {w.stream, w.planes, bytes};
}

KnownBlock finished(Writer w, std::size_t bytes, bool good) {
  if (!good) w.planes.clear();
  return {w.stream, w.planes, bytes};
}

}  // namespace

std::vector<KnownBlock> known_blocks(std::size_t bytes) {
  std::vector<KnownBlock> blocks;
  for (std::uint32_t seed = 0; seed < 4; ++seed) blocks.push_back(varied(bytes, seed));
  Writer zeros(5);
  zeros.sequence(1, 1, bytes - 1);
  blocks.push_back(finished(zeros, bytes, true));
  Writer literals(6);
  literals.sequence(bytes, 0, 0);
  blocks.push_back(finished(literals, bytes, true));
  // One block for each of the nine bounds, in their order.
  static constexpr std::uint8_t kTails[][5] = {{0xf0}, {0x50, 1, 2},    {}, {0x10, 9, 1}, {},
                                               {},     {0x1f, 9, 1, 0}, {}, {0}};
  static constexpr std::size_t kTailBytes[] = {1, 3, 0, 3, 0, 0, 4, 0, 1};
  for (std::size_t bound = 0; bound < 9; ++bound) {
    Writer w(static_cast<std::uint32_t>(bound));
    w.sequence(20, 3, 30);
    if (bound == 2) w.sequence(bytes - 49, 0, 0);
    if (bound == 4 || bound == 5) {
      w.sequence(4, bound == 4 ? 0 : 65535, 40);
      w.sequence(bytes - w.planes.size(), 0, 0);
    }
    if (bound == 7) w.sequence(4, 2, bytes - 53);
    w.stream.insert(w.stream.end(), kTails[bound], kTails[bound] + kTailBytes[bound]);
    blocks.push_back(finished(w, bytes, false));
  }
  return blocks;
}

std::vector<std::uint8_t> unshuffle_bits(const std::vector<std::uint8_t>& planes, std::size_t element_bytes) {
  const std::size_t elements = planes.size() / element_bytes;
  std::vector<std::uint8_t> out(planes.size(), 0);
  for (std::size_t e = 0; e < elements; ++e)
    for (std::size_t bit = 0; bit < 8 * element_bytes; ++bit)
      if ((planes[bit * (elements / 8) + e / 8] >> (e % 8) & 1) != 0)
        out[e * element_bytes + bit / 8] =
            static_cast<std::uint8_t>(out[e * element_bytes + bit / 8] | (1u << (bit % 8)));
  return out;
}

}  // namespace framelab::metal
