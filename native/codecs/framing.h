// Owns: the formats of a stored chunk, and its framing: header, block lengths and raw tail, each checked before
// it is believed. Must not know: how a block is decoded, files, batches.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/reasons.h"

namespace framelab {

enum class Layout : std::uint8_t {
  /** The elements themselves. */
  raw,
  /** Filter 32008 with LZ4: 12 header bytes, blocks of LZ4 over bit planes, up to 7 raw elements. */
  bitshuffle_lz4,
  /** Filter 32008 without compression: blocks of bit planes, up to 7 raw elements. */
  bitshuffle,
  /** Filter 32004: 12 header bytes, blocks of LZ4 or raw bytes. */
  lz4,
};

/** What is known of every chunk of a dataset, from the dataset alone. */
struct ChunkFormat {
  Layout layout;
  /** Decoded bytes of a chunk, at least 1. */
  std::size_t chunk_bytes;
  /** Bytes of an element as the filter saw it: 1, 2, 4 or 8. */
  unsigned filter_element_bytes;
  /** Elements of a block in layout `bitshuffle`, a multiple of 8; 0 = the default. */
  std::size_t block_elements;
  /** Bytes of an element whose order is reversed at the end: 2, 4 or 8; 0 = the order is right. */
  unsigned swap_bytes;
  /** Bits of a chunk's filter mask with which the chunk is stored raw. */
  std::uint32_t skip_mask;
};

/** Whether a chunk with this filter mask is stored as its elements. */
inline bool stored_raw(const ChunkFormat& format, std::uint32_t filter_mask) {
  return format.layout == Layout::raw || (format.skip_mask & filter_mask) != 0;
}

/**
 * Most stored bytes that decide a chunk's verdict: what lies behind is never looked at. `bytes` is what the
 * index says.
 */
std::size_t stored_bytes_needed(const ChunkFormat& format, std::uint64_t bytes);

/** Decoded bytes of a block where neither header nor filter names them. */
std::size_t default_block_bytes(std::size_t element_bytes);

/** Bytes of a chunk that whole groups of 8 elements make: what lies behind is raw. */
std::size_t coded_bytes(const ChunkFormat& format);

/** One block: where its stream lies in the stored chunk, and what it decodes to. */
struct FramedBlock {
  const std::uint8_t* stream;
  std::size_t stream_bytes;
  /** Byte of the decoded chunk at which it starts. */
  std::size_t at;
  std::size_t bytes;
};

/** Walks the blocks of one chunk of layout `bitshuffle_lz4` or `lz4`, in order. */
class ChunkFraming {
 public:
  ChunkFraming(const ChunkFormat& format, const std::uint8_t* stored, std::size_t bytes)
      : format_(format), at_(stored), end_(stored + bytes) {}

  /** Reads the header. Nothing else may be called before, nor after a refusal. */
  Reason open();
  /** Most decoded bytes of one of its blocks. */
  std::size_t largest_block() const { return block_ < coded_ ? block_ : coded_; }
  /** Bytes of raw elements behind the last block. */
  std::size_t tail_bytes() const { return format_.chunk_bytes - coded_; }
  /** Decoded bytes of the blocks so far. */
  std::size_t done() const { return done_; }
  bool more() const { return done_ < coded_; }
  /** The next block, while there are `more`. */
  Reason next(FramedBlock& block);
  /** The raw bytes behind the last block; none in layout `lz4`. */
  Reason tail(FramedBlock& raw);
  /** After `tail`: stored bytes lie behind everything that the chunk needs. */
  bool trailing() const { return at_ != end_; }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  const ChunkFormat& format_;
  const std::uint8_t* at_;
  const std::uint8_t* const end_;
  std::size_t block_ = 0;
  std::size_t coded_ = 0;
  std::size_t done_ = 0;
};

}  // namespace framelab
