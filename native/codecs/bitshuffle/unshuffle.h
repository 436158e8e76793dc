// Owns: bit planes of one block back to elements, by the vector steps of a Planes policy.
// Must not know: LZ4, files, frames. Reads exactly the block's bytes, writes exactly its elements.
//
// A block of n elements of s bytes is 8 s planes of n/8 bytes: element e has bit b in byte e/8, bit e%8
// (least significant first) of plane b. Eight planes make one byte of each element: a "group".
#pragma once
#include "core/bytes.h"

namespace framelab {
namespace {

/** Groups that hold a set bit, counted from the lowest: detector counts are small, so the upper planes are
 * zero. */
template <class Planes>
FRAMELAB_INLINE unsigned live_groups(const std::uint8_t* planes, std::size_t elements, unsigned groups) {
  // A group of 8 planes of elements/8 bytes has `elements` bytes, a multiple of 8.
  for (unsigned live = groups; live > 0; --live) {
    const std::uint8_t* group = planes + (live - 1) * elements;
    std::size_t i = 0;
    // Stops at the first line that is not zero, so a busy group costs one line.
    for (; i + 64 <= elements; i += 64) {
      if (!Planes::zero64(group + i)) return live;
    }
    for (; i < elements; i += 8) {
      if (load64(group + i) != 0) return live;
    }
  }
  return 0;
}

/** One vector step of elements of kBytes bytes of which the lowest kLive groups are not zero. */
template <class Planes, unsigned kBytes, unsigned kLive>
FRAMELAB_INLINE void unshuffle_step(const std::uint8_t* planes, std::size_t stride, std::uint8_t* out) {
  if constexpr (kBytes < 8) {
    Planes::template step<kBytes, kLive>(planes, stride, out);
  } else {
    // Both halves as 4-byte elements through a small buffer, then woven: a loop that compilers make vectors of.
    alignas(64) std::uint32_t low[Planes::kStep];
    alignas(64) std::uint32_t high[Planes::kStep];
    constexpr unsigned kLow = kLive < 4 ? kLive : 4;
    Planes::template step<4, kLow>(planes, stride, reinterpret_cast<std::uint8_t*>(low));
    if constexpr (kLive > 4) {
      Planes::template step<4, 4>(planes + 32 * stride, stride, reinterpret_cast<std::uint8_t*>(high));
    }
    for (std::size_t e = 0; e < Planes::kStep; ++e) {
      std::uint64_t whole = low[e];
      if constexpr (kLive > 4) whole |= std::uint64_t{high[e]} << 32;
      store64(out + 8 * e, whole);
    }
  }
}

/** Fewer elements than a step: a whole step makes them in memory of its own. */
template <class Planes, unsigned kBytes, unsigned kLive>
FRAMELAB_INLINE void unshuffle_short(const std::uint8_t* planes, std::size_t stride, std::uint8_t* out,
                                     std::size_t elements) {
  alignas(64) std::uint8_t from[Planes::kStep * kLive + Planes::kStep / 8];
  alignas(64) std::uint8_t to[Planes::kStep * kBytes];
  // A step reads on behind each plane: what it finds there becomes elements that are dropped. Behind the last plane
  // lie those without a set bit; where they are too few, only a copy may be read on.
  const std::size_t behind = (Planes::kStep - elements) / 8;
  if (behind > elements * (kBytes - kLive)) {
    std::memcpy(from, planes, elements * kLive);
    std::memset(from + elements * kLive, 0, behind);
    planes = from;
  }
  unshuffle_step<Planes, kBytes, kLive>(planes, stride, to);
  std::memcpy(out, to, elements * kBytes);
}

/** The last elements of a block that whole steps do not fill: one more step, over some that are done already. */
template <class Planes, unsigned kBytes, unsigned kLive>
__attribute__((noinline)) void unshuffle_rest(const std::uint8_t* planes, std::size_t stride,
                                              std::uint8_t* out, std::size_t elements) {
  if (elements < Planes::kStep) {
    unshuffle_short<Planes, kBytes, kLive>(planes, stride, out, elements);
  } else {
    const std::size_t at = elements - Planes::kStep;
    unshuffle_step<Planes, kBytes, kLive>(planes + at / 8, stride, out + at * kBytes);
  }
}

/** `steps` vector steps. A function of its own, whose loop has the registers to itself. */
template <class Planes, unsigned kBytes, unsigned kLive>
__attribute__((noinline)) void unshuffle_steps(const std::uint8_t* planes, std::size_t stride,
                                               std::uint8_t* out, std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    unshuffle_step<Planes, kBytes, kLive>(planes, stride, out);
    planes += Planes::kStep / 8;
    out += Planes::kStep * kBytes;
  }
}

/** `elements`, a multiple of 8, of which the lowest kLive groups are not zero. */
template <class Planes, unsigned kBytes, unsigned kLive>
FRAMELAB_INLINE void unshuffle_elements(const std::uint8_t* planes, std::uint8_t* out, std::size_t elements) {
  const std::size_t steps = elements / Planes::kStep;
  if (steps > 0) unshuffle_steps<Planes, kBytes, kLive>(planes, elements / 8, out, steps);
  if (elements % Planes::kStep != 0) {
    unshuffle_rest<Planes, kBytes, kLive>(planes, elements / 8, out, elements);
  }
}

template <class Planes, unsigned kBytes>
FRAMELAB_INLINE void unshuffle_live(const std::uint8_t* planes, std::uint8_t* out, std::size_t elements,
                                    unsigned live) {
  // Elements of fewer bytes never have so many groups; what is made for them must compile.
  constexpr unsigned kTwo = kBytes < 2 ? kBytes : 2;
  constexpr unsigned kFour = kBytes < 4 ? kBytes : 4;
  if (live <= 1) {
    unshuffle_elements<Planes, kBytes, 1>(planes, out, elements);
  } else if (live == 2) {
    unshuffle_elements<Planes, kBytes, kTwo>(planes, out, elements);
  } else if (live <= 4) {
    unshuffle_elements<Planes, kBytes, kFour>(planes, out, elements);
  } else {
    unshuffle_elements<Planes, kBytes, kBytes>(planes, out, elements);
  }
}

/** One block: `elements` (a multiple of 8) of 1, 2, 4 or 8 bytes. */
template <class Planes>
FRAMELAB_INLINE void unshuffle_block(const std::uint8_t* planes, std::uint8_t* out, std::size_t elements,
                                     unsigned element_bytes) {
  const unsigned live = live_groups<Planes>(planes, elements, element_bytes);
  if (live == 0) {
    std::memset(out, 0, elements * element_bytes);
    return;
  }
  switch (element_bytes) {
    case 1:
      unshuffle_live<Planes, 1>(planes, out, elements, live);
      break;
    case 2:
      unshuffle_live<Planes, 2>(planes, out, elements, live);
      break;
    case 4:
      unshuffle_live<Planes, 4>(planes, out, elements, live);
      break;
    default:
      unshuffle_live<Planes, 8>(planes, out, elements, live);
  }
}

}  // namespace
}  // namespace framelab
