// Owns: timing the kernels' forms in one rotation on an NVIDIA GPU, each first checked byte for byte.
// Must not know: what the forms differ in.
#include <algorithm>
#include <cstdlib>
#include <thread>

#include "../../test/metal/cuda/machine_cuda.h"
#include "rotation.h"

namespace {

using bench::Runner;
using bench::Table;
using bench::Workload;

__global__ void count_differences(const uint64_t *got, const uint64_t *want, uint64_t words, uint64_t distinct,
                                  unsigned long long *differences) {
    const uint64_t step = uint64_t(gridDim.x) * blockDim.x;
    unsigned long long own = 0;
    for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += step) own += got[i] != want[i % distinct];
    if (own != 0) atomicAdd(differences, own);
}

// A workload in the GPU's memory.
struct Loaded {
    const Workload &work;
    const Table &table;
    cuda::CudaMachine machine{"shipped"};
    void *stored, *blocks, *output, *expected, *damage, *scratch, *accepted, *differences;

    Loaded(const Workload &w, const Table &t) : work(w), table(t) {
        const size_t stored_bytes = t.params.stored_bytes, output_bytes = t.params.output_bytes;
        stored = machine.allocate(stored_bytes + cases::kStoredPadding);
        machine.fill(stored, 0xff, stored_bytes + cases::kStoredPadding);
        for (uint32_t r = 0; r < t.repeats; ++r)
            machine.upload(static_cast<uint8_t *>(stored) + r * w.stored.size(), w.stored.data(), w.stored.size());
        blocks = machine.allocate(t.blocks.size() * sizeof(cases::Block));
        machine.upload(blocks, t.blocks.data(), t.blocks.size() * sizeof(cases::Block));
        output = machine.allocate(output_bytes);
        scratch = machine.allocate(output_bytes);
        accepted = machine.allocate(t.blocks.size() * 4);
        expected = machine.allocate(w.elements.size());
        machine.upload(expected, w.elements.data(), w.elements.size());
        damage = machine.allocate(8 + (w.spec.frames + 31) / 32 * 4);
        differences = machine.allocate(8);
    }
    ~Loaded() {
        for (void *memory : {stored, blocks, output, expected, damage, scratch, accepted, differences}) machine.release(memory);
    }

    void run(const Runner &runner) {
        const cases::BatchParams &params = table.params;
        for (const std::string &dispatch : runner.dispatches) {
            if (dispatch == "copy") {
                cuda::must(cudaMemcpyAsync(output, scratch, params.output_bytes, cudaMemcpyDeviceToDevice), "copy");
            } else if (dispatch == "decode_scratch") {
                cuda::launch(runner.form, dispatch, {stored, blocks, scratch, damage, nullptr, accepted}, &params,
                             (params.block_count + cases::kScratchGroups - 1) / cases::kScratchGroups);
            } else if (dispatch.rfind("unshuffle", 0) == 0) {
                cuda::launch("shipped", dispatch, {scratch, blocks, output, accepted, nullptr}, &params, params.block_count);
            } else {
                cuda::launch(runner.form, dispatch, {stored, blocks, output, damage, nullptr}, &params, params.block_count);
            }
        }
    }

    // Output poisoned first; every byte of every frame compared, and the damage report.
    bool exact(const Runner &runner) {
        const size_t output_bytes = table.params.output_bytes;
        const uint32_t clean[] = {UINT32_MAX, 0};
        machine.upload(damage, clean, sizeof clean);
        machine.fill(output, 0xA5, output_bytes);
        machine.fill(scratch, 0x5A, output_bytes);
        machine.fill(differences, 0, 8);
        run(runner);
        if (runner.dispatches.back() == "decode_scratch") {  // its result is seen through the unshuffle
            Runner unshuffle = runner;
            unshuffle.dispatches = {"unshuffle_whole_u" + std::to_string(8 * work.spec.element_bytes)};
            run(unshuffle);
        }
        count_differences<<<1024, 256>>>(static_cast<const uint64_t *>(output), static_cast<const uint64_t *>(expected),
                                         output_bytes / 8, work.elements.size() / 8,
                                         static_cast<unsigned long long *>(differences));
        cuda::must(cudaDeviceSynchronize(), runner.row.c_str());
        unsigned long long found = 0;
        uint32_t report[2];
        machine.download(&found, differences, 8);
        machine.download(report, damage, 8);
        return found == 0 && report[0] == UINT32_MAX && report[1] == 0;
    }
};

void time_all(Loaded &loaded, std::vector<Runner> &runners, int launches) {
    cudaEvent_t begin, end;
    cuda::must(cudaEventCreate(&begin), "event");
    cuda::must(cudaEventCreate(&end), "event");
    // The first rounds warm the clocks up.
    bench::rotate(runners, 10, launches, [&](const Runner &runner) {
        cuda::must(cudaEventRecord(begin), "record");
        loaded.run(runner);
        cuda::must(cudaEventRecord(end), "record");
        cuda::must(cudaEventSynchronize(end), runner.kernel.c_str());
        float ms = 0;
        cuda::must(cudaEventElapsedTime(&ms, begin, end), "time");
        return double(ms);
    });
}

}  // namespace

// bench OUT.json [launches]: the rotation of every case.
int main(int argc, char **argv) {
    if (argc < 2) return 2;
    const int launches = argc > 2 ? atoi(argv[2]) : 300;
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    cudaDeviceProp device{};
    cuda::must(cudaGetDeviceProperties(&device, 0), "device");
    bench::Results results;
    for (const bench::Plan &plan : bench::kPlans) {
        const Workload work = bench::make_workload(plan.spec, threads);
        const Table table = bench::table_of(work);
        Loaded loaded(work, table);
        std::vector<Runner> runners = bench::runners_of(plan);
        for (Runner &runner : runners) runner.exact = loaded.exact(runner);
        runners.insert(runners.begin(), {"copy", "device-to-device", "", {"copy"}, {}, true});
        time_all(loaded, runners, launches);
        results.add(work, table, runners);
    }
    if (!results.write(argv[1], device.name, launches)) return 2;
    return results.all_exact() ? 0 : 1;
}
