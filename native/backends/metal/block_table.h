// Owns: the block table of some chunks: their framing, and which kernel takes which block.
// Must not know: Metal, files; where stored bytes and output lie but as offsets.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/metal/layout.h"
#include "codecs/framing.h"

namespace framelab::metal {

/** Which kernels a block takes. */
enum class Road : std::uint8_t { fused, scratch_whole, scratch_short, raw };
constexpr std::size_t kRoads = 4;

/** What became of a chunk: its blocks are in the table, its framing is refused, or its blocks are too large. */
enum class Framed : std::uint8_t { yes, refused, too_large };

/** Entries are kept by road: each is one stretch of the table. */
class BlockTable {
 public:
  explicit BlockTable(const ChunkFormat& format) : format_(format) {}

  void clear();
  /**
   * Adds the blocks of a chunk of which `bytes` bytes lie at `stored + at`, or nothing when it is not framed. `raw`: no
   * filter touched it, and `bytes` is its size. `target` is where its first byte goes, on an element. Sets `trailing` as
   * the CPU's decoder does.
   */
  Framed add(const std::uint8_t* stored, std::size_t at, std::size_t bytes, bool raw, std::uint32_t frame,
             std::uint64_t target, bool& trailing);

  std::uint32_t count() const;
  std::uint32_t count(Road road) const { return static_cast<std::uint32_t>(list(road).size()); }
  std::size_t scratch_bytes() const { return std::size_t{scratch_quads_} * 16; }
  /** Bytes of the longest stream: the most turns of a parse loop. */
  std::uint32_t longest() const { return longest_; }
  /** Writes the `count()` entries, road by road. */
  void write(Block* to) const;

 private:
  const std::vector<Block>& list(Road road) const { return lists_[static_cast<std::size_t>(road)]; }
  void add_raw(std::uint64_t stream, std::size_t bytes, std::uint32_t frame, std::uint64_t target);
  void add_block(const FramedBlock& block, std::uint64_t stream, std::uint32_t frame, std::uint64_t target);
  Framed add_framed(const std::uint8_t* stored, std::size_t at, std::size_t bytes, std::uint32_t frame,
                    std::uint64_t target, bool& trailing);

  ChunkFormat format_;
  std::vector<Block> lists_[kRoads];
  std::uint32_t scratch_quads_ = 0;
  std::uint32_t longest_ = 0;
};

}  // namespace framelab::metal
