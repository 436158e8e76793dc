// Owns: the inner operations for 64-bit C++. Compiled with that set's own flags.
// Must not know: when it is chosen.
#include "backends/cpu/kernels_body.h"
#include "backends/cpu/sum_loops_body.h"
#include "codecs/bitshuffle/planes_portable.h"
#include "codecs/lz4/copy_portable.h"

namespace framelab {
namespace {
using Body = KernelsBody<PortableCopy, PortablePlanes, NoPrefetch>;

bool supported() { return true; }

}  // namespace

const Kernels kPortableKernels = {"portable", "64-bit C++", supported, Body::decode_block,
                                  Body::unshuffle, &kSumLoops};

}  // namespace framelab
