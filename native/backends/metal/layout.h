// Owns: the host's view of metal/01-layout.metal: block table, batch parameters, limits, byte for byte.
// Must not know: Objective-C, kernels' insides, chunks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace framelab::metal {

/** One entry of the block table. */
struct Block {
  std::uint64_t stream;
  std::uint64_t target;
  std::uint32_t stream_bytes;
  std::uint32_t decoded_bytes;
  std::uint32_t frame;
  std::uint32_t scratch_quads;
};
static_assert(sizeof(Block) == 32 && offsetof(Block, stream_bytes) == 16 &&
              offsetof(Block, scratch_quads) == 28);

struct BatchParams {
  std::uint64_t stored_bytes;
  std::uint64_t output_bytes;
  std::uint64_t scratch_bytes;
  std::uint32_t block_count;
  std::uint32_t first_block;
  std::uint32_t frame_count;
  std::uint32_t step_limit;
};
static_assert(sizeof(BatchParams) == 40 && offsetof(BatchParams, block_count) == 24);

inline std::vector<std::uint8_t> bytes_of(const BatchParams& params) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&params);
  return {bytes, bytes + sizeof params};
}

constexpr std::uint32_t kFusedBlockBytes = 8192;
constexpr std::uint32_t kScratchBlockBytes = 65536;
/** Elements of a round: fused kernels take whole ones. */
constexpr std::uint32_t kRoundElements = 1024;
constexpr std::uint32_t kScratchGroups = 8;
/** Readable bytes behind the last stream. */
constexpr std::size_t kStoredPadding = 512;

}  // namespace framelab::metal
