// Owns: the inner operations that are compiled once for each instruction set, and the list of those sets.
// Must not know: chunks, files, threads.
#pragma once
#include "backends/cpu/sum_loops.h"
#include "codecs/lz4/block.h"

namespace framelab {

/** The inner operations for one instruction set. */
struct Kernels {
  /** Name in tests and options: `avx512`. */
  const char* name;
  /** For people: `AVX-512 VBMI + GFNI`. */
  const char* text;
  /** Whether this processor, and its system, run it. */
  bool (*supported)();
  /**
   * Decodes an LZ4 block of exactly `size` bytes to `out`, which has kBlockSlack writable bytes behind it.
   * `ahead` is the memory that the block's elements will go to next, prefetched where that pays; null when
   * nobody writes there soon.
   */
  Reason (*decode_block)(BlockStream stream, std::uint8_t* out, std::size_t size, const std::uint8_t* ahead);
  /** Bit planes to `elements` (a multiple of 8) elements of 1, 2, 4 or 8 bytes. */
  void (*unshuffle)(const std::uint8_t* planes, std::uint8_t* out, std::size_t elements,
                    unsigned element_bytes);
  /** Adding decoded elements to sums. */
  const SumLoops* sums;
};

/** All sets that this binary holds, fastest first; null-terminated. The last one runs everywhere. */
extern const Kernels* const kAllKernels[];

/** The set called `name` if it is compiled in and this processor runs it, else null. */
const Kernels* find_kernels(const char* name);

/** The fastest set that this processor runs. Decided once. */
const Kernels& best_kernels();

extern const Kernels kPortableKernels;
#if defined(__x86_64__)
extern const Kernels kSse2Kernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx2GfniKernels;
extern const Kernels kAvx512Kernels;
#elif defined(__aarch64__)
extern const Kernels kNeonKernels;
#endif

}  // namespace framelab
