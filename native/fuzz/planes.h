// Owns: what the fuzzer asks of the bit-unshuffle alone.
// Must not know: LZ4, chunks.
#pragma once
#include <cstddef>
#include <string>

#include "backends/cpu/kernels.h"

namespace framelab::fuzz {

constexpr std::size_t kFewestPlaneElements = 8;
/** Three of the longest vector steps. */
constexpr std::size_t kMostPlaneElements = 3 * 512;

/**
 * Every element size and count of elements up to the most, with every number of groups that hold a set bit, each
 * on memory that faults right behind its planes and behind its elements. Gives the first disagreement in words,
 * empty when there is none; `cases` counts.
 */
std::string check_planes(const Kernels& kernels, std::size_t& cases);

}  // namespace framelab::fuzz
