// Owns: finding the generated kernels of a text by form ("shipped", "uniform_base", …) and name.
// Must not know: what they do.
#pragma once
#include <map>
#include <string>

namespace cuda {

struct Kernel {
    const char *name;
    const void *function;
    unsigned threads;
};

using Table = std::map<std::string, std::map<std::string, Kernel>>;
inline Table &tables() {
    static Table all;
    return all;
}

struct Registration {
    Registration(const char *form, const Kernel *kernels, unsigned count) {
        for (unsigned i = 0; i < count; ++i) tables()[form][kernels[i].name] = kernels[i];
    }
};

}  // namespace cuda
