// Owns: the framing of chunks into the block table of block_table.h.
// Must not know: Metal, files.
#include "backends/metal/block_table.h"

#include <algorithm>

namespace framelab::metal {

namespace {

/** Bytes of one raw entry: one SIMD group copies it. */
constexpr std::size_t kRawBytes = 16384;

}  // namespace

void BlockTable::clear() {
  for (std::vector<Block>& list : lists_) list.clear();
  scratch_quads_ = 0;
  longest_ = 0;
}

std::uint32_t BlockTable::count() const {
  std::size_t all = 0;
  for (const std::vector<Block>& list : lists_) all += list.size();
  return static_cast<std::uint32_t>(all);
}

void BlockTable::write(Block* to) const {
  for (const std::vector<Block>& list : lists_) to = std::copy(list.begin(), list.end(), to);
}

void BlockTable::add_raw(std::uint64_t stream, std::size_t bytes, std::uint32_t frame, std::uint64_t target) {
  for (std::size_t done = 0; done < bytes; done += kRawBytes) {
    const auto part = static_cast<std::uint32_t>(std::min(kRawBytes, bytes - done));
    lists_[static_cast<std::size_t>(Road::raw)].push_back(
        {stream + done, target + done, part, part, frame, 0});
  }
}

void BlockTable::add_block(const FramedBlock& block, std::uint64_t stream, std::uint32_t frame,
                           std::uint64_t target) {
  const bool whole = block.bytes % (std::size_t{kRoundElements} * format_.filter_element_bytes) == 0;
  const bool fused = whole && block.bytes <= kFusedBlockBytes;
  const Road road = fused ? Road::fused : whole ? Road::scratch_whole : Road::scratch_short;
  const auto length = static_cast<std::uint32_t>(block.stream_bytes);
  const auto decoded = static_cast<std::uint32_t>(block.bytes);
  const std::uint32_t quads = fused ? 0 : scratch_quads_;
  lists_[static_cast<std::size_t>(road)].push_back(
      {stream, target + block.at, length, decoded, frame, quads});
  if (!fused) scratch_quads_ += (decoded + 15) / 16;
  longest_ = std::max(longest_, length);
}

Framed BlockTable::add_framed(const std::uint8_t* stored, std::size_t at, std::size_t bytes,
                              std::uint32_t frame, std::uint64_t target, bool& trailing) {
  ChunkFraming framing(format_, stored + at, bytes);
  if (framing.open() != Reason::ok) return Framed::refused;
  if (framing.largest_block() > kScratchBlockBytes) return Framed::too_large;
  FramedBlock block{};
  while (framing.more()) {
    if (framing.next(block) != Reason::ok) return Framed::refused;
    add_block(block, static_cast<std::uint64_t>(block.stream - stored), frame, target);
  }
  if (framing.tail(block) != Reason::ok) return Framed::refused;
  add_raw(static_cast<std::uint64_t>(block.stream - stored), block.bytes, frame, target + block.at);
  trailing = framing.trailing();
  return Framed::yes;
}

Framed BlockTable::add(const std::uint8_t* stored, std::size_t at, std::size_t bytes, bool raw,
                       std::uint32_t frame, std::uint64_t target, bool& trailing) {
  trailing = false;
  if (raw) {
    add_raw(at, bytes, frame, target);
    return Framed::yes;
  }
  std::size_t before[kRoads];
  for (std::size_t i = 0; i < kRoads; ++i) before[i] = lists_[i].size();
  const std::uint32_t quads = scratch_quads_;
  const Framed framed = add_framed(stored, at, bytes, frame, target, trailing);
  if (framed == Framed::yes) return framed;
  // What a refused chunk has added so far goes again.
  for (std::size_t i = 0; i < kRoads; ++i) lists_[i].resize(before[i]);
  scratch_quads_ = quads;
  return framed;
}

}  // namespace framelab::metal
