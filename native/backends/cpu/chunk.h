// Owns: the formats of a stored chunk that this backend decodes, and the decoding of one chunk.
// Must not know: files, batches, threads.
#pragma once
#include "backends/cpu/kernels.h"
#include "core/aligned_buffer.h"

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

/** A chunk's stored bytes; wide loads may touch memory up to `readable`, which is not before the last byte's
 * end. */
struct StoredChunk {
  const std::uint8_t* data;
  std::size_t bytes;
  const std::uint8_t* readable;
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

/** What became of a chunk. */
struct Verdict {
  Reason reason;
  /** Accepted, with stored bytes behind everything that it needs. */
  bool trailing;
};

/**
 * Decodes one chunk to `out`, exactly `format.chunk_bytes` bytes; nothing else is written but `scratch`. When
 * it is refused, `out` is unspecified. Stops at the first refusal: the reference decoder explains. Throws
 * std::bad_alloc.
 */
Verdict decode_chunk(const Kernels& kernels, const ChunkFormat& format, std::uint32_t filter_mask,
                     StoredChunk stored, std::uint8_t* out, AlignedBuffer& scratch);

/** Takes the decoded elements of a chunk block by block. */
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  /** `bytes` bytes of whole elements, in native order, which lie `offset` bytes behind the chunk's start. */
  virtual void take(const std::uint8_t* elements, std::size_t offset, std::size_t bytes) = 0;
};

/** Whether `decode_blocks` decodes a chunk of this filter mask: blocks must end between elements. */
inline bool decodes_blocks(const ChunkFormat& format, std::uint32_t filter_mask) {
  return format.layout == Layout::bitshuffle_lz4 && !stored_raw(format, filter_mask);
}

/**
 * Decodes a chunk that `decodes_blocks` takes to `sink`, one block in the cache at a time; blocks from byte `limit` of
 * the decoded chunk on are left out. When it is refused, the sink has taken the blocks before the first refused one.
 * Throws std::bad_alloc.
 */
Verdict decode_blocks(const Kernels& kernels, const ChunkFormat& format, StoredChunk stored,
                      std::size_t limit, BlockSink& sink, AlignedBuffer& scratch, AlignedBuffer& elements);

}  // namespace framelab
