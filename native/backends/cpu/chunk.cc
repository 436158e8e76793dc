// Owns: the decoding of one chunk: block by block through L1 scratch, as its framing says.
// Must not know: files, batches, threads, instruction sets.
#include "backends/cpu/chunk.h"

#include <algorithm>

#include "core/byteswap.h"

namespace framelab {

namespace {

/** Decoded blocks side by side, in the caller's memory. */
class WholeChunk {
 public:
  explicit WholeChunk(std::uint8_t* out) : start_(out), next_(out) {}
  void open(std::size_t) {}
  std::uint8_t* start() { return start_; }
  std::uint8_t* next() { return next_; }
  void taken(std::size_t bytes) { next_ += bytes; }

 private:
  std::uint8_t* const start_;
  std::uint8_t* next_;
};

/** Decoded blocks one after the other in the same memory, each handed on. */
class BlockByBlock {
 public:
  BlockByBlock(BlockSink& sink, AlignedBuffer& elements) : sink_(sink), elements_(elements) {}
  void open(std::size_t largest) { memory_ = elements_.reserve(largest); }
  std::uint8_t* start() { return memory_; }
  std::uint8_t* next() { return memory_; }
  void taken(std::size_t bytes) {
    if (bytes > 0) sink_.take(memory_, offset_, bytes);
    offset_ += bytes;
  }

 private:
  BlockSink& sink_;
  AlignedBuffer& elements_;
  std::uint8_t* memory_ = nullptr;
  std::size_t offset_ = 0;
};

/** Decodes the blocks of a framed chunk one after the other. */
template <class Out>
class BlockWalk {
 public:
  BlockWalk(const Kernels& kernels, const ChunkFormat& format, StoredChunk stored, Out out,
            AlignedBuffer& scratch, std::size_t limit = SIZE_MAX)
      : kernels_(kernels),
        format_(format),
        framing_(format, stored.data, stored.bytes),
        readable_(stored.readable),
        out_(out),
        scratch_(scratch),
        limit_(limit) {}

  Verdict run() {
    Reason reason = framing_.open();
    if (reason == Reason::ok) reason = blocks();
    return {reason, reason == Reason::ok && framing_.trailing()};
  }

 private:
  bool planes() const { return format_.layout == Layout::bitshuffle_lz4; }

  Reason blocks() {
    out_.open(std::max(framing_.largest_block(), framing_.tail_bytes()));
    std::uint8_t* const memory = scratch_.reserve(framing_.largest_block() + kBlockSlack);
    FramedBlock block{};
    while (framing_.more()) {
      if (framing_.done() >= limit_) return Reason::ok;
      Reason reason = framing_.next(block);
      if (reason == Reason::ok) reason = expand(memory, block);
      if (reason != Reason::ok) return reason;
      out_.taken(block.bytes);
    }
    const Reason reason = framing_.tail(block);
    if (reason != Reason::ok) return reason;
    std::memcpy(out_.next(), block.stream, block.bytes);
    // Bit planes are swapped block by block; blocks of plain LZ4 may end inside an element.
    if (planes()) {
      swap_elements(out_.next(), block.bytes, format_.swap_bytes);
      out_.taken(block.bytes);
    } else {
      swap_elements(out_.start(), format_.chunk_bytes, format_.swap_bytes);
    }
    return Reason::ok;
  }

  Reason expand(std::uint8_t* memory, const FramedBlock& block) {
    std::uint8_t* const out = out_.next();
    const BlockStream stream{block.stream, block.stream + block.stream_bytes, readable_};
    if (planes()) {
      const unsigned element = format_.filter_element_bytes;
      const Reason reason = kernels_.decode_block(stream, memory, block.bytes, out);
      if (reason != Reason::ok) return reason;
      kernels_.unshuffle(memory, out, block.bytes / element, element);
      // Blocks are whole groups of 8 bytes and more: no element crosses their ends, and they are still in the
      // cache.
      swap_elements(out, block.bytes, format_.swap_bytes);
      return Reason::ok;
    }
    const std::uint8_t* decoded = block.stream;
    if (block.stream_bytes != block.bytes) {
      const Reason reason = kernels_.decode_block(stream, memory, block.bytes, nullptr);
      if (reason != Reason::ok) return reason;
      decoded = memory;
    }
    std::memcpy(out, decoded, block.bytes);
    return Reason::ok;
  }

  const Kernels& kernels_;
  const ChunkFormat& format_;
  ChunkFraming framing_;
  const std::uint8_t* const readable_;
  Out out_;
  AlignedBuffer& scratch_;
  const std::size_t limit_;
};

void unshuffle_planes(const Kernels& kernels, const ChunkFormat& format, const std::uint8_t* planes,
                      std::uint8_t* out) {
  const unsigned element = format.filter_element_bytes;
  const std::size_t block =
      format.block_elements == 0 ? default_block_bytes(element) : format.block_elements * element;
  const std::size_t coded = coded_bytes(format);
  for (std::size_t done = 0; done < coded; done += block) {
    kernels.unshuffle(planes + done, out + done, std::min(block, coded - done) / element, element);
  }
  std::memcpy(out + coded, planes + coded, format.chunk_bytes - coded);
}

}  // namespace

Verdict decode_chunk(const Kernels& kernels, const ChunkFormat& format, std::uint32_t filter_mask,
                     StoredChunk stored, std::uint8_t* out, AlignedBuffer& scratch) {
  const bool raw = stored_raw(format, filter_mask);
  if (!raw && format.layout != Layout::bitshuffle) {
    return BlockWalk(kernels, format, stored, WholeChunk(out), scratch).run();
  }
  if (stored.bytes != format.chunk_bytes) return {Reason::raw_size_mismatch, false};
  if (raw) {
    std::memcpy(out, stored.data, stored.bytes);
  } else {
    unshuffle_planes(kernels, format, stored.data, out);
  }
  swap_elements(out, format.chunk_bytes, format.swap_bytes);
  return {Reason::ok, false};
}

Verdict decode_blocks(const Kernels& kernels, const ChunkFormat& format, StoredChunk stored,
                      std::size_t limit, BlockSink& sink, AlignedBuffer& scratch, AlignedBuffer& elements) {
  return BlockWalk(kernels, format, stored, BlockByBlock(sink, elements), scratch, limit).run();
}

}  // namespace framelab
