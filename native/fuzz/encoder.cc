// Owns: the fuzzer's encoders: LZ4 sequences and blocks, bit planes, big-endian numbers.
// Must not know: any decoder.
#include "fuzz/encoder.h"

#include <algorithm>
#include <cstring>

namespace framelab::fuzz {

namespace {

void put_length(ByteVector& out, std::size_t length) {
  if (length < 15) return;
  std::size_t rest = length - 15;
  for (; rest >= 255; rest -= 255) out.push_back(255);
  out.push_back(static_cast<std::uint8_t>(rest));
}

}  // namespace

void put_big_endian(ByteVector& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = bytes; i > 0; --i) out.push_back(static_cast<std::uint8_t>(value >> (8 * (i - 1))));
}

void put_sequence(ByteVector& out, const std::uint8_t* literals, std::size_t count, std::size_t offset,
                  std::size_t match) {
  const std::size_t code = match == 0 ? 0 : match - 4;
  out.push_back(
      static_cast<std::uint8_t>(std::min<std::size_t>(count, 15) << 4 | std::min<std::size_t>(code, 15)));
  put_length(out, count);
  out.insert(out.end(), literals, literals + count);
  if (match == 0) return;
  out.push_back(static_cast<std::uint8_t>(offset));
  out.push_back(static_cast<std::uint8_t>(offset >> 8));
  put_length(out, code);
}

ByteVector encode_block(const ByteVector& block) {
  constexpr unsigned kHashBits = 12;
  std::vector<std::size_t> last(std::size_t{1} << kHashBits, SIZE_MAX);
  ByteVector out;
  std::size_t anchor = 0;
  // The format's end rules: the last 5 bytes are literals, no match starts in the last 12.
  for (std::size_t at = 0; at + 12 < block.size();) {
    std::uint32_t word = 0;
    std::memcpy(&word, &block[at], 4);
    std::size_t& slot = last[(word * 2654435761U) >> (32 - kHashBits)];
    const std::size_t found = slot;
    slot = at;
    if (found == SIZE_MAX || at - found > 65535 || std::memcmp(&block[found], &block[at], 4) != 0) {
      ++at;
      continue;
    }
    std::size_t length = 4;
    while (at + length + 5 < block.size() && block[found + length] == block[at + length]) ++length;
    put_sequence(out, block.data() + anchor, at - anchor, at - found, length);
    at += length;
    anchor = at;
  }
  put_sequence(out, block.data() + anchor, block.size() - anchor, 0, 0);
  return out;
}

ByteVector to_bit_planes(const ByteVector& elements, std::size_t element_bytes) {
  const std::size_t count = elements.size() / element_bytes;
  ByteVector planes(elements.size(), 0);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::size_t e = i / element_bytes;
    for (unsigned bit = 0; bit < 8; ++bit) {
      const std::size_t plane = 8 * (i % element_bytes) + bit;
      if ((elements[i] >> bit & 1) != 0)
        planes[plane * (count / 8) + e / 8] |= static_cast<std::uint8_t>(1U << (e % 8));
    }
  }
  return planes;
}

}  // namespace framelab::fuzz
