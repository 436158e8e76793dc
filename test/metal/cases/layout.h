// Owns: the host's view of the block table and batch parameters of metal/01-layout.metal, byte for byte.
// Must not know: kernels, tests.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cases {

struct Block {
    uint64_t stream;
    uint64_t target;
    uint32_t stream_bytes;
    uint32_t decoded_bytes;
    uint32_t frame;
    uint32_t scratch_quads;
};
static_assert(sizeof(Block) == 32 && offsetof(Block, stream_bytes) == 16 && offsetof(Block, scratch_quads) == 28, "");

struct BatchParams {
    uint64_t stored_bytes;
    uint64_t output_bytes;
    uint64_t scratch_bytes;
    uint32_t block_count;
    uint32_t first_block;
    uint32_t frame_count;
    uint32_t step_limit;
};
static_assert(sizeof(BatchParams) == 40 && offsetof(BatchParams, block_count) == 24, "");

constexpr uint32_t kFusedBlockBytes = 8192;
constexpr uint32_t kScratchBlockBytes = 65536;
constexpr uint32_t kScratchGroups = 8;
constexpr size_t kStoredPadding = 512;  // readable bytes behind the last stream

}  // namespace cases
