// Owns: what every machine must show: layouts, copies, damage, bounds, wrong tables, far addresses, the probe, the fuzz.
// Must not know: which machine runs it.
#pragma once
#include <cstdint>

#include "batch.h"

namespace cases {

struct SuiteSize {
    uint32_t seed = 1;
    uint32_t fuzz_blocks = 600;
    bool small = false;           // under sanitizers: fewer frames, lengths and offsets
    bool far_addresses = false;   // needs memory that takes no pages until it is touched
};

// Runs everything. Prints a line a part; returns the number of failures.
int run_suite(Machine &machine, const SuiteSize &size);

// The fuzz alone: random streams, some of them damaged, statuses and every byte against the reference.
int run_fuzz(Machine &machine, uint32_t blocks, uint32_t seed, size_t element_bytes);

// Makes the batch that run_fuzz decodes: a frame a block.
Batch fuzz_batch(uint32_t blocks, uint32_t seed, size_t element_bytes);

}  // namespace cases
