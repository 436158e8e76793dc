// Owns: detector frames for kernels' tests and timings: counts with a bright disk, and kinds beside it.
// Must not know: compression, kernels.
#pragma once
#include <string>

#include "reference.h"

namespace cases {

// hot: counts, and pixels here and there with any value of the type.
enum class FrameKind { counts, poisson20, random, zeros, hot };

// One frame of height x width elements, little-endian. Depends on seed and index alone.
Bytes make_frame(FrameKind kind, size_t height, size_t width, size_t element_bytes, uint32_t seed, uint32_t index);

}  // namespace cases
