// Owns: the inner operations for NEON. Compiled with that set's own flags.
// Must not know: when it is chosen.
#include "backends/cpu/kernels_body.h"
#include "backends/cpu/sum_loops_body.h"
#include "codecs/bitshuffle/lanes_neon.h"
#include "codecs/bitshuffle/planes_vector.h"
#include "codecs/lz4/copy_neon.h"

namespace framelab {
namespace {
using Body = KernelsBody<NeonCopy, VectorPlanes<NeonLanes>, NoPrefetch>;

bool supported() { return true; }

}  // namespace

const Kernels kNeonKernels = {"neon", "NEON", supported, Body::decode_block, Body::unshuffle, &kSumLoops};

}  // namespace framelab
