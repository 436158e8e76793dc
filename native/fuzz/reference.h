// Owns: the fuzzer's own decoder: byte by byte, nothing shared with the code under test but the list of
// reasons.
// Must not know: how it could be faster. `npm run fuzz` compares it with the TypeScript reference as well.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/reasons.h"

namespace framelab::fuzz {

using ByteVector = std::vector<std::uint8_t>;

/** Decodes one LZ4 block of exactly `size` bytes to `block`. */
Reason reference_block(const ByteVector& stream, std::size_t size, ByteVector& block);

/** Bit planes of one block to elements, bit by bit. */
ByteVector reference_unshuffle(const ByteVector& planes, std::size_t element_bytes);

/** One chunk of filter 32008 with LZ4, of exactly `size` decoded bytes; the first refusal in the order of the
 * bytes. */
Reason reference_chunk(const ByteVector& stored, std::size_t size, std::size_t element_bytes,
                       ByteVector& chunk);

}  // namespace framelab::fuzz
