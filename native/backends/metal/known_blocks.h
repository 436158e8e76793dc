// Owns: blocks with known answers for the self-test: good ones of every shape, and one damaged in each way.
// Must not know: Metal, kernels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace framelab::metal {

struct KnownBlock {
  std::vector<std::uint8_t> stream;
  /** Bit planes that the stream decodes to; empty when it must be refused. */
  std::vector<std::uint8_t> planes;
  std::size_t decoded_bytes;
};

/** Good and damaged blocks of `bytes` decoded bytes. */
std::vector<KnownBlock> known_blocks(std::size_t bytes);

/** Elements of bit planes, taken bit by bit. */
std::vector<std::uint8_t> unshuffle_bits(const std::vector<std::uint8_t>& planes, std::size_t element_bytes);

}  // namespace framelab::metal
