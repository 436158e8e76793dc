// Owns: making LZ4 blocks: an ordinary greedy encoder, and hand-made sequences of any shape.
// Must not know: kernels, batches, what makes a stream bad.
#pragma once
#include <random>

#include "reference.h"

namespace cases {

// A valid stream of `bytes` bytes: greedy, 4-byte hash table, the format's rules for the end of a block.
Bytes encode_block(const uint8_t *in, size_t bytes);

// Appends one sequence. `match` 0: literals only, the last sequence.
void put_sequence(Bytes &stream, const uint8_t *literals, size_t literal_count, size_t offset, size_t match);

// A stream of random sequences that decodes to exactly `bytes` bytes: long and short runs, near and far offsets.
Bytes random_stream(std::mt19937 &random, size_t bytes);

}  // namespace cases
