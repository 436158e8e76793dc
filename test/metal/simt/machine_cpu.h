// Owns: the lane engine as a test machine: memory of exact size, dispatches in slices.
// Must not know: what the tests look for.
#pragma once
#include <map>
#include <memory>

#include "../cases/machine.h"
#include "lanes.h"

namespace simt {

class CpuMachine : public cases::Machine {
public:
    CpuMachine(uint64_t lane_order, unsigned fence_mode, uint32_t most_blocks)
        : lane_order_(lane_order), fence_(fence_mode), most_blocks_(most_blocks) {}
    void *allocate(size_t bytes) override;
    void release(void *memory) override;
    void upload(void *to, const void *from, size_t bytes) override;
    void download(void *to, const void *from, size_t bytes) override;
    void fill(void *to, int byte, size_t bytes) override;
    void run(const std::string &kernel, const std::vector<void *> &buffers, const cases::BatchParams *params,
             uint32_t groups) override;
    uint32_t most_blocks() const override { return most_blocks_; }
    uint32_t scratch_groups() const override;
    void device_memory_shared_by_lanes(void *memory, size_t bytes) override;

private:
    Engine &engine(unsigned threads);
    uint64_t lane_order_;
    unsigned fence_;
    uint32_t most_blocks_;
    std::map<unsigned, std::unique_ptr<Engine>> engines_;
    std::map<void *, size_t> mapped_;
};

}  // namespace simt
