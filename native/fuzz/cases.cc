// Owns: the fuzzer's cases: blocks and chunks of four layouts, from empty to incompressible, and what is done
// to them.
// Must not know: any decoder.
#include "fuzz/cases.h"

#include <algorithm>
#include <cmath>

#include "fuzz/encoder.h"

namespace framelab::fuzz {

namespace {

/** Elements whose values are rare, common, or use every bit; some at the dtype's maximum, as flagged pixels
 * are. */
ByteVector elements_of(std::size_t elements, std::size_t element_bytes, unsigned density, Random& random) {
  ByteVector bytes(elements * element_bytes, 0);
  for (std::size_t e = 0; e < elements; ++e) {
    std::uint64_t value = 0;
    if (density >= 6) {
      value = random.next();
    } else if (density > 0 && random.below(1U << (2 * (5 - density))) == 0) {
      value = random.below(density == 5 ? 40 : 4);
      if (density == 3 && e % 64 >= 60) value = ~std::uint64_t{0};
    }
    for (std::size_t b = 0; b < element_bytes; ++b) {
      bytes[e * element_bytes + b] = static_cast<std::uint8_t>(value >> (8 * b));
    }
  }
  return bytes;
}

constexpr unsigned kDensities = 7;

void fill_range(ByteVector& stream, Random& random) {
  const std::size_t from = random.below(stream.size());
  const std::size_t to = std::min(stream.size(), from + 1 + random.below(40));
  const std::size_t kind = random.below(3);
  for (std::size_t i = from; i < to; ++i) {
    stream[i] = kind == 0 ? std::uint8_t{0} : kind == 1 ? std::uint8_t{255} : random.byte();
  }
}

void flip_bits(ByteVector& stream, Random& random) {
  for (std::size_t n = 1 + random.below(4); n > 0; --n) {
    stream[random.below(stream.size())] ^= static_cast<std::uint8_t>(1U << random.below(8));
  }
}

/** Runs of 255 long enough that a sum of 16 or 32 bits, or a signed one, would wrap. */
ByteVector endless_length(Random& random) {
  const bool literals = random.below(2) == 0;
  ByteVector stream = literals ? ByteVector{0xf0} : ByteVector{0x1f, 7, 1, 0};
  const std::size_t run = random.below(4) == 0 ? 300 + random.below(70000) : random.below(300);
  stream.insert(stream.end(), run, 255);
  if (random.below(2) == 0) stream.push_back(static_cast<std::uint8_t>(random.below(255)));
  if (literals) stream.insert(stream.end(), random.below(40), 7);
  return stream;
}

/** One literal, then a match that ends within two bytes of the block's end: the stream may end right behind
 * it. */
ByteVector one_match(std::size_t size, Random& random) {
  ByteVector stream;
  const std::uint8_t literal = random.byte();
  // Drawn in statements of their own: the order of arguments is the compiler's.
  const std::size_t offset = random.below(4);
  const std::size_t length = size - 1 + random.below(5) - 2;
  put_sequence(stream, &literal, 1, offset, length);
  if (random.below(3) == 0) stream.push_back(0);
  return stream;
}

ByteVector literals_alone(std::size_t size, Random& random) {
  const std::size_t count = size + random.below(5) - 2;
  const ByteVector literals(count, random.byte());
  ByteVector stream;
  put_sequence(stream, literals.data(), literals.size(), 0, 0);
  return stream;
}

/** An intact stream with more behind it: its last literals are followed by a match. */
ByteVector too_much(ByteVector stream, std::size_t size, Random& random) {
  const ByteVector literals(random.below(30), 1);
  const std::size_t offset = 1 + random.below(4);
  const std::size_t length = 4 + random.below(size);
  put_sequence(stream, literals.data(), literals.size(), offset, length);
  return stream;
}

/** Short sequences where the block ends, with more of the stream behind them: what a fast loop must not run
 * over. */
ByteVector short_sequences_at_end(std::size_t size, Random& random) {
  ByteVector stream;
  const std::size_t first = size - random.below(70);
  const ByteVector literals(first, random.byte());
  put_sequence(stream, literals.data(), first, 1, 4);
  for (std::size_t n = 1 + random.below(4); n > 0; --n) {
    const std::size_t count = random.below(15);
    const std::size_t offset = 1 + random.below(40);
    const std::size_t length = 4 + random.below(15);
    put_sequence(stream, literals.data(), count, offset, length);
  }
  const std::size_t more = random.below(40);
  put_sequence(stream, literals.data(), more, 0, 0);
  return stream;
}

ByteVector random_bytes(Random& random) {
  ByteVector stream(random.below(80));
  for (std::uint8_t& byte : stream) byte = random.below(4) == 0 ? std::uint8_t{255} : random.byte();
  return stream;
}

}  // namespace

std::vector<ByteVector> intact_streams(const BlockLayout& layout, Random& random) {
  std::vector<ByteVector> streams;
  for (unsigned density = 0; density < kDensities; ++density) {
    const ByteVector elements = elements_of(layout.elements, layout.element_bytes, density, random);
    streams.push_back(encode_block(to_bit_planes(elements, layout.element_bytes)));
  }
  return streams;
}

ByteVector damaged_stream(const std::vector<ByteVector>& intact, std::size_t size, Random& random) {
  ByteVector stream = intact[random.below(intact.size())];
  constexpr std::uint8_t kTokens[] = {0xf0, 0x0f, 0xff, 0x00, 0x10, 0x1f};
  switch (random.below(14)) {
    case 0:
    case 1:
      flip_bits(stream, random);
      break;
    case 2:
    case 3:
      fill_range(stream, random);
      break;
    case 4:
      std::fill(stream.begin() + static_cast<std::ptrdiff_t>(random.below(stream.size())), stream.end(), 255);
      break;
    case 5:
      stream.resize(random.below(stream.size() + 1));
      break;
    case 6:
      for (std::size_t i = stream.size() - std::min<std::size_t>(6, stream.size()); i < stream.size(); ++i) {
        if (random.below(2) == 0) stream[i] = random.byte();
      }
      break;
    case 7:
      stream[random.below(std::min<std::size_t>(stream.size(), 64))] =
          kTokens[random.below(std::size(kTokens))];
      break;
    case 8:
      return one_match(size, random);
    case 9:
      return literals_alone(size, random);
    case 10:
      return too_much(std::move(stream), size, random);
    case 11:
      return endless_length(random);
    case 12:
      return short_sequences_at_end(size, random);
    default:
      return random_bytes(random);
  }
  return stream;
}

ByteVector intact_chunk(const BlockLayout& layout, Random& random, std::size_t& bytes) {
  const std::size_t block = layout.bytes();
  const std::size_t short_elements = 8 * (1 + random.below(100));
  const std::size_t tail = random.below(8) * layout.element_bytes;
  bytes = 2 * block + short_elements * layout.element_bytes + tail;
  ByteVector chunk;
  put_big_endian(chunk, bytes, 8);
  put_big_endian(chunk, block, 4);
  for (const std::size_t elements : {layout.elements, layout.elements, short_elements}) {
    const auto density = static_cast<unsigned>(random.below(kDensities));
    const ByteVector planes =
        to_bit_planes(elements_of(elements, layout.element_bytes, density, random), layout.element_bytes);
    const ByteVector stream = encode_block(planes);
    put_big_endian(chunk, stream.size(), 4);
    chunk.insert(chunk.end(), stream.begin(), stream.end());
  }
  for (std::size_t i = 0; i < tail; ++i) chunk.push_back(random.byte());
  return chunk;
}

ByteVector damaged_chunk(const ByteVector& intact, Random& random) {
  ByteVector chunk = intact;
  switch (random.below(7)) {
    case 0:
      chunk.resize(random.below(chunk.size() + 1));
      break;
    case 4:
      // Shorter than its header.
      chunk.resize(random.below(12));
      break;
    case 5: {
      // A length that no encoder makes, with enough bytes behind it.
      const std::size_t longest = 8192 + 8192 / 255 + 16;
      ByteVector length;
      put_big_endian(length, longest + 1 + random.below(3), 4);
      std::copy(length.begin(), length.end(), chunk.begin() + 12);
      chunk.resize(chunk.size() + longest, 0x10);
      break;
    }
    case 1:
      // Header, and the first block's length.
      chunk[random.below(16)] = random.byte();
      break;
    case 2:
      chunk.resize(chunk.size() - std::min<std::size_t>(chunk.size(), 1 + random.below(12)));
      break;
    case 3:
      chunk.insert(chunk.end(), random.below(10), 0xaa);
      break;
    default:
      flip_bits(chunk, random);
  }
  return chunk;
}

}  // namespace framelab::fuzz
