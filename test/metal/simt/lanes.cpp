// Owns: the lane engine of lanes.h.
// Must not know: Metal's names, kernels, tests.
#include "lanes.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#include "switch.h"
#ifdef SIMT_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SIMT_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" void AnnotateBenignRaceSized(const char *, int, const volatile void *, size_t, const char *);
#endif
#ifdef SIMT_MSAN
#include <sanitizer/msan_interface.h>
#endif

namespace simt {
namespace {

constexpr size_t kStack = 256 * 1024;
constexpr size_t kGuard = 4096;
constexpr size_t kArena = size_t(64) << 20;

Engine *&current_engine() {
    static thread_local Engine *engine = nullptr;
    return engine;
}

// The engine's own stores must not count as the lanes' accesses.
SIMT_QUIET __attribute__((noinline)) void quiet_store(uint64_t *slot, uint64_t value) { *slot = value; }
SIMT_QUIET __attribute__((noinline)) void quiet_fill(void *memory, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) static_cast<volatile unsigned char *>(memory)[i] = 0xA5;
}

}  // namespace

void fail(const char *what, int a, int b) {
    fprintf(stderr, "lanes: %s (%d, %d)\n", what, a, b);
    abort();
}

std::vector<Kernel> &registry() {
    static std::vector<Kernel> kernels;
    return kernels;
}

Engine &Engine::current() { return *current_engine(); }

Engine::Engine(unsigned threads)
    : threads_(threads), lanes_(threads), order_(threads), slots_((threads + kWidth - 1) / kWidth * 2 * kWidth) {
    if (threads == 0 || threads > kMostThreads) fail("threads of a threadgroup", int(threads), int(kMostThreads));
    for (unsigned i = 0; i < threads; ++i) {
        void *map = mmap(nullptr, kStack + kGuard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED) fail("no memory for a lane's stack", int(i), 0);
        mprotect(map, kGuard, PROT_NONE);
        lanes_[i].stack = static_cast<char *>(map) + kGuard;
        declare_benign(lanes_[i].stack, kStack);  // the next group's lane takes the same stack; no lane sees another's
        order_[i] = i;
    }
#ifdef SIMT_TSAN
    arena_ = static_cast<char *>(malloc(kArena));
#endif
    prepare_lanes();
}

Engine::~Engine() {
    free_arrays();
    free(arena_);
    for (Lane &lane : lanes_) munmap(lane.stack - kGuard, kStack + kGuard);
}

void Engine::fence_mode(unsigned bits) {
    fence_ = bits;
    if (bits == kDeviceMemory) declare_benign(arena_, kArena);
}

void Engine::declare_benign(void *memory, size_t bytes) {
#ifdef SIMT_TSAN
    AnnotateBenignRaceSized(__FILE__, __LINE__, memory, bytes, "not ordered in this fence mode");
#else
    (void)memory;
    (void)bytes;
#endif
}

void Engine::dispatch(Thunk thunk, void *const *buffers, uint32_t groups) {
    thunk_ = thunk;
    buffers_ = buffers;
    Engine *outer = current_engine();
    current_engine() = this;
#ifdef SIMT_TSAN
    __tsan_release(&begins_);
    arena_used_ = 0;
#endif
    for (uint32_t group = 0; group < groups; ++group) run_group(group);
#ifdef SIMT_TSAN
    __tsan_acquire(&ends_);
    // Kept to the end of the dispatch: a destroyed fiber's slot is reused, which would hide races between groups.
    for (void *fiber : fibers_) __tsan_destroy_fiber(fiber);
    fibers_.clear();
#endif
    free_arrays();
    current_engine() = outer;
}

SIMT_QUIET void Engine::run_group(uint32_t group) {
    group_ = group;
    free_arrays();
#ifdef SIMT_TSAN
    main_fiber_ = __tsan_get_current_fiber();
    for (Lane &lane : lanes_) fibers_.push_back(lane.tsan_fiber = __tsan_create_fiber(0));
    prepare_lanes();
#endif
    for (Lane &lane : lanes_) {
        lane.wait = Wait::none;
        lane.operations = 0;
    }
    for (unsigned live = threads_; live > 0;) {
        if (random_ != 0) permute();
        for (unsigned k = 0; k < threads_; ++k) {
            Lane &lane = lanes_[order_[k]];
            if (lane.wait != Wait::none) continue;
            resume(order_[k]);
            if (lane.wait == Wait::done) --live;
        }
        if (live > 0) release_waiting();
    }
}

SIMT_QUIET void Engine::permute() {
    for (unsigned i = threads_ - 1; i > 0; --i) {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        std::swap(order_[i], order_[random_ % (i + 1)]);
    }
}

SIMT_QUIET void Engine::release_waiting() {
    bool all_at_group_barrier = true;
    if (release_simdgroups(all_at_group_barrier)) return;
    if (!all_at_group_barrier) fail("lanes wait for each other", 0, 0);
    release_threadgroup();
}

