// Owns: the fuzzer's own decoder: byte by byte, nothing shared with the code under test but the list of
// reasons.
// Must not know: how it could be faster.
#include "fuzz/reference.h"

#include <algorithm>

namespace framelab::fuzz {

namespace {

/** Adds length bytes up to the first that is not 255; false when the stream ends before it. */
bool extend(const ByteVector& stream, std::size_t& at, std::size_t& length) {
  for (;;) {
    if (at == stream.size()) return false;
    const std::size_t byte = stream[at++];
    length += byte;
    if (byte != 255) return true;
  }
}

std::uint64_t big_endian(const ByteVector& bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[at + i];
  return value;
}

}  // namespace

Reason reference_block(const ByteVector& stream, std::size_t size, ByteVector& block) {
  block.clear();
  std::size_t at = 0;
  while (at < stream.size()) {
    const unsigned token = stream[at++];
    std::size_t literals = token >> 4;
    if (literals == 15 && !extend(stream, at, literals)) return Reason::literal_length_overrun;
    if (literals > stream.size() - at) return Reason::literals_past_stream;
    if (literals > size - block.size()) return Reason::literals_past_block;
    for (std::size_t i = 0; i < literals; ++i) block.push_back(stream[at++]);
    if (at == stream.size()) break;
    if (stream.size() - at < 2) return Reason::offset_truncated;
    const std::size_t offset = stream[at] + 256U * stream[at + 1];
    at += 2;
    if (offset == 0) return Reason::offset_zero;
    if (offset > block.size()) return Reason::offset_before_block;
    std::size_t match = token & 15;
    if (match == 15 && !extend(stream, at, match)) return Reason::match_length_overrun;
    match += 4;
    if (match > size - block.size()) return Reason::match_past_block;
    for (std::size_t i = 0; i < match; ++i) block.push_back(block[block.size() - offset]);
  }
  return block.size() == size ? Reason::ok : Reason::wrong_size;
}

ByteVector reference_unshuffle(const ByteVector& planes, std::size_t element_bytes) {
  const std::size_t elements = planes.size() / element_bytes;
  ByteVector out(planes.size(), 0);
  for (std::size_t e = 0; e < elements; ++e) {
    for (std::size_t bit = 0; bit < 8 * element_bytes; ++bit) {
      const unsigned set = planes[bit * (elements / 8) + e / 8] >> (e % 8) & 1U;
      out[e * element_bytes + bit / 8] |= static_cast<std::uint8_t>(set << (bit % 8));
    }
  }
  return out;
}

Reason reference_chunk(const ByteVector& stored, std::size_t size, std::size_t element_bytes,
                       ByteVector& chunk) {
  chunk.clear();
  if (stored.size() < 12) return Reason::chunk_too_short;
  if (big_endian(stored, 0, 8) != size) return Reason::decoded_size_mismatch;
  std::size_t block_bytes = big_endian(stored, 8, 4);
  if (block_bytes == 0) block_bytes = 8192;
  if (block_bytes % (8 * element_bytes) != 0 || block_bytes > 0x7e000000) return Reason::block_size_invalid;
  std::size_t at = 12;
  const std::size_t tail = size % (8 * element_bytes);
  while (chunk.size() < size - tail) {
    const std::size_t bytes = std::min(block_bytes, size - tail - chunk.size());
    if (stored.size() - at < 4) return Reason::block_length_past_chunk;
    const std::size_t length = big_endian(stored, at, 4);
    at += 4;
    if (length > stored.size() - at) return Reason::block_length_past_chunk;
    if (length > bytes + bytes / 255 + 16) return Reason::block_length_impossible;
    ByteVector planes;
    const auto first = stored.begin() + static_cast<std::ptrdiff_t>(at);
    const Reason reason =
        reference_block({first, first + static_cast<std::ptrdiff_t>(length)}, bytes, planes);
    if (reason != Reason::ok) return reason;
    const ByteVector elements = reference_unshuffle(planes, element_bytes);
    chunk.insert(chunk.end(), elements.begin(), elements.end());
    at += length;
  }
  if (stored.size() - at < tail) return Reason::tail_truncated;
  for (std::size_t i = 0; i < tail; ++i) chunk.push_back(stored[at++]);
  return Reason::ok;
}

}  // namespace framelab::fuzz
