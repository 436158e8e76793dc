// Owns: the frames of counts.h: a diffraction pattern with a bright disk that drifts a little over the scan.
// Must not know: compression, kernels.
#include "counts.h"

#include <cmath>
#include <random>

namespace cases {
namespace {

// Mean counts, chosen so that blocks compress as those of 4D-STEM counts do; lengths in pixels of a 192-pixel detector.
constexpr double kBackground = 0.025;
constexpr double kDisk = 20;
constexpr double kDiskRadius = 30.0 / 192;
constexpr double kEdgePixels = 1;

uint32_t poisson(std::mt19937 &random, double limit) {
    double product = 1;
    for (uint32_t count = 0;; ++count) {
        product *= (random() + 0.5) / 4294967296.0;
        if (product < limit) return count;
    }
}

double mean_counts(FrameKind kind, double x, double y, double size) {
    if (kind == FrameKind::poisson20) return kDisk;
    const double distance = std::sqrt(x * x + y * y);
    return kBackground + kDisk / (1 + std::exp((distance - kDiskRadius * size) / kEdgePixels));
}

}  // namespace

Bytes make_frame(FrameKind kind, size_t height, size_t width, size_t element_bytes, uint32_t seed, uint32_t index) {
    std::mt19937 random(seed * 2654435761u + index);
    Bytes frame(height * width * element_bytes, 0);
    if (kind == FrameKind::zeros) return frame;
    const double size = double(height < width ? height : width);
    const double drift = (double(index % 16) / 15 - 0.5) * size * 4 / 192;
    for (size_t i = 0; i < height * width; ++i) {
        const double y = double(i / width) - double(height) / 2 - drift;
        const double x = double(i % width) - double(width) / 2 + drift;
        const bool any_value = kind == FrameKind::random || (kind == FrameKind::hot && random() % 700 == 0);
        const uint32_t value = any_value ? uint32_t(random()) : poisson(random, std::exp(-mean_counts(kind, x, y, size)));
        for (size_t b = 0; b < element_bytes; ++b) frame[i * element_bytes + b] = uint8_t(value >> (8 * b));
    }
    return frame;
}

}  // namespace cases
