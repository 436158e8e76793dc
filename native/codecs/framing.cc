// Owns: the checks of framing.h.
// Must not know: how a block is decoded, files, batches.
#include "codecs/framing.h"

#include <algorithm>

#include "core/bytes.h"

namespace framelab {

namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kLengthBytes = 4;
constexpr unsigned kGroupElements = 8;
/** LZ4 cannot encode a larger input, so no encoder can have written a larger block. */
constexpr std::size_t kLargestBlock = 0x7e000000;

/** Most bytes that an LZ4 encoder makes of `bytes` bytes. */
constexpr std::size_t worst_encoded(std::size_t bytes) { return bytes + bytes / 255 + 16; }

}  // namespace

std::size_t default_block_bytes(std::size_t element_bytes) {
  const std::size_t fitting = 8192 / element_bytes;
  return std::max<std::size_t>(fitting - fitting % kGroupElements, 128) * element_bytes;
}

std::size_t coded_bytes(const ChunkFormat& format) {
  return format.chunk_bytes -
         format.chunk_bytes % (std::size_t{kGroupElements} * format.filter_element_bytes);
}

std::size_t stored_bytes_needed(const ChunkFormat& format, std::uint64_t bytes) {
  // The smallest block is 1 byte: 4 bytes of length and at most 17 stored bytes.
  constexpr std::size_t kMostPerByte = kLengthBytes + worst_encoded(1);
  if (format.chunk_bytes > (SIZE_MAX - kHeaderBytes) / kMostPerByte) return static_cast<std::size_t>(bytes);
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(bytes, kHeaderBytes + kMostPerByte * format.chunk_bytes));
}

Reason ChunkFraming::open() {
  if (left() < kHeaderBytes) return Reason::chunk_too_short;
  if (load_be64(at_) != format_.chunk_bytes) return Reason::decoded_size_mismatch;
  block_ = load_be32(at_ + 8);
  at_ += kHeaderBytes;
  const bool planes = format_.layout == Layout::bitshuffle_lz4;
  if (planes && block_ == 0) block_ = default_block_bytes(format_.filter_element_bytes);
  const std::size_t unit = planes ? std::size_t{kGroupElements} * format_.filter_element_bytes : 1;
  if (block_ == 0 || block_ > kLargestBlock || block_ % unit != 0) return Reason::block_size_invalid;
  coded_ = planes ? coded_bytes(format_) : format_.chunk_bytes;
  return Reason::ok;
}

Reason ChunkFraming::next(FramedBlock& block) {
  const std::size_t size = std::min(block_, coded_ - done_);
  if (left() < kLengthBytes) return Reason::block_length_past_chunk;
  const std::size_t length = load_be32(at_);
  at_ += kLengthBytes;
  if (length > left()) return Reason::block_length_past_chunk;
  if (length > worst_encoded(size)) return Reason::block_length_impossible;
  block = {at_, length, done_, size};
  at_ += length;
  done_ += size;
  return Reason::ok;
}

Reason ChunkFraming::tail(FramedBlock& raw) {
  const std::size_t bytes = format_.chunk_bytes - coded_;
  if (left() < bytes) return Reason::tail_truncated;
  raw = {at_, bytes, coded_, bytes};
  at_ += bytes;
  return Reason::ok;
}

}  // namespace framelab
