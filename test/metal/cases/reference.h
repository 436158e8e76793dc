// Owns: the judge of the kernels: one LZ4 block decoded a byte at a time, and bit planes taken bit by bit.
// Must not know: kernels, batches.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cases {

using Bytes = std::vector<uint8_t>;

// The bound that the first refused sequence breaks, numbered as the format does; 0 when the stream is good.
enum Bound : int {
    kGood = 0,
    kLiteralLengthOverrun = 1,
    kLiteralsPastStream = 2,
    kLiteralsPastBlock = 3,
    kOffsetTruncated = 4,
    kOffsetZero = 5,
    kOffsetBeforeBlock = 6,
    kMatchLengthOverrun = 7,
    kMatchPastBlock = 8,
    kWrongSize = 9,
};

// Decodes `stream` into exactly `room` bytes. `out` holds what was decoded up to the first refused sequence.
Bound decode_block(const uint8_t *stream, size_t bytes, size_t room, Bytes &out);

// `planes` holds 8 * element_bytes bit planes; elements come out in file order, little-endian.
Bytes unshuffle_bits(const Bytes &planes, size_t element_bytes);
Bytes shuffle_bits(const uint8_t *elements, size_t bytes, size_t element_bytes);

}  // namespace cases
