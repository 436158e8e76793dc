// Owns: timing the kernels' forms in one rotation on an NVIDIA GPU, each first checked byte for byte.
// Must not know: what the forms differ in.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "../../test/metal/cuda/machine_cuda.h"
#include "workload.h"

namespace {

using bench::Case;
using bench::Workload;
using cases::Block;

// One thing that is timed: `form` names the text, `row` what the table calls it.
struct Runner {
    std::string kernel;  // row's first name: uniform-u16, scratch-u32-lz4, …
    std::string row;     // base, base2, shipped, …
    std::string form;
    std::vector<std::string> dispatches;
    std::vector<float> ms;
    bool exact = false;
};

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
    cuda::CudaMachine machine{"shipped"};
    void *stored, *table, *output, *expected, *damage, *scratch, *accepted, *differences;
    cases::BatchParams params{};
    uint32_t blocks;
    size_t output_bytes;

    explicit Loaded(const Workload &w) : work(w) {
        const uint32_t repeats = w.spec.frames / w.distinct;
        std::vector<Block> all;
        uint32_t longest = 0;
        for (uint32_t r = 0; r < repeats; ++r)
            for (Block block : w.blocks) {
                block.stream += uint64_t(r) * w.stored.size();
                block.target += uint64_t(r) * w.elements.size();
                block.frame += r * w.distinct;
                block.scratch_quads = uint32_t(block.target / 16);
                longest = std::max(longest, block.stream_bytes);
                all.push_back(block);
            }
        blocks = uint32_t(all.size());
        output_bytes = w.elements.size() * repeats;
        const size_t stored_bytes = w.stored.size() * repeats;
        stored = machine.allocate(stored_bytes + cases::kStoredPadding);
        machine.fill(stored, 0xff, stored_bytes + cases::kStoredPadding);
        for (uint32_t r = 0; r < repeats; ++r)
            machine.upload(static_cast<uint8_t *>(stored) + r * w.stored.size(), w.stored.data(), w.stored.size());
        table = machine.allocate(all.size() * sizeof(Block));
        machine.upload(table, all.data(), all.size() * sizeof(Block));
        output = machine.allocate(output_bytes);
        scratch = machine.allocate(output_bytes);
        accepted = machine.allocate(all.size() * 4);
        expected = machine.allocate(w.elements.size());
        machine.upload(expected, w.elements.data(), w.elements.size());
        damage = machine.allocate(8 + (w.spec.frames + 31) / 32 * 4);
        differences = machine.allocate(8);
        params = {stored_bytes, output_bytes, output_bytes, blocks, 0, w.spec.frames, longest};
    }
    ~Loaded() {
        for (void *memory : {stored, table, output, expected, damage, scratch, accepted, differences}) machine.release(memory);
    }

    void run(const Runner &runner) {
        for (const std::string &dispatch : runner.dispatches) {
            if (dispatch == "copy") {
                cuda::must(cudaMemcpyAsync(output, scratch, output_bytes, cudaMemcpyDeviceToDevice), "copy");
            } else if (dispatch == "decode_scratch") {
                cuda::launch(runner.form, dispatch, {stored, table, scratch, damage, nullptr, accepted}, &params,
                             (blocks + cases::kScratchGroups - 1) / cases::kScratchGroups);
            } else if (dispatch.rfind("unshuffle", 0) == 0) {
                cuda::launch("shipped", dispatch, {scratch, table, output, accepted, nullptr}, &params, blocks);
            } else {
                cuda::launch(runner.form, dispatch, {stored, table, output, damage, nullptr}, &params, blocks);
            }
        }
    }

