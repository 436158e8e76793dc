// Owns: timing the kernels' forms in one rotation on a Metal device, each first checked byte for byte.
// Must not know: what the forms differ in, Objective-C, whether the device is a stand-in.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <thread>

#include "backends/metal/device.h"
#include "rotation.h"

namespace {

namespace metal = framelab::metal;
using bench::Runner;
using bench::Table;
using bench::Workload;

constexpr int kWarmUpRounds = 10;
// Far above what a launch takes; the system ends those that hang after seconds.
constexpr double kSeconds = 20;
// Parts of the recommended working set: stored bytes, output and scratch are in it, and room is left for all else.
constexpr uint64_t kPartOfWorkingSet = 4;

[[noreturn]] void fail(const std::string &what, const std::string &why) {
    fprintf(stderr, "%s: %s\n", what.c_str(), why.c_str());
    exit(3);
}

// The forms that were given, each with its compiled kernels, on one GPU.
class Forms {
public:
    void open(const std::string &form, const char *path) {
        std::ifstream file(path);
        const std::string source{std::istreambuf_iterator<char>(file), {}};
        std::string why;
        devices_[form] = first_ == nullptr ? metal::Device::open(source.c_str(), why) : first_->open_beside(source.c_str(), why);
        if (devices_[form] == nullptr) fail("form " + form, why);
        if (first_ == nullptr) first_ = devices_[form].get();
    }
    bool has(const std::string &form) const { return devices_.count(form) != 0; }
    metal::Device &device(const std::string &form) { return *devices_.at(form); }
    metal::Device &first() { return *first_; }

private:
    std::map<std::string, std::unique_ptr<metal::Device>> devices_;
    metal::Device *first_ = nullptr;
};

// A workload in memory that GPU and CPU share.
class Loaded {
public:
    Loaded(Forms &forms, const Workload &work, const Table &table) : forms_(forms), work_(work), table_(table) {
        const cases::BatchParams &params = table.params;
        stored_ = allocate(params.stored_bytes + cases::kStoredPadding);
        blocks_ = allocate(table.blocks.size() * sizeof(cases::Block));
        output_ = allocate(params.output_bytes);
        scratch_ = allocate(params.scratch_bytes);
        accepted_ = allocate(table.blocks.size() * 4);
        damage_ = allocate(8 + (params.frame_count + 31) / 32 * 4);
        memset(stored_->contents(), 0xff, stored_->bytes());
        for (uint32_t r = 0; r < table.repeats; ++r)
            memcpy(bytes_of(stored_) + r * work.stored.size(), work.stored.data(), work.stored.size());
        memcpy(blocks_->contents(), table.blocks.data(), table.blocks.size() * sizeof(cases::Block));
    }

    // Runs it as one command buffer. Milliseconds on the GPU.
    double run(const Runner &runner) {
        std::vector<metal::Dispatch> dispatches;
        for (const std::string &kernel : runner.dispatches) dispatches.push_back(dispatch(kernel));
        const metal::RunOutcome outcome = forms_.device(runner.form).run(std::move(dispatches), kSeconds);
        if (!outcome.ok) fail(runner.kernel + ", " + runner.row, outcome.message);
        return outcome.gpu_seconds * 1000;
    }

    // Output poisoned first; every byte of every frame compared, and the damage report.
    bool exact(const Runner &runner) {
        memset(output_->contents(), 0xA5, output_->bytes());
        memset(scratch_->contents(), 0x5A, scratch_->bytes());
        memset(damage_->contents(), 0, damage_->bytes());
        memset(damage_->contents(), 0xff, 4);
        Runner whole = runner;
        const std::string unshuffle = "unshuffle_whole_u" + std::to_string(8 * work_.spec.element_bytes);
        if (whole.dispatches.back() == "decode_scratch") whole.dispatches.push_back(unshuffle);
        run(whole);
        for (uint32_t r = 0; r < table_.repeats; ++r)
            if (memcmp(bytes_of(output_) + r * work_.elements.size(), work_.elements.data(), work_.elements.size()) != 0)
                return false;
        const auto *report = static_cast<const uint32_t *>(damage_->contents());
        return report[0] == UINT32_MAX && report[1] == 0;
    }

private:
    using Memory = std::unique_ptr<metal::Buffer>;

