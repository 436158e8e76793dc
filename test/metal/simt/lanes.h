// Owns: running the threads of one threadgroup as fibers on the calling thread, with strict convergence.
// Must not know: Metal's names (metal_stdlib beside this), kernels, tests.
//
// Barriers and SIMD operations are the only points where lanes change places. Every lane of a SIMD group (of the
// threadgroup, for its barrier) must reach the same source line, or the run is aborted. Under ThreadSanitizer lanes are
// its fibers and only a barrier that names the memory orders it; under MemorySanitizer threadgroup memory begins
// poisoned; under AddressSanitizer each threadgroup array is a heap block of its exact size.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

// SIMT_ASAN, SIMT_TSAN or SIMT_MSAN is defined by the build (scripts/metal-lanes.mjs), in every file: not all files are
// instrumented.
#define SIMT_QUIET __attribute__((no_sanitize("thread")))

namespace simt {

constexpr unsigned kWidth = 32;
constexpr unsigned kMostThreads = 256;

// What the [[...]] parameters of a kernel are made from.
struct Ids {
    uint32_t group;
    uint32_t index;
    uint32_t threads;
};
using Thunk = void (*)(void *const *buffers, const Ids &ids);

enum class Wait : uint8_t { none, simdgroup, group, done };

// Bits of a fence: which memory a barrier orders.
constexpr unsigned kDeviceMemory = 1;
constexpr unsigned kThreadgroupMemory = 2;

struct Kernel {
    const char *name;
    unsigned threads;
    Thunk thunk;
};
std::vector<Kernel> &registry();
struct Registration {
    Registration(const char *name, unsigned threads, Thunk thunk) { registry().push_back({name, threads, thunk}); }
};

[[noreturn]] void fail(const char *what, int a, int b);

class Engine {
public:
    explicit Engine(unsigned threads);
    ~Engine();
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    // Which memory barriers may order at all (a fence mode); races in the other kind must be declared benign.
    void fence_mode(unsigned bits);
    static void declare_benign(void *memory, size_t bytes);
    // Lane order: a new random order at each turn, from this seed; 0 keeps 0, 1, 2 …
    void shuffle(uint64_t seed) { random_ = seed; }

    // Runs threadgroups [0, groups). No group happens before another.
    void dispatch(Thunk thunk, void *const *buffers, uint32_t groups);

    // Called by lanes.
    static Engine &current();
    unsigned lane() const { return running_ % kWidth; }
    void barrier(Wait kind, unsigned memory, int line);
    // Every lane hands in a value and sees everybody's. Orders no memory, as on a GPU.
    const uint64_t *exchange(uint64_t value, int line);
    // The array of this threadgroup that the kernel declares at `line`.
    void *group_array(int line, size_t bytes);

private:
    struct Lane {
        void *stack_pointer = nullptr;
        char *stack = nullptr;
        Wait wait = Wait::none;
        int line = 0;
        unsigned operations = 0;  // picks one of two exchange buffers
        void *asan_stack = nullptr;
        void *tsan_fiber = nullptr;
    };
    struct Array {
        int line;
        size_t bytes;
        void *memory;
    };

    void run_group(uint32_t group);
    void prepare_lanes();
    void release_waiting();
    bool release_simdgroups(bool &all_at_group_barrier);
    void release_threadgroup();
    void permute();
    void resume(unsigned thread);
    void yield(Wait kind, int line);
    void lane_body(unsigned thread);
    static void lane_entry();
    void free_arrays();

    unsigned threads_;
    unsigned fence_ = kDeviceMemory | kThreadgroupMemory;
    std::vector<Lane> lanes_;
    std::vector<unsigned> order_;
    std::vector<uint64_t> slots_;
    std::vector<Array> arrays_;
    std::vector<void *> fibers_;
    Thunk thunk_ = nullptr;
    void *const *buffers_ = nullptr;
    uint32_t group_ = 0;
    unsigned running_ = 0;
    uint64_t random_ = 0;
    void *main_stack_pointer_ = nullptr;
    void *main_asan_stack_ = nullptr;
    const void *main_bottom_ = nullptr;
    size_t main_size_ = 0;
    void *main_fiber_ = nullptr;
    char *arena_ = nullptr;
    size_t arena_used_ = 0;
    // Addresses that carry ThreadSanitizer's happens-before edges between host and lanes.
    char begins_ = 0;
    char ends_ = 0;
};

}  // namespace simt
