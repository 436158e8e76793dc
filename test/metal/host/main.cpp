// Owns: rung 3: the Metal host over the stand-in device, whole and with every fault.
// Must not know: how the stand-in works.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "backends/metal/device.h"
#include "backends/metal/self_test.h"
#include "backends/metal/shelf.h"
#include "standin/faults.h"
#include "standin/runtime.h"

namespace {

namespace host = framelab::metal;
int failures = 0;
const char *const kSource = standin::texts()[0].source;

void check(bool right, const char *what) {
    if (right) return;
    ++failures;
    printf("FAILED %s\n", what);
}

standin::Faults &fresh() {
    standin::settle();
    standin::faults() = {};
    return standin::faults();
}

std::string refused() {
    std::string why;
    return host::Device::open(kSource, why) == nullptr ? why : "opened";
}

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

void opening() {
    fresh();
    std::string why;
    const auto device = host::Device::open(kSource, why);
    check(device != nullptr && device->facts().name == "CPU stand-in", "opens and names the device");
    check(has((host::Device::open("kernel void other() {}", why), why), "do not compile"), "another text is a compile error");
    fresh().no_device = true;
    check(refused() == "no Metal device", "no device");
    fresh().no_list = true;
    check(refused() == "opened", "an empty list leaves the default device");
    fresh().separate_memory = true;
    check(has(refused(), "does not share its memory"), "separate memory");
    fresh().compile_error = true;
    check(has(refused(), "program_source:1:1"), "compile error in the driver's words");
    fresh().warning_beside_library = true;
    check(refused() == "opened", "a warning beside a library is none");
    fresh().no_pipeline = true;
    check(has(refused(), "internal error"), "no pipeline");
    fresh().simd_width = 64;
    check(has(refused(), "SIMD groups of 64"), "SIMD width 64");
    fresh().most_threads = 192;
    check(has(refused(), "decode_scratch: at most 192"), "too few threads a threadgroup");
    fresh();
}

void buffers() {
    fresh();
    std::string why;
    const auto device = host::Device::open(kSource, why);
    const std::size_t page = host::page_bytes();
    std::unique_ptr<char, void (*)(void *)> memory(static_cast<char *>(aligned_alloc(page, 4 * page)), free);
    const auto wrapped = device->wrap(memory.get(), 4 * page);
    check(wrapped != nullptr && wrapped->contents() == memory.get() && wrapped->bytes() == 4 * page, "memory of our own is wrapped");
    check(device->wrap(memory.get() + 64, page) == nullptr, "an address off the page is refused");
    check(device->wrap(memory.get(), page + 8) == nullptr, "a length off the page is refused");
    check(device->allocate(0) == nullptr && device->allocate(std::size_t(1) << 33) == nullptr, "lengths beyond the device are refused");
    fresh().refuse_no_copy = true;
    check(device->wrap(memory.get(), page) == nullptr, "a nil no-copy buffer is refused");
    fresh().empty_no_copy = true;
    check(device->wrap(memory.get(), page) == nullptr, "a no-copy buffer of length 0 is refused");
    fresh().refuse_buffers = true;
    check(device->allocate(64) == nullptr, "a nil buffer is refused");
    fresh();
}

void shelf() {
    fresh();
    std::string why;
    const auto device = host::Device::open(kSource, why);
    const std::size_t mib = std::size_t(1) << 20;
    host::Shelf shelf;
    check(shelf.take().stored == nullptr, "an empty shelf has no buffers");
    for (int i = 0; i < 5; ++i) {
        host::SliceBuffers buffers;
        buffers.stored = device->allocate(16 * mib);
        buffers.blocks = device->allocate(15 * mib);
        buffers.scratch = device->allocate(2 * mib);
        buffers.staging = device->allocate(mib);
        shelf.put(std::move(buffers));
    }
    for (int i = 0; i < 4; ++i) {
        const host::SliceBuffers kept = shelf.take();
        check(kept.stored != nullptr && kept.blocks != nullptr, "buffers are kept");
        check(kept.scratch == nullptr && kept.staging == nullptr, "up to 32 MiB, and none of a copy");
    }
    check(shelf.take().stored == nullptr, "of four slices");
}

host::Dispatch probe(const host::Buffer *results, const host::Buffer *counters) {
    host::Dispatch dispatch;
    dispatch.kernel = "probe_simd";
    dispatch.buffers = {{results, 0}, {counters, 0}};
    dispatch.groups = 1;
    return dispatch;
}

void commands() {
    fresh();
    std::string why;
    const auto device = host::Device::open(kSource, why);
    const auto results = device->allocate(4096), counters = device->allocate(512);
    const auto run = [&] { return device->run({probe(results.get(), counters.get())}, 10); };
    check(run().ok && run().gpu_seconds > 0, "a dispatch runs and is timed");
    fresh().failing_commands = 1;
    check(run().message == "injected fault", "a failed command buffer is reported in its words");
    check(run().ok, "the next one runs");
    standin::faults().failing_commands = 1;
    standin::faults().failure = "Discarded (victim of GPU error/recovery)";
    const long before = standin::commands_committed();
    check(run().ok && standin::commands_committed() == before + 2, "an innocent victim is run once more");
    standin::faults().failing_commands = 9;
    check(!run().ok && standin::commands_committed() == before + 4, "and only once");
    fresh();
    host::Dispatch wrong = probe(results.get(), counters.get());
    wrong.groups = 0;
    check(has(device->run({wrong}, 10).message, "cannot take"), "an empty grid is not sent");
    wrong = probe(results.get(), counters.get());
    wrong.buffers[0].offset = 4096;
    check(has(device->run({wrong}, 10).message, "offset"), "an offset at the end is not sent");
    wrong = probe(results.get(), counters.get());
    wrong.params.resize(4096);
    check(has(device->run({wrong}, 10).message, "cannot take"), "4,096 bytes of parameters are not sent");
    fresh().never_ends = true;
    const long sent = standin::commands_committed();
    check(has(device->run({probe(results.get(), counters.get())}, 0.2).message, "did not answer"), "a wait has an end");
    check(has(run().message, "did not answer") && standin::commands_committed() == sent + 1, "a lost device is left alone");
    fresh();
}

void self_test() {
    fresh();
    std::string why;
    const auto device = host::Device::open(kSource, why);
    host::SelfTest test = host::run_self_test(*device);
    check(test.passed && has(test.choice, "faster"), "the self-test passes");
    if (!test.passed) printf("  %s\n", test.why.c_str());
    for (const host::KernelFacts &kernel : host::kKernels) {
        fresh().wrong_kernel = kernel.name;
        test = host::run_self_test(*device);
        const bool windowed = has(kernel.name, "windowed"), uniform = has(kernel.name, "uniform");
        const bool right = windowed ? test.passed && test.design == host::Design::uniform && has(test.choice, "failed its self-test")
                           : uniform ? test.passed && test.design == host::Design::windowed
                                     : !test.passed && !test.why.empty();
        check(right, kernel.name);
    }
    fresh().refuse_buffers = true;
    check(has(host::run_self_test(*device).why, "no memory"), "no memory for the self-test");
    fresh().failing_commands = 1;
    check(host::run_self_test(*device).why == "injected fault", "a fault in the self-test");
    fresh();
}

}  // namespace

int main() {
    opening();
    buffers();
    shelf();
    commands();
    self_test();
    const long after_one = standin_live_objects();
    for (int i = 0; i < 100; ++i) opening();
    standin::settle();
    check(standin_live_objects() == after_one, "nothing grows over 100 openings");
    check(standin_live_objects() == 0, "no object is left");
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
