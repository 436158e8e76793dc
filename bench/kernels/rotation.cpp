// Owns: the rotation of rotation.h.
// Must not know: GPUs, clocks.
#include "rotation.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>

namespace bench {
namespace {

using cases::FrameKind;

const char *kAttribution[] = {"write_bounds_only", "read_bounds_only", "early_return", "unchecked_extension_loops", "break",
                              "if_else_skip", "zeroed_by_select", "clamped_by_min", "counted_in_an_integer"};

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
std::string
text(const char *format, ...) {
    char line[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return line;
}

}  // namespace

const std::vector<Plan> kPlans = {
    {{"counts u16 192x192", FrameKind::counts, 2, 192, 8192}, true, true},
    {{"counts u8 192x192", FrameKind::counts, 1, 192, 8192}, false, false},
    {{"counts u32 192x192", FrameKind::counts, 4, 192, 4096}, false, true},
    {{"counts u32 192x192, 8192", FrameKind::counts, 4, 192, 8192}, false, false},
    {{"counts u16 96x96", FrameKind::counts, 2, 96, 8192}, false, false},
    {{"poisson 20 u16 192x192", FrameKind::poisson20, 2, 192, 8192}, false, false},
    {{"random u16 192x192", FrameKind::random, 2, 192, 8192}, false, false},
};

std::vector<Runner> runners_of(const Plan &plan) {
    const std::string type = "u" + std::to_string(8 * plan.spec.element_bytes);
    std::vector<Runner> runners;
    const auto add = [&](const std::string &kernel, const std::string &row, const char *form,
                         std::vector<std::string> dispatches) {
        runners.push_back({kernel, row, form, std::move(dispatches), {}, false});
    };
    for (const std::string design : {"uniform", "windowed"}) {
        const std::string kernel = design + "-" + type;
        const std::vector<std::string> one{"fused_" + design + "_" + type};
        add(kernel, "base", "base", one);
        add(kernel, "base2", "base", one);
        add(kernel, "shipped", "shipped", one);
        if (plan.attribution) add(kernel, "final_check_only", "final_check_only", one);
        if (plan.attribution && design == "uniform")
            for (const char *form : kAttribution) add(kernel, form, form, one);
    }
    if (plan.scratch)
        for (const std::string row : {"base", "base2", "shipped"}) {
            const char *form = row == "shipped" ? "shipped" : "base";
            add("scratch-" + type + "-lz4", row, form, {"decode_scratch"});
            add("scratch-" + type + "-command", row, form, {"decode_scratch", "unshuffle_whole_" + type});
        }
    return runners;
}

Table table_of(const Workload &work) {
    Table table{{}, {}, work.spec.frames / work.distinct};
    uint32_t longest = 0;
    for (uint32_t r = 0; r < table.repeats; ++r)
        for (cases::Block block : work.blocks) {
            block.stream += uint64_t(r) * work.stored.size();
            block.target += uint64_t(r) * work.elements.size();
            block.frame += r * work.distinct;
            block.scratch_quads = uint32_t(block.target / 16);
            longest = std::max(longest, block.stream_bytes);
            table.blocks.push_back(block);
        }
    const uint64_t output_bytes = uint64_t(work.elements.size()) * table.repeats;
    table.params = {uint64_t(work.stored.size()) * table.repeats, output_bytes, output_bytes, uint32_t(table.blocks.size()), 0,
                    work.spec.frames, longest};
    return table;
}

void rotate(std::vector<Runner> &runners, int warm_up, int launches, const std::function<double(const Runner &)> &time) {
    for (int round = 0; round < warm_up + launches; ++round)
        for (size_t i = 0; i < runners.size(); ++i) {
            Runner &runner = runners[(i + size_t(round)) % runners.size()];
            const double ms = time(runner);
            if (round >= warm_up) runner.ms.push_back(ms);
        }
}

void Results::add(const Workload &work, const Table &table, std::vector<Runner> &runners) {
    const Statistics &s = work.statistics;
    const char *name = work.spec.name.c_str();
    cases_ += text("%s\n    {\"case\": \"%s\", \"frames\": %u, \"decodedBytes\": %llu, \"storedBytes\": %llu, \"blocks\": %u, "
                   "\"sequencesPerBlock\": %.1f, \"streamBytesPerBlock\": %.1f, \"withoutLiterals\": %.3f, \"offset2\": %.3f}",
                   cases_.empty() ? "" : ",", name, work.spec.frames, static_cast<unsigned long long>(table.params.output_bytes),
                   static_cast<unsigned long long>(table.params.stored_bytes), table.params.block_count, s.sequences,
                   s.stream_bytes, s.no_literals, s.offset_2);
    std::map<std::string, double> base;
    for (Runner &runner : runners) {
        std::sort(runner.ms.begin(), runner.ms.end());
        if (runner.row == "base") base[runner.kernel] = runner.ms[runner.ms.size() / 2];
    }
    for (const Runner &runner : runners) {
        const double median = runner.ms[runner.ms.size() / 2];
        const double speed = double(table.params.output_bytes) / 1e6 / median;
        const std::string versus =
            base.count(runner.kernel) != 0 ? text("%.2f", (median / base[runner.kernel] - 1) * 100) : "null";
        rows_ += text("%s\n    {\"case\": \"%s\", \"kernel\": \"%s\", \"form\": \"%s\", \"minMs\": %.5f, \"medianMs\": %.5f, "
                      "\"gbPerS\": %.5g, \"vsBasePct\": %s, \"exact\": %s}",
                      rows_.empty() ? "" : ",", name, runner.kernel.c_str(), runner.row.c_str(), runner.ms[0], median, speed,
                      versus.c_str(), runner.exact ? "true" : "false");
        printf("%-24s %-20s %-26s median %8.4f ms  %7.1f GB/s  %s\n", name, runner.kernel.c_str(), runner.row.c_str(), median,
               speed, runner.exact ? "exact" : "WRONG");
        all_exact_ = all_exact_ && runner.exact;
    }
    fflush(stdout);
}

bool Results::write(const char *path, const std::string &device, int launches) const {
    FILE *out = fopen(path, "w");
    if (out == nullptr) return false;
    fprintf(out, "{\n  \"device\": \"%s\", \"launches\": %d,\n  \"cases\": [%s\n  ],\n  \"rows\": [%s\n  ]\n}\n", device.c_str(),
            launches, cases_.c_str(), rows_.c_str());
    return fclose(out) == 0;
}

}  // namespace bench
