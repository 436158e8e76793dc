// Owns: what a test needs of a machine that runs the kernels: memory and dispatches.
// Must not know: which machine it is, what the kernels do.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "layout.h"

namespace cases {

class Machine {
public:
    virtual ~Machine() = default;
    // Exactly this many bytes, aligned to 128; 0 bytes give one that is never touched.
    virtual void *allocate(size_t bytes) = 0;
    virtual void release(void *memory) = 0;
    virtual void upload(void *to, const void *from, size_t bytes) = 0;
    virtual void download(void *to, const void *from, size_t bytes) = 0;
    virtual void fill(void *to, int byte, size_t bytes) = 0;
    // `buffers` by buffer index; `params`, where not null, is bound at index 4 and its slot in `buffers` ignored.
    virtual void run(const std::string &kernel, const std::vector<void *> &buffers, const BatchParams *params,
                     uint32_t groups) = 0;
    // Most blocks of one dispatch, and of one threadgroup of the scratch decoder.
    virtual uint32_t most_blocks() const { return UINT32_MAX; }
    virtual uint32_t scratch_groups() const { return kScratchGroups; }
    // Scratch memory and its state words, once allocated: a machine may have to be told.
    virtual void device_memory_shared_by_lanes(void *, size_t) {}
};

}  // namespace cases
