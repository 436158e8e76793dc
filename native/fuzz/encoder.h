// Owns: the fuzzer's encoders: LZ4 sequences and blocks, bit planes, big-endian numbers.
// Must not know: any decoder.
#pragma once
#include "fuzz/reference.h"

namespace framelab::fuzz {

void put_big_endian(ByteVector& out, std::uint64_t value, unsigned bytes);

/** One sequence; `match` 0 = it ends after its literals. Offsets and lengths may be wrong. */
void put_sequence(ByteVector& out, const std::uint8_t* literals, std::size_t count, std::size_t offset,
                  std::size_t match);

/** `block` as LZ4, greedy. */
ByteVector encode_block(const ByteVector& block);

/** A multiple of 8 elements as bit planes. */
ByteVector to_bit_planes(const ByteVector& elements, std::size_t element_bytes);

}  // namespace framelab::fuzz
