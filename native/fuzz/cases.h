// Owns: the fuzzer's cases: blocks and chunks of four layouts, from empty to incompressible, and what is done
// to them.
// Must not know: any decoder.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/reference.h"

namespace framelab::fuzz {

/** Seeded numbers (xorshift64): the same cases on every machine. */
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  /** 0 to n - 1. */
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 16) % n); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(next() >> 24); }

 private:
  std::uint64_t state_;
};

struct BlockLayout {
  const char* name;
  std::size_t element_bytes;
  std::size_t elements;
  std::size_t bytes() const { return element_bytes * elements; }
};

/** Whole blocks of 8 KiB, and one as the end of a 1065 x 1030 frame has it. */
constexpr BlockLayout kLayouts[] = {
    {"u8", 1, 8192},
    {"u16", 2, 4096},
    {"u16 short", 2, 3336},
    {"u32", 4, 2048},
};

/** Intact streams of one layout, of growing density. */
std::vector<ByteVector> intact_streams(const BlockLayout& layout, Random& random);

/** A damaged (now and then: still intact) stream of a block of `size` bytes. */
ByteVector damaged_stream(const std::vector<ByteVector>& intact, std::size_t size, Random& random);

/** A chunk of filter 32008: two blocks, a short one, a raw tail; `bytes` = its decoded size. */
ByteVector intact_chunk(const BlockLayout& layout, Random& random, std::size_t& bytes);

/** A chunk with a wrong header, length, stream, or end. */
ByteVector damaged_chunk(const ByteVector& intact, Random& random);

}  // namespace framelab::fuzz
