// Owns: the command that runs the suite and the fuzz on an NVIDIA GPU with the shipped text's kernels.
// Must not know: how the parts work, forms other than the shipped one.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "../cases/suite.h"
#include "machine_cuda.h"

namespace {

// Random batches made on the host's threads; each is decoded on every path. Returns failures.
int fuzz(uint32_t blocks, uint32_t seed, unsigned threads) {
    constexpr uint32_t kBatch = 4000;
    std::atomic<uint32_t> next{0};
    std::atomic<int> failures{0};
    auto work = [&] {
        cuda::CudaMachine machine("shipped");
        for (uint32_t round; (round = next++) * kBatch < blocks;)
            failures += cases::run_fuzz(machine, kBatch, seed + round, size_t(1) << round % 3);
    };
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < threads; ++t) pool.emplace_back(work);
    for (std::thread &t : pool) t.join();
    return failures;
}

}  // namespace

// check [--small] [--fuzz=BLOCKS]: the suite, then the long fuzz.
int main(int argc, char **argv) {
    cases::SuiteSize size;
    uint32_t fuzz_blocks = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--small") == 0) size.small = true;
        if (strncmp(argv[i], "--fuzz=", 7) == 0) fuzz_blocks = uint32_t(atoi(argv[i] + 7));
    }
    size.far_addresses = !size.small;
    size.fuzz_blocks = size.small ? 90 : 6000;
    cuda::CudaMachine machine("shipped");
    int failures = cases::run_suite(machine, size);
    if (fuzz_blocks > 0) {
        const unsigned threads = std::thread::hardware_concurrency();
        failures += fuzz(fuzz_blocks, 100, threads == 0 ? 4 : threads);
    }
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
