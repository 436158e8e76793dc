// Owns: the inner operations for AVX-512 VBMI + GFNI. Compiled with that set's own flags.
// Must not know: when it is chosen.
#include "backends/cpu/kernels_body.h"
#include "backends/cpu/sum_loops_body.h"
#include "codecs/bitshuffle/planes_avx512.h"
#include "codecs/lz4/copy_avx512.h"

namespace framelab {
namespace {
using Body = KernelsBody<Avx512Copy, Avx512Planes, PrefetchOutput>;

bool supported() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("gfni") != 0;
}

}  // namespace

const Kernels kAvx512Kernels = {"avx512", "AVX-512 VBMI + GFNI", supported, Body::decode_block,
                                Body::unshuffle, &kSumLoops};

}  // namespace framelab
