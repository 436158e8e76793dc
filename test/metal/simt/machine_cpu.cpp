// Owns: the machine of machine_cpu.h.
// Must not know: what the tests look for.
#include "machine_cpu.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#ifdef SIMT_MSAN
#include <sanitizer/msan_interface.h>
#endif

namespace simt {
namespace {

// Larger memory is mapped and takes no pages until it is touched; smaller is an exact heap block.
constexpr size_t kMapped = size_t(1) << 30;

// ThreadSanitizer has 255 slots for fibers: a group of the scratch decoder has 7 SIMD groups there.
#ifdef SIMT_TSAN
constexpr unsigned kMostLanes = 224;
#else
constexpr unsigned kMostLanes = 256;
#endif

// This file and the tests are not instrumented for MemorySanitizer: what they hand to the kernels is declared good here,
// what the kernels hand back is checked here.
void declare_good(void *memory, size_t bytes) {
#ifdef SIMT_MSAN
    __msan_unpoison(memory, bytes);
#else
    (void)memory;
    (void)bytes;
#endif
}
void check_good(const void *memory, size_t bytes) {
#ifdef SIMT_MSAN
    __msan_check_mem_is_initialized(memory, bytes);
#else
    (void)memory;
    (void)bytes;
#endif
}

const Kernel &kernel_named(const std::string &name) {
    for (const Kernel &kernel : registry())
        if (name == kernel.name) return kernel;
    fprintf(stderr, "no kernel '%s'\n", name.c_str());
    abort();
}

}  // namespace

void *CpuMachine::allocate(size_t bytes) {
    if (bytes >= kMapped) {
        void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) fail("no memory", 0, 0);
        mapped_[memory] = bytes;
        return memory;
    }
    void *memory = nullptr;
    if (posix_memalign(&memory, 128, bytes == 0 ? 1 : bytes) != 0) fail("no memory", 0, 0);
    return memory;
}

void CpuMachine::release(void *memory) {
    const auto mapped = mapped_.find(memory);
    if (mapped == mapped_.end()) {
        free(memory);
        return;
    }
    munmap(memory, mapped->second);
    mapped_.erase(mapped);
}

void CpuMachine::upload(void *to, const void *from, size_t bytes) {
    if (bytes > 0) memcpy(to, from, bytes);
    declare_good(to, bytes);
}

void CpuMachine::download(void *to, const void *from, size_t bytes) {
    check_good(from, bytes);
    if (bytes > 0) memcpy(to, from, bytes);
}

void CpuMachine::fill(void *to, int byte, size_t bytes) {
    if (bytes > 0) memset(to, byte, bytes);
    declare_good(to, bytes);
}

Engine &CpuMachine::engine(unsigned threads) {
    std::unique_ptr<Engine> &one = engines_[threads];
    if (!one) {
        one = std::make_unique<Engine>(threads);
        one->fence_mode(fence_);
        one->shuffle(lane_order_);
    }
    return *one;
}

uint32_t CpuMachine::scratch_groups() const { return cases::kScratchGroups; }

void CpuMachine::device_memory_shared_by_lanes(void *memory, size_t bytes) {
    if (fence_ == kThreadgroupMemory) Engine::declare_benign(memory, bytes);
}

void CpuMachine::run(const std::string &kernel, const std::vector<void *> &buffers, const cases::BatchParams *params,
                     uint32_t groups) {
    const Kernel &one = kernel_named(kernel);
    std::vector<void *> bound = buffers;
    cases::BatchParams copy{};
    if (params != nullptr) {
        copy = *params;
        bound[4] = &copy;
    }
    declare_good(bound.data(), bound.size() * sizeof(void *));
    declare_good(&copy, sizeof copy);
#ifdef SIMT_MSAN
    __msan_unpoison_param(4);
#endif
    engine(one.threads < kMostLanes ? one.threads : kMostLanes).dispatch(one.thunk, bound.data(), groups);
}

}  // namespace simt