    // Output poisoned first; every byte of every frame compared, and the damage report.
    bool exact(const Runner &runner) {
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
    for (int round = -10; round < launches; ++round)  // the first rounds warm the clocks up
        for (size_t i = 0; i < runners.size(); ++i) {
            Runner &runner = runners[(i + size_t(round + 10)) % runners.size()];
            cuda::must(cudaEventRecord(begin), "record");
            loaded.run(runner);
            cuda::must(cudaEventRecord(end), "record");
            cuda::must(cudaEventSynchronize(end), runner.kernel.c_str());
            float ms = 0;
            cuda::must(cudaEventElapsedTime(&ms, begin, end), "time");
            if (round >= 0) runner.ms.push_back(ms);
        }
}

const char *kAttribution[] = {"write_bounds_only", "read_bounds_only", "early_return", "unchecked_extension_loops", "break",
                              "if_else_skip", "zeroed_by_select", "clamped_by_min", "counted_in_an_integer"};

std::vector<Runner> runners_of(const Case &spec, bool attribution, bool scratch) {
    const std::string type = "u" + std::to_string(8 * spec.element_bytes);
    std::vector<Runner> runners{{"copy", "device-to-device", "", {"copy"}, {}, true}};
    auto add = [&](const std::string &kernel, const char *row, const char *form, std::vector<std::string> dispatches) {
        runners.push_back({kernel, row, form, std::move(dispatches), {}, false});
    };
    for (const char *design : {"uniform", "windowed"}) {
        const std::string kernel = std::string(design) + "-" + type;
        const std::vector<std::string> one{std::string("fused_") + design + "_" + type};
        add(kernel, "base", "base", one);
        add(kernel, "base2", "base", one);
        add(kernel, "shipped", "shipped", one);
        if (attribution) add(kernel, "final_check_only", "final_check_only", one);
        if (attribution && strcmp(design, "uniform") == 0)
            for (const char *form : kAttribution) add(kernel, form, form, one);
    }
    if (scratch)
        for (const char *row : {"base", "base2", "shipped"}) {
            const char *form = strcmp(row, "shipped") == 0 ? "shipped" : "base";
            add("scratch-" + type + "-lz4", row, form, {"decode_scratch"});
            add("scratch-" + type + "-command", row, form, {"decode_scratch", "unshuffle_whole_" + type});
        }
    return runners;
}

void print_rows(FILE *out, const Workload &work, std::vector<Runner> &runners, double gigabytes, bool &first) {
    std::map<std::string, double> base;
    for (Runner &runner : runners) {
        std::sort(runner.ms.begin(), runner.ms.end());
        if (runner.row == "base") base[runner.kernel] = runner.ms[runner.ms.size() / 2];
    }
    for (const Runner &runner : runners) {
        const double median = runner.ms[runner.ms.size() / 2];
        fprintf(out, "%s\n    {\"case\": \"%s\", \"kernel\": \"%s\", \"form\": \"%s\", \"minMs\": %.5f, \"medianMs\": %.5f, \"gbPerS\": %.1f, \"vsBasePct\": ",
                first ? "" : ",", work.spec.name.c_str(), runner.kernel.c_str(), runner.row.c_str(), runner.ms[0], median,
                gigabytes / median * 1000);
        first = false;
        if (base.count(runner.kernel) != 0) fprintf(out, "%.2f", (median / base[runner.kernel] - 1) * 100);
        else fprintf(out, "null");
        fprintf(out, ", \"exact\": %s}", runner.exact ? "true" : "false");
        printf("%-22s %-20s %-26s median %8.4f ms  %7.1f GB/s  %s\n", work.spec.name.c_str(), runner.kernel.c_str(),
               runner.row.c_str(), median, gigabytes / median * 1000, runner.exact ? "exact" : "WRONG");
    }
    fflush(stdout);
}

}  // namespace

// bench OUT.json [launches]: the rotation of every case.
int main(int argc, char **argv) {
    if (argc < 2) return 2;
    const int launches = argc > 2 ? atoi(argv[2]) : 300;
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    using cases::FrameKind;
    struct Plan {
        Case spec;
        bool attribution, scratch;
    };
    const Plan plans[] = {
        {{"counts u16 192x192", FrameKind::counts, 2, 192, 8192}, true, true},
        {{"counts u8 192x192", FrameKind::counts, 1, 192, 8192}, false, false},
        {{"counts u32 192x192", FrameKind::counts, 4, 192, 4096}, false, true},
        {{"counts u32 192x192, 8192", FrameKind::counts, 4, 192, 8192}, false, false},
        {{"counts u16 96x96", FrameKind::counts, 2, 96, 8192}, false, false},
        {{"poisson 20 u16 192x192", FrameKind::poisson20, 2, 192, 8192}, false, false},
        {{"random u16 192x192", FrameKind::random, 2, 192, 8192}, false, false},
    };
    cudaDeviceProp device{};
    cuda::must(cudaGetDeviceProperties(&device, 0), "device");
    FILE *out = fopen(argv[1], "w");
    if (out == nullptr) return 2;
    fprintf(out, "{\n  \"device\": \"%s\", \"launches\": %d,\n  \"cases\": [", device.name, launches);
    std::string rows_path = std::string(argv[1]) + ".rows";
    FILE *rows = fopen(rows_path.c_str(), "w+");
    if (rows == nullptr) return 2;
    bool first_case = true, first_row = true, all_exact = true;
    for (const Plan &plan : plans) {
        const Workload work = bench::make_workload(plan.spec, threads);
        Loaded loaded(work);
        const auto &s = work.statistics;
        fprintf(out, "%s\n    {\"case\": \"%s\", \"frames\": %u, \"decodedBytes\": %zu, \"storedBytes\": %llu, \"blocks\": %u, \"sequencesPerBlock\": %.1f, \"streamBytesPerBlock\": %.1f, \"withoutLiterals\": %.3f, \"offset2\": %.3f}",
                first_case ? "" : ",", plan.spec.name.c_str(), plan.spec.frames, loaded.output_bytes,
                static_cast<unsigned long long>(loaded.params.stored_bytes), loaded.blocks, s.sequences, s.stream_bytes,
                s.no_literals, s.offset_2);
        first_case = false;
        std::vector<Runner> runners = runners_of(plan.spec, plan.attribution, plan.scratch);
        for (Runner &runner : runners) {
            if (runner.row != "device-to-device") runner.exact = loaded.exact(runner);
            all_exact = all_exact && runner.exact;
        }
        time_all(loaded, runners, launches);
        print_rows(rows, work, runners, double(loaded.output_bytes) / 1e9, first_row);
    }
    fprintf(out, "\n  ],\n  \"rows\": [");
    rewind(rows);
    for (int c; (c = fgetc(rows)) != EOF;) fputc(c, out);
    fclose(rows);
    remove(rows_path.c_str());
    fprintf(out, "\n  ]\n}\n");
    fclose(out);
    return all_exact ? 0 : 1;
}