    Memory allocate(size_t bytes) {
        Memory memory = forms_.first().allocate(bytes);
        if (memory == nullptr) fail(work_.spec.name, "the device has no memory for " + std::to_string(bytes) + " bytes");
        return memory;
    }
    static uint8_t *bytes_of(const Memory &memory) { return static_cast<uint8_t *>(memory->contents()); }

    metal::Dispatch dispatch(const std::string &kernel) const {
        metal::Dispatch made;
        made.kernel = kernel;
        const auto *params = reinterpret_cast<const uint8_t *>(&table_.params);
        made.params.assign(params, params + sizeof table_.params);
        const uint32_t count = table_.params.block_count;
        const bool decodes = kernel == "decode_scratch", unshuffles = kernel.rfind("unshuffle", 0) == 0;
        made.groups = decodes ? (count + cases::kScratchGroups - 1) / cases::kScratchGroups : count;
        const metal::Buffer *in = unshuffles ? scratch_.get() : stored_.get();
        const metal::Buffer *out = decodes ? scratch_.get() : output_.get();
        made.buffers = {{in, 0}, {blocks_.get(), 0}, {out, 0}, {unshuffles ? accepted_.get() : damage_.get(), 0}};
        if (decodes) made.buffers.insert(made.buffers.end(), {{nullptr, 0}, {accepted_.get(), 0}});
        return made;
    }

    Forms &forms_;
    const Workload &work_;
    const Table &table_;
    Memory stored_, blocks_, output_, scratch_, accepted_, damage_;
};

// The plan's frames, halved until the device has memory for them.
bench::Case fitting(bench::Case spec, uint32_t most_frames, const metal::DeviceFacts &facts) {
    const uint64_t most_bytes = std::min(facts.max_buffer_bytes, facts.working_set_bytes / kPartOfWorkingSet);
    while (spec.frames > most_frames || (spec.frames > 1 && spec.frames * spec.side * spec.side * spec.element_bytes > most_bytes))
        spec.frames /= 2;
    return spec;
}

}  // namespace

// metal-bench OUT.json LAUNCHES MOST_FRAMES FORM=FILE.metal …: the rotation of every case, of the forms given.
int main(int argc, char **argv) {
    if (argc < 5) return 2;
    const int launches = std::max(1, atoi(argv[2]));
    const auto most_frames = static_cast<uint32_t>(std::max(1, atoi(argv[3])));
    Forms forms;
    for (int i = 4; i < argc; ++i) {
        const char *equals = strchr(argv[i], '=');
        if (equals == nullptr) return 2;
        forms.open(std::string(argv[i], size_t(equals - argv[i])), equals + 1);
    }
    const metal::DeviceFacts &facts = forms.first().facts();
    bench::Results results;
    for (const bench::Plan &plan : bench::kPlans) {
        const bench::Case spec = fitting(plan.spec, most_frames, facts);
        const Workload work = bench::make_workload(spec, std::max(1u, std::thread::hardware_concurrency()));
        const Table table = bench::table_of(work);
        std::vector<Runner> runners = bench::runners_of(plan);
        const auto absent = [&](const Runner &runner) { return !forms.has(runner.form); };
        runners.erase(std::remove_if(runners.begin(), runners.end(), absent), runners.end());
        Loaded loaded(forms, work, table);
        for (Runner &runner : runners) runner.exact = loaded.exact(runner);
        bench::rotate(runners, std::min(kWarmUpRounds, launches - 1), launches,
                      [&](const Runner &runner) { return loaded.run(runner); });
        results.add(work, table, runners);
    }
    if (!results.write(argv[1], facts.name, launches)) fail(argv[1], "cannot be written");
    return results.all_exact() ? 0 : 1;
}
