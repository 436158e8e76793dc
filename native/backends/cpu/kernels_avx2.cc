// Owns: the inner operations for AVX2. Compiled with that set's own flags.
// Must not know: when it is chosen.
#include "backends/cpu/kernels_body.h"
#include "backends/cpu/sum_loops_body.h"
#include "codecs/bitshuffle/lanes_avx2.h"
#include "codecs/bitshuffle/planes_vector.h"
#include "codecs/lz4/copy_avx2.h"

namespace framelab {
namespace {
using Body = KernelsBody<Avx2Copy, VectorPlanes<Avx2Lanes<false>>, PrefetchOutput>;

bool supported() { return __builtin_cpu_supports("avx2") != 0; }

}  // namespace

const Kernels kAvx2Kernels = {"avx2", "AVX2", supported, Body::decode_block, Body::unshuffle, &kSumLoops};

}  // namespace framelab
