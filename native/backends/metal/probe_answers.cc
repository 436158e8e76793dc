// Owns: the answers of probe_answers.h, computed lane by lane.
// Must not know: Metal, decoders.
#include "backends/metal/probe_answers.h"

namespace framelab::metal {
namespace {

std::uint32_t seed_of(std::uint32_t lane) { return lane * 2654435761u + 12345u; }

// Byte `at` of the shared array in which lane l wrote seed, seed + 1, seed + 2, seed + 3.
std::uint32_t shared_word(std::uint32_t at) { return seed_of(at / 4) + at % 4; }

std::uint32_t answer(std::uint32_t lane, std::uint32_t word) {
  const std::uint32_t seed = seed_of(lane);
  const std::uint32_t shift = lane % 4 * 8;
  std::uint32_t sum = 0;
  switch (word) {
    case 0:
      return 32;
    case 1:
      return seed_of((lane * 7 + 3) % 32);
    case 2:
      return seed_of(lane ^ 1) ^ seed_of(lane ^ 2);
    case 3:
      return seed_of(31);
    case 4:
      for (std::uint32_t l = 0; l < 32; ++l) sum |= (seed_of(l) >> 2 & 1) << l;
      return sum;
    case 5:
      return 1;
    case 6:
      for (std::uint32_t l = 0; l <= lane; ++l) sum += seed_of(l) % 1024;
      return sum;
    case 7:
      return std::uint32_t(__builtin_popcount(seed)) << 16 | std::uint32_t(__builtin_clz(seed | 1)) << 8 |
             std::uint32_t(__builtin_ctz(seed | 0x80000000u));
    case 8:
      return std::uint32_t((std::uint64_t(~seed) << 32 | seed) >> shift);
    case 9:
      return shift == 0 ? seed : seed << shift | seed >> (32 - shift);
    case 10:
      return shared_word((lane * 5 + 2) % 128);
    default: {
      const std::uint32_t byte = (lane * 11 + 1) % 512;
      return shared_word(byte / 4) >> (byte % 4 * 8) & 255;
    }
  }
}

}  // namespace

std::string probe_difference(const std::uint32_t* results, const std::uint32_t* counters) {
  std::uint32_t lowest = UINT32_MAX, highest = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    lowest = seed_of(lane) < lowest ? seed_of(lane) : lowest;
    highest = seed_of(lane) > highest ? seed_of(lane) : highest;
    for (std::uint32_t word = 0; word < kProbeWordsOfLane; ++word)
      if (results[lane * kProbeWordsOfLane + word] != answer(lane, word))
        return "SIMD operation " + std::to_string(word) + " answers wrongly in lane " + std::to_string(lane);
  }
  if (counters[0] != lowest || counters[1] != highest || counters[2] != UINT32_MAX)
    return "atomics answer wrongly";
  return "";
}

}  // namespace framelab::metal
