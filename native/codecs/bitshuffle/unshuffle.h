// Owns: bit planes of one block back to elements: full vectors by a Planes policy, the rest by 64-bit
// arithmetic.
// Must not know: LZ4, files, frames. Reads exactly the block's bytes, writes exactly its elements.
//
// A block of n elements of s bytes is 8 s planes of n/8 bytes: element e has bit b in byte e/8, bit e%8
// (least significant first) of plane b. Eight planes make one byte of each element: a "group".
#pragma once
#include "codecs/bitshuffle/transpose8.h"
#include "core/bytes.h"

namespace framelab {
namespace {

/** Groups that hold a set bit, counted from the lowest: detector counts are small, so the upper planes are
 * zero. */
template <class Planes>
FRAMELAB_INLINE unsigned live_groups(const std::uint8_t* planes, std::size_t elements, unsigned groups) {
  // A group of 8 planes of elements/8 bytes has `elements` bytes.
  for (unsigned live = groups; live > 0; --live) {
    const std::uint8_t* group = planes + (live - 1) * elements;
    std::size_t i = 0;
    // Stops at the first line that is not zero, so a busy group costs one line.
    for (; i + 64 <= elements; i += 64) {
      if (!Planes::zero64(group + i)) return live;
    }
    for (; i < elements; ++i) {
      if (group[i] != 0) return live;
    }
  }
  return 0;
}

/** Elements from `first` (a multiple of 8) on, for any element size. `stride` = bytes of a plane. */
FRAMELAB_INLINE void unshuffle_rest(const std::uint8_t* planes, std::size_t stride, std::uint8_t* out,
                                    std::size_t first, std::size_t elements, unsigned element_bytes) {
  for (std::size_t column = first / 8; column < elements / 8; ++column) {
    for (unsigned group = 0; group < element_bytes; ++group) {
      std::uint64_t bits = 0;
      for (unsigned b = 0; b < 8; ++b)
        bits |= std::uint64_t{planes[(8 * group + b) * stride + column]} << (8 * b);
      bits = transpose8(bits);
      for (unsigned k = 0; k < 8; ++k) {
        out[(8 * column + k) * element_bytes + group] = static_cast<std::uint8_t>(bits >> (8 * k));
      }
    }
  }
}

/** `steps` vector steps of elements of kBytes bytes (1, 2, 4) of which the lowest kLive groups are not zero.
 */
template <class Planes, unsigned kBytes, unsigned kLive>
FRAMELAB_INLINE void unshuffle_steps(const std::uint8_t* planes, std::size_t stride, std::uint8_t* out,
                                     std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    Planes::template step<kBytes, kLive>(planes, stride, out);
    planes += Planes::kStep / 8;
    out += Planes::kStep * kBytes;
  }
}

template <class Planes, unsigned kBytes>
FRAMELAB_INLINE void unshuffle_live(const std::uint8_t* planes, std::size_t stride, std::uint8_t* out,
                                    std::size_t steps, unsigned live) {
  if (live <= 1) {
    unshuffle_steps<Planes, kBytes, 1>(planes, stride, out, steps);
  } else if (live == 2) {
    unshuffle_steps < Planes, kBytes, kBytes<2 ? kBytes : 2>(planes, stride, out, steps);
  } else {
    unshuffle_steps<Planes, kBytes, kBytes>(planes, stride, out, steps);
  }
}

/** 8-byte elements: both halves as 4-byte elements through a small buffer, a vector step at a time, then
 * woven. */
template <class Planes>
FRAMELAB_INLINE void unshuffle_wide(const std::uint8_t* planes, std::size_t stride, std::uint8_t* out,
                                    std::size_t steps) {
  alignas(64) std::uint8_t half[2][Planes::kStep * 4];
  for (std::size_t i = 0; i < steps; ++i) {
    Planes::template step<4, 4>(planes, stride, half[0]);
    Planes::template step<4, 4>(planes + 32 * stride, stride, half[1]);
    for (std::size_t e = 0; e < Planes::kStep; ++e) {
      std::memcpy(out + 8 * e, half[0] + 4 * e, 4);
      std::memcpy(out + 8 * e + 4, half[1] + 4 * e, 4);
    }
    planes += Planes::kStep / 8;
    out += Planes::kStep * 8;
  }
}

/** One block: `elements` (a multiple of 8) of 1, 2, 4 or 8 bytes. */
template <class Planes>
FRAMELAB_INLINE void unshuffle_block(const std::uint8_t* planes, std::uint8_t* out, std::size_t elements,
                                     unsigned element_bytes) {
  const std::size_t stride = elements / 8;
  const std::size_t steps = elements / Planes::kStep;
  const unsigned live = live_groups<Planes>(planes, elements, element_bytes);
  if (live == 0) {
    std::memset(out, 0, elements * element_bytes);
    return;
  }
  switch (element_bytes) {
    case 1:
      unshuffle_steps<Planes, 1, 1>(planes, stride, out, steps);
      break;
    case 2:
      unshuffle_live<Planes, 2>(planes, stride, out, steps, live);
      break;
    case 4:
      unshuffle_live<Planes, 4>(planes, stride, out, steps, live);
      break;
    default:
      unshuffle_wide<Planes>(planes, stride, out, steps);
  }
  unshuffle_rest(planes, stride, out, steps * Planes::kStep, elements, element_bytes);
}

}  // namespace
}  // namespace framelab
