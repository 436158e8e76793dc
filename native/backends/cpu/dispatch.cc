// Owns: which instruction set runs on this processor.
// Must not know: what the sets do.
#include <cstring>

#include "backends/cpu/kernels.h"

namespace framelab {

const Kernels* const kAllKernels[] = {
#if defined(__x86_64__)
    &kAvx512Kernels,   &kAvx2GfniKernels, &kAvx2Kernels, &kSse2Kernels,
#elif defined(__aarch64__)
    &kNeonKernels,
#endif
    &kPortableKernels, nullptr,
};

const Kernels* find_kernels(const char* name) {
  for (const Kernels* const* k = kAllKernels; *k != nullptr; ++k) {
    if (std::strcmp((*k)->name, name) == 0) return (*k)->supported() ? *k : nullptr;
  }
  return nullptr;
}

const Kernels& best_kernels() {
  static const Kernels* const best = [] {
    const Kernels* const* k = kAllKernels;
    while (!(*k)->supported()) ++k;
    return *k;
  }();
  return *best;
}

}  // namespace framelab
