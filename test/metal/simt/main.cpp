// Owns: the command that runs the suite, or the fuzz alone, on the lane engine.
// Must not know: how the parts work.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../cases/suite.h"
#include "machine_cpu.h"

namespace {

unsigned long option(int argc, char **argv, const char *name, unsigned long otherwise) {
    const size_t length = strlen(name);
    for (int i = 1; i < argc; ++i)
        if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, name, length) == 0 && argv[i][2 + length] == '=')
            return strtoul(argv[i] + 3 + length, nullptr, 10);
    return otherwise;
}

}  // namespace

// --seed=N also orders the lanes; --fence=1 device, 2 threadgroup, 3 both; --blocks=N of one dispatch at most;
// --fuzz=N blocks; --fuzz-only=1; --small=1; --far=1.
int main(int argc, char **argv) {
    cases::SuiteSize size;
    size.seed = uint32_t(option(argc, argv, "seed", 1));
    size.fuzz_blocks = uint32_t(option(argc, argv, "fuzz", 600));
    size.small = option(argc, argv, "small", 0) != 0;
    size.far_addresses = option(argc, argv, "far", 0) != 0;
    simt::CpuMachine machine(option(argc, argv, "order", size.seed), unsigned(option(argc, argv, "fence", 3)),
                             uint32_t(option(argc, argv, "blocks", UINT32_MAX)));
    int failures = 0;
    if (option(argc, argv, "fuzz-only", 0) != 0) {
        constexpr uint32_t kBatch = 4000;
        for (uint32_t done = 0, round = 0; done < size.fuzz_blocks; done += kBatch, ++round) {
            const uint32_t left = size.fuzz_blocks - done;
            failures += cases::run_fuzz(machine, left < kBatch ? left : kBatch, size.seed + round, size_t(1) << round % 3);
        }
    } else {
        failures = cases::run_suite(machine, size);
    }
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
