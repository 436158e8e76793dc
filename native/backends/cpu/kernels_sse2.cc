// Owns: the inner operations for SSE2. Compiled with that set's own flags.
// Must not know: when it is chosen.
#include "backends/cpu/kernels_body.h"
#include "backends/cpu/sum_loops_body.h"
#include "codecs/bitshuffle/lanes_sse2.h"
#include "codecs/bitshuffle/planes_vector.h"
#include "codecs/lz4/copy_sse2.h"

namespace framelab {
namespace {
using Body = KernelsBody<Sse2Copy, VectorPlanes<Sse2Lanes>, NoPrefetch>;

bool supported() { return true; }

}  // namespace

const Kernels kSse2Kernels = {"sse2", "SSE2", supported, Body::decode_block, Body::unshuffle, &kSumLoops};

}  // namespace framelab