SIMT_QUIET bool Engine::release_simdgroups(bool &all_at_group_barrier) {
    bool released = false;
    for (unsigned low = 0; low < threads_; low += kWidth) {
        const unsigned high = low + kWidth < threads_ ? low + kWidth : threads_;
        const Lane *waiting = nullptr;
        for (unsigned i = low; i < high; ++i)
            if (lanes_[i].wait == Wait::simdgroup) waiting = &lanes_[i];
        if (waiting == nullptr) continue;
        all_at_group_barrier = false;
        for (unsigned i = low; i < high; ++i) {
            if (lanes_[i].wait == Wait::done) fail("a lane left before a SIMD operation of its peers", int(i), waiting->line);
            if (lanes_[i].wait != Wait::simdgroup || lanes_[i].line != waiting->line)
                fail("divergent SIMD operation at lines", waiting->line, lanes_[i].line);
        }
        for (unsigned i = low; i < high; ++i) lanes_[i].wait = Wait::none;
        released = true;
    }
    return released;
}

SIMT_QUIET void Engine::release_threadgroup() {
    const Lane *waiting = nullptr;
    for (Lane &lane : lanes_)
        if (lane.wait == Wait::group) waiting = &lane;
    for (unsigned i = 0; i < threads_; ++i) {
        if (lanes_[i].wait == Wait::done) fail("a lane left before a threadgroup barrier", int(i), waiting->line);
        if (lanes_[i].line != waiting->line) fail("divergent threadgroup barrier at lines", waiting->line, lanes_[i].line);
    }
    for (Lane &lane : lanes_) lane.wait = Wait::none;
}

SIMT_QUIET void Engine::barrier(Wait kind, unsigned memory, int line) {
    const bool orders = (memory & fence_) != 0;
    (void)orders;
#ifdef SIMT_TSAN
    void *edge = kind == Wait::group ? static_cast<void *>(&slots_[0]) : &slots_[running_ / kWidth * 2 * kWidth + 1];
    if (orders) __tsan_release(edge);
    yield(kind, line);
    if (orders) __tsan_acquire(edge);
#else
    yield(kind, line);
#endif
}

SIMT_QUIET const uint64_t *Engine::exchange(uint64_t value, int line) {
    Lane &lane = lanes_[running_];
    uint64_t *slots = &slots_[(running_ / kWidth * 2 + (lane.operations & 1)) * kWidth];
    quiet_store(slots + running_ % kWidth, value);
    ++lane.operations;
    yield(Wait::simdgroup, line);
    return slots;
}

SIMT_QUIET void *Engine::group_array(int line, size_t bytes) {
    for (const Array &array : arrays_)
        if (array.line == line) return array.memory;
#ifdef SIMT_TSAN
    void *memory = arena_ + arena_used_;
    arena_used_ += (bytes + 63) / 64 * 64;
    if (arena_used_ > kArena) fail("dispatch fewer groups at a time", int(group_), 0);
#else
    void *memory = aligned_alloc(16, (bytes + 15) / 16 * 16);
#endif
    arrays_.push_back({line, bytes, memory});
    quiet_fill(memory, bytes);
#ifdef SIMT_MSAN
    __msan_poison(memory, bytes);
#endif
    return memory;
}

SIMT_QUIET void Engine::free_arrays() {
#ifndef SIMT_TSAN
    for (const Array &array : arrays_) free(array.memory);
#endif
    arrays_.clear();
}

SIMT_QUIET void Engine::lane_body(unsigned thread) {
    for (;;) {
        const Ids ids{group_, thread, threads_};
#ifdef SIMT_TSAN
        __tsan_acquire(&begins_);
#endif
        thunk_(buffers_, ids);
#ifdef SIMT_TSAN
        __tsan_release(&ends_);
#endif
        yield(Wait::done, 0);
    }
}

SIMT_QUIET void Engine::lane_entry() {
    Engine &engine = *current_engine();
#ifdef SIMT_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &engine.main_bottom_, &engine.main_size_);
#endif
    engine.lane_body(engine.running_);
}

SIMT_QUIET void Engine::prepare_lanes() {
    for (Lane &lane : lanes_) lane.stack_pointer = fresh_stack(lane.stack, kStack, &Engine::lane_entry);
}

SIMT_QUIET void Engine::resume(unsigned thread) {
    Lane &lane = lanes_[thread];
    running_ = thread;
#ifdef SIMT_TSAN
    __tsan_switch_to_fiber(lane.tsan_fiber, __tsan_switch_to_fiber_no_sync);
#endif
#ifdef SIMT_ASAN
    __sanitizer_start_switch_fiber(&main_asan_stack_, lane.stack, kStack);
#endif
    simt_switch(&main_stack_pointer_, lane.stack_pointer);
#ifdef SIMT_ASAN
    __sanitizer_finish_switch_fiber(main_asan_stack_, nullptr, nullptr);
#endif
}

SIMT_QUIET void Engine::yield(Wait kind, int line) {
    Lane &lane = lanes_[running_];
    lane.wait = kind;
    lane.line = line;
#ifdef SIMT_TSAN
    __tsan_switch_to_fiber(main_fiber_, __tsan_switch_to_fiber_no_sync);
#endif
#ifdef SIMT_ASAN
    __sanitizer_start_switch_fiber(&lane.asan_stack, main_bottom_, main_size_);
#endif
    simt_switch(&lane.stack_pointer, main_stack_pointer_);
#ifdef SIMT_ASAN
    __sanitizer_finish_switch_fiber(lane.asan_stack, &main_bottom_, &main_size_);
#endif
}

}  // namespace simt
