// Owns: the numbers of the damage reasons. Generated from kernel-ext/src/damage/reasons.ts by
// scripts/generate-codes.mjs: edit that list. Must not know: where damage is found.
#pragma once
#include <cstdint>

namespace framelab {

enum class Reason : std::uint8_t {
  ok = 0,
  literal_length_overrun = 1,
  literals_past_stream = 2,
  literals_past_block = 3,
  offset_truncated = 4,
  offset_zero = 5,
  offset_before_block = 6,
  match_length_overrun = 7,
  match_past_block = 8,
  wrong_size = 9,
  chunk_too_short = 10,
  decoded_size_mismatch = 11,
  block_size_invalid = 12,
  block_length_past_chunk = 13,
  block_length_impossible = 14,
  tail_truncated = 15,
  checksum_mismatch = 16,
  chunk_past_file = 17,
  raw_size_mismatch = 18,
  inflate_failed = 19,
};

}  // namespace framelab
