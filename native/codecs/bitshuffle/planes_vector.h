// Owns: the Planes policy over 16-byte lanes: the bit transpose of eight planes and the weaving of byte
// groups.
// Must not know: processors (the Lanes class wraps one vector type), LZ4, files, frames.
//
// A Lanes class gives: Vec, kLanes (16-byte lanes in a Vec), load, zero, fill, zero64 (of 64 bytes), the lane-wise
// operations and_, xor_, shift_right<n>, shift_left<n> (16-bit words), low8/high8/low16/... (interleave the lower
// or upper half of each lane), kBitTranspose, with transpose_bits (8 x 8 bits in each 64) where it is true, and
// store_line.
#pragma once
#include "core/bytes.h"

namespace framelab {
namespace {

template <class Lanes>
struct VectorPlanes {
  using Vec = typename Lanes::Vec;
  /** Elements of a step: one vector of each plane. */
  static constexpr std::size_t kStep = 128 * Lanes::kLanes;

  static FRAMELAB_INLINE bool zero64(const std::uint8_t* p) { return Lanes::zero64(p); }

  template <unsigned kBytes, unsigned kLive>
  static FRAMELAB_INLINE void step(const std::uint8_t* planes, std::size_t stride, std::uint8_t* out) {
    if constexpr (Lanes::kLanes > 1) ask_for(out, kStep * kBytes);
    Vec group[kBytes][8];
    for (unsigned g = 0; g < kBytes; ++g) {
      if (g < kLive) {
        transpose(planes + 8 * g * stride, stride, group[g]);
      } else {
        for (Vec& v : group[g]) v = Lanes::zero();
      }
    }
    if constexpr (kBytes == 1) {
      for (unsigned i = 0; i < 8; i += 4) {
        const Vec* row = group[0] + i;
        Lanes::store_line(out + 16 * i, 128, row[0], row[1], row[2], row[3]);
      }
    } else if constexpr (kBytes == 2) {
      for (unsigned i = 0; i < 8; i += 2) {
        const Vec* low = group[0] + i;
        const Vec* high = group[1] + i;
        Lanes::store_line(out + 32 * i, 256, Lanes::low8(low[0], high[0]), Lanes::high8(low[0], high[0]),
                          Lanes::low8(low[1], high[1]), Lanes::high8(low[1], high[1]));
      }
    } else {
      weave4(group, out);
    }
  }

 private:
  /**
   * Lanes are stored to places apart in turn, which the processor does not foresee: noise of 4 bytes decodes 1.5 to
   * 1.8 times as fast with its lines asked for before the transposes (Zen 4, AVX2).
   */
  static FRAMELAB_INLINE void ask_for(const std::uint8_t* out, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(out + at, 1, 3);
  }

  static FRAMELAB_INLINE void weave4(const Vec (&group)[4][8], std::uint8_t* out) {
    for (unsigned i = 0; i < 8; ++i) {
      const Vec a = Lanes::low8(group[0][i], group[1][i]);
      const Vec b = Lanes::high8(group[0][i], group[1][i]);
      const Vec c = Lanes::low8(group[2][i], group[3][i]);
      const Vec d = Lanes::high8(group[2][i], group[3][i]);
      Lanes::store_line(out + 64 * i, 512, Lanes::low16(a, c), Lanes::high16(a, c), Lanes::low16(b, d),
                        Lanes::high16(b, d));
    }
  }

  /** Eight planes to bytes: lane L of row[k] holds elements 128 L + 16 k to 128 L + 16 k + 15. */
  static FRAMELAB_INLINE void transpose(const std::uint8_t* planes, std::size_t stride, Vec row[8]) {
    Vec plane[8];
    if constexpr (Lanes::kBitTranspose) {
      // The instruction numbers its matrix rows from the last byte: load the planes in reverse.
      for (unsigned i = 0; i < 8; ++i) plane[i] = Lanes::load(planes + (7 - i) * stride);
      weave8(plane, row);
      for (unsigned i = 0; i < 8; ++i) row[i] = Lanes::transpose_bits(row[i]);
    } else {
      for (unsigned i = 0; i < 8; ++i) plane[i] = Lanes::load(planes + i * stride);
      exchange<4>(plane, Lanes::fill(0x0f));
      exchange<2>(plane, Lanes::fill(0x33));
      exchange<1>(plane, Lanes::fill(0x55));
      weave8(plane, row);
    }
  }

  /** One level of the bit transpose: swaps blocks of kShift bits between rows kShift apart. */
  template <int kShift>
  static FRAMELAB_INLINE void exchange(Vec row[8], Vec mask) {
    for (int i = 0; i < 8; ++i) {
      if (i & kShift) continue;
      Vec& a = row[i];
      Vec& b = row[i + kShift];
      const Vec t = Lanes::and_(Lanes::xor_(Lanes::template shift_right<kShift>(a), b), mask);
      b = Lanes::xor_(b, t);
      a = Lanes::xor_(a, Lanes::template shift_left<kShift>(t));
    }
  }

  /** Byte g of row i becomes byte i of the 8-byte group g. */
  static FRAMELAB_INLINE void weave8(const Vec in[8], Vec out[8]) {
    Vec pair[8];
    for (unsigned i = 0; i < 4; ++i) {
      pair[2 * i] = Lanes::low8(in[2 * i], in[2 * i + 1]);
      pair[2 * i + 1] = Lanes::high8(in[2 * i], in[2 * i + 1]);
    }
    Vec quad[8];
    for (unsigned half = 0; half < 2; ++half) {
      const Vec* p = pair + 4 * half;
      quad[4 * half] = Lanes::low16(p[0], p[2]);
      quad[4 * half + 1] = Lanes::high16(p[0], p[2]);
      quad[4 * half + 2] = Lanes::low16(p[1], p[3]);
      quad[4 * half + 3] = Lanes::high16(p[1], p[3]);
    }
    for (unsigned i = 0; i < 4; ++i) {
      out[2 * i] = Lanes::low32(quad[i], quad[4 + i]);
      out[2 * i + 1] = Lanes::high32(quad[i], quad[4 + i]);
    }
  }
};

}  // namespace
}  // namespace framelab
