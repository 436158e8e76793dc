// Owns: the known answers of probe_simd (metal/08-self-test.metal).
// Must not know: Metal, decoders.
#pragma once
#include <cstdint>
#include <string>

namespace framelab::metal {

constexpr std::uint32_t kProbeWordsOfLane = 12;
constexpr std::uint32_t kProbeWords = 32 * kProbeWordsOfLane;

/** First wrong answer in words; empty when all are right. `counters`: lowest, highest, bits of the lanes. */
std::string probe_difference(const std::uint32_t* results, const std::uint32_t* counters);

}  // namespace framelab::metal
