// Owns: the decoding of one chunk.
// Must not know: files, batches, threads.
#pragma once
#include "backends/cpu/kernels.h"
#include "codecs/framing.h"
#include "core/aligned_buffer.h"

namespace framelab {

/** A chunk's stored bytes; wide loads may touch memory up to `readable`, which is not before the last byte's
 * end. */
struct StoredChunk {
  const std::uint8_t* data;
  std::size_t bytes;
  const std::uint8_t* readable;
};

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
