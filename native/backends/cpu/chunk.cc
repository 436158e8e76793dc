// Owns: the decoding of one chunk: framing checks, then block by block through L1 scratch.
// Must not know: files, batches, threads, instruction sets.
#include "backends/cpu/chunk.h"

#include <algorithm>

#include "core/byteswap.h"

namespace framelab {

namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kLengthBytes = 4;
constexpr unsigned kGroupElements = 8;
/** LZ4 cannot encode a larger input, so no encoder can have written a larger block. */
constexpr std::size_t kLargestBlock = 0x7e000000;

/** Most bytes that an LZ4 encoder makes of `bytes` bytes. */
constexpr std::size_t worst_encoded(std::size_t bytes) { return bytes + bytes / 255 + 16; }

constexpr std::size_t default_block_bytes(std::size_t element_bytes) {
  const std::size_t fitting = 8192 / element_bytes;
  return std::max<std::size_t>(fitting - fitting % kGroupElements, 128) * element_bytes;
}

/** The chunk's blocks: all of `block` bytes but the last, then raw bytes up to the chunk's end. */
struct Geometry {
  std::size_t block;
  std::size_t coded;
};

Geometry bit_plane_geometry(const ChunkFormat& format, std::size_t block_bytes) {
  const std::size_t group = std::size_t{kGroupElements} * format.filter_element_bytes;
  return {block_bytes, format.chunk_bytes - format.chunk_bytes % group};
}

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

/** Decodes blocks that stand behind each other, each after its length. */
template <class Out>
class BlockWalk {
 public:
  BlockWalk(const Kernels& kernels, const ChunkFormat& format, StoredChunk stored, Out out,
            AlignedBuffer& scratch, std::size_t limit = SIZE_MAX)
      : kernels_(kernels),
        format_(format),
        at_(stored.data),
        end_(stored.data + stored.bytes),
        readable_(stored.readable),
        out_(out),
        scratch_(scratch),
        limit_(limit) {}

  Verdict run() {
    Geometry geometry{};
    Reason reason = header(geometry);
    if (reason == Reason::ok) reason = blocks(geometry);
    return {reason, reason == Reason::ok && left() > 0};
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  bool planes() const { return format_.layout == Layout::bitshuffle_lz4; }

  Reason header(Geometry& geometry) {
    if (left() < kHeaderBytes) return Reason::chunk_too_short;
    if (load_be64(at_) != format_.chunk_bytes) return Reason::decoded_size_mismatch;
    std::size_t block = load_be32(at_ + 8);
    at_ += kHeaderBytes;
    if (planes() && block == 0) block = default_block_bytes(format_.filter_element_bytes);
    const std::size_t unit = planes() ? std::size_t{kGroupElements} * format_.filter_element_bytes : 1;
    if (block == 0 || block > kLargestBlock || block % unit != 0) return Reason::block_size_invalid;
    geometry = planes() ? bit_plane_geometry(format_, block) : Geometry{block, format_.chunk_bytes};
    return Reason::ok;
  }

  Reason blocks(Geometry geometry) {
    const std::size_t tail = format_.chunk_bytes - geometry.coded;
    out_.open(std::max(std::min(geometry.block, geometry.coded), tail));
    std::uint8_t* const memory = scratch_.reserve(std::min(geometry.block, geometry.coded) + kBlockSlack);
    std::size_t size = 0;
    for (std::size_t done = 0; done < geometry.coded; done += size) {
      if (done >= limit_) return Reason::ok;
      size = std::min(geometry.block, geometry.coded - done);
      const Reason reason = block(memory, size);
      if (reason != Reason::ok) return reason;
    }
    if (left() < tail) return Reason::tail_truncated;
    std::memcpy(out_.next(), at_, tail);
    at_ += tail;
    // Bit planes are swapped block by block; blocks of plain LZ4 may end inside an element.
    if (planes()) {
      swap_elements(out_.next(), tail, format_.swap_bytes);
      out_.taken(tail);
    } else {
      swap_elements(out_.start(), format_.chunk_bytes, format_.swap_bytes);
    }
    return Reason::ok;
  }

  /** One block of `size` decoded bytes: both the length itself and what it counts lie inside the chunk. */
  Reason block(std::uint8_t* memory, std::size_t size) {
    if (left() < kLengthBytes) return Reason::block_length_past_chunk;
    const std::size_t length = load_be32(at_);
    at_ += kLengthBytes;
    if (length > left()) return Reason::block_length_past_chunk;
    if (length > worst_encoded(size)) return Reason::block_length_impossible;
    const Reason reason = expand(memory, size, {at_, at_ + length, readable_});
    at_ += length;
    if (reason == Reason::ok) out_.taken(size);
    return reason;
  }

  Reason expand(std::uint8_t* memory, std::size_t size, BlockStream stream) {
    std::uint8_t* const out = out_.next();
    if (planes()) {
      const unsigned element = format_.filter_element_bytes;
      const Reason reason = kernels_.decode_block(stream, memory, size, out, element);
      if (reason != Reason::ok) return reason;
      kernels_.unshuffle(memory, out, size / element, element);
      // Blocks are whole groups of 8 bytes and more: no element crosses their ends, and they are still in the
      // cache.
      swap_elements(out, size, format_.swap_bytes);
      return Reason::ok;
    }
    const std::uint8_t* decoded = stream.begin;
    if (static_cast<std::size_t>(stream.end - stream.begin) != size) {
      // An element size of 0 asks for no prefetch.
      const Reason reason = kernels_.decode_block(stream, memory, size, out, 0);
      if (reason != Reason::ok) return reason;
      decoded = memory;
    }
    std::memcpy(out, decoded, size);
    return Reason::ok;
  }

  const Kernels& kernels_;
  const ChunkFormat& format_;
  const std::uint8_t* at_;
  const std::uint8_t* const end_;
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
  const Geometry geometry = bit_plane_geometry(format, block);
  for (std::size_t done = 0; done < geometry.coded; done += geometry.block) {
    const std::size_t size = std::min(geometry.block, geometry.coded - done);
    kernels.unshuffle(planes + done, out + done, size / element, element);
  }
  std::memcpy(out + geometry.coded, planes + geometry.coded, format.chunk_bytes - geometry.coded);
}

}  // namespace

std::size_t stored_bytes_needed(const ChunkFormat& format, std::uint64_t bytes) {
  // The smallest block is 1 byte: 4 bytes of length and at most 17 stored bytes.
  constexpr std::size_t kMostPerByte = kLengthBytes + worst_encoded(1);
  if (format.chunk_bytes > (SIZE_MAX - kHeaderBytes) / kMostPerByte) return static_cast<std::size_t>(bytes);
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(bytes, kHeaderBytes + kMostPerByte * format.chunk_bytes));
}

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
