// Owns: the self-test of self_test.h.
// Must not know: files, chunks, Node-API, Objective-C.
#include "backends/metal/self_test.h"

#include <algorithm>
#include <cstring>

#include "backends/metal/known_blocks.h"
#include "backends/metal/layout.h"
#include "backends/metal/probe_answers.h"

namespace framelab::metal {
namespace {

constexpr double kSeconds = 20;
constexpr std::uint8_t kPoison = 0xA5;
constexpr std::uint32_t kCalibrationBlocks = 512;
constexpr int kCalibrationRuns = 3;

/** Known blocks in shared memory, a frame a block. */
class Bench {
 public:
  Bench(Device& device, std::size_t element_bytes, std::size_t block_bytes, std::uint32_t repeats)
      : device_(device), element_bytes_(element_bytes), known_(known_blocks(block_bytes)) {
    std::vector<std::uint8_t> stored;
    std::uint32_t longest = 0;
    for (std::uint32_t r = 0; r < repeats; ++r)
      for (const KnownBlock& block : known_) {
        if (repeats > 1 && block.planes.empty()) continue;
        const auto number = static_cast<std::uint32_t>(table_.size());
        table_.push_back({stored.size(), number * block_bytes,
                          static_cast<std::uint32_t>(block.stream.size()),
                          static_cast<std::uint32_t>(block_bytes), number,
                          static_cast<std::uint32_t>(number * ((block_bytes + 15) / 16))});
        stored.insert(stored.end(), block.stream.begin(), block.stream.end());
        longest = std::max(longest, static_cast<std::uint32_t>(block.stream.size()));
      }
    const auto count = static_cast<std::uint32_t>(table_.size());
    const std::size_t scratch_bytes = count * ((block_bytes + 15) / 16) * 16;
    params_ = {stored.size(), count * block_bytes, scratch_bytes, count, 0, count, longest};
    stored_ = device.allocate(stored.size() + kStoredPadding);
    blocks_ = device.allocate(count * sizeof(Block));
    output_ = device.allocate(params_.output_bytes);
    scratch_ = device.allocate(scratch_bytes);
    accepted_ = device.allocate(count * 4);
    damage_ = device.allocate((2 + (count + 31) / 32) * 4);
    if (!ready()) return;
    std::memcpy(stored_->contents(), stored.data(), stored.size());
    std::memcpy(blocks_->contents(), table_.data(), table_.size() * sizeof(Block));
  }

  bool ready() const { return stored_ && blocks_ && output_ && scratch_ && accepted_ && damage_; }

  RunOutcome fused(Design design) {
    clear();
    return device_.run(
        {dispatch("fused_" + std::string(design_name(design)) + suffix(),
                  {stored_.get(), blocks_.get(), output_.get(), damage_.get()}, params_.block_count)},
        kSeconds);
  }

  RunOutcome scratch(const char* unshuffle) {
    clear();
    Dispatch decode =
        dispatch("decode_scratch", {stored_.get(), blocks_.get(), scratch_.get(), damage_.get()},
                 (params_.block_count + kScratchGroups - 1) / kScratchGroups);
    decode.buffers.push_back({nullptr, 0});
    decode.buffers.push_back({accepted_.get(), 0});
    return device_.run({decode, dispatch(unshuffle + suffix(),
                                         {scratch_.get(), blocks_.get(), output_.get(), accepted_.get()},
                                         params_.block_count)},
                       kSeconds);
  }

  RunOutcome raw() {
    clear();
    return device_.run({dispatch("copy_raw", {stored_.get(), blocks_.get(), output_.get(), damage_.get()},
                                 params_.block_count)},
                       kSeconds);
  }

  /** Every byte of every block, and the damage report. */
  bool exact() const {
    const auto* output = static_cast<const std::uint8_t*>(output_->contents());
    const auto* report = static_cast<const std::uint32_t*>(damage_->contents());
    std::uint32_t lowest = UINT32_MAX, end = 0;
    for (std::uint32_t i = 0; i < table_.size(); ++i) {
      const KnownBlock& block = known_[i];
      const std::uint8_t* got = output + table_[i].target;
      const bool bit = (report[2 + i / 32] >> (i % 32) & 1) != 0;
      if (bit != block.planes.empty()) return false;
      if (block.planes.empty()) {
        lowest = std::min(lowest, i);
        end = i + 1;
        if (!std::all_of(got, got + block.decoded_bytes, [](std::uint8_t b) { return b == kPoison; }))
          return false;
      } else {
        const std::vector<std::uint8_t> want = unshuffle_bits(block.planes, element_bytes_);
        if (!std::equal(want.begin(), want.end(), got)) return false;
      }
    }
    return report[0] == lowest && report[1] == end;
  }

  /** copy_raw takes an entry only where stored and decoded bytes are equal. */
  bool raw_exact() const {
    const auto* output = static_cast<const std::uint8_t*>(output_->contents());
    const auto* stored = static_cast<const std::uint8_t*>(stored_->contents());
    for (const Block& block : table_) {
      const std::uint8_t* got = output + block.target;
      const bool copied = block.stream_bytes == block.decoded_bytes;
      for (std::uint32_t i = 0; i < block.decoded_bytes; ++i)
        if (got[i] != (copied ? stored[block.stream + i] : kPoison)) return false;
    }
    return true;
  }

  /** Makes every entry one of raw bytes, but the first. */
  void make_raw() {
    for (std::size_t i = 1; i < table_.size(); ++i)
      table_[i].decoded_bytes = table_[i].stream_bytes =
          std::min(table_[i].stream_bytes, table_[i].decoded_bytes);
    std::memcpy(blocks_->contents(), table_.data(), table_.size() * sizeof(Block));
  }

 private:
  std::string suffix() const { return "_u" + std::to_string(8 * element_bytes_); }

  Dispatch dispatch(const std::string& kernel, std::initializer_list<const Buffer*> buffers,
                    std::uint32_t groups) const {
    Dispatch made;
    made.kernel = kernel;
    for (const Buffer* buffer : buffers) made.buffers.push_back({buffer, 0});
    made.params = bytes_of(params_);
    made.groups = groups;
    return made;
  }

  void clear() {
    std::memset(output_->contents(), kPoison, output_->bytes());
    std::memset(scratch_->contents(), 0x5A, scratch_->bytes());
    auto* report = static_cast<std::uint32_t*>(damage_->contents());
    std::memset(report, 0, damage_->bytes());
    report[0] = UINT32_MAX;
  }

  Device& device_;
  std::size_t element_bytes_;
  std::vector<KnownBlock> known_;
  std::vector<Block> table_;
  BatchParams params_{};
  std::unique_ptr<Buffer> stored_, blocks_, output_, scratch_, accepted_, damage_;
};

/** Runs the probe. Empty when every answer is right. */
std::string probe(Device& device) {
  const auto results = device.allocate(kProbeWords * 4);
  const auto counters = device.allocate(12);
  if (!results || !counters) return "no memory for the probe";
  static_cast<std::uint32_t*>(counters->contents())[0] = UINT32_MAX;
  Dispatch dispatch;
  dispatch.kernel = "probe_simd";
  dispatch.buffers = {{results.get(), 0}, {counters.get(), 0}};
  dispatch.groups = 1;
  const RunOutcome outcome = device.run({dispatch}, kSeconds);
  if (!outcome.ok) return outcome.message;
  return probe_difference(static_cast<const std::uint32_t*>(results->contents()),
                          static_cast<const std::uint32_t*>(counters->contents()));
}

struct Verdict {
  std::string fatal;       // the device must not be used
  std::string dropped[2];  // why a design is dropped, by design
};

void test_blocks(Device& device, std::size_t element_bytes, Verdict& verdict) {
  const std::string type = "u" + std::to_string(8 * element_bytes);
  for (const std::size_t bytes : {std::size_t{8192}, 1024 * element_bytes, 8 * element_bytes * 129}) {
    Bench bench(device, element_bytes, bytes, 1);
    if (!bench.ready()) {
      verdict.fatal = "no memory for the self-test";
      return;
    }
    const bool whole = bytes % (1024 * element_bytes) == 0;
    for (const Design design : {Design::uniform, Design::windowed}) {
      if (!whole) break;
      const RunOutcome outcome = bench.fused(design);
      std::string& dropped = verdict.dropped[static_cast<int>(design)];
      if (!outcome.ok)
        dropped = outcome.message;
      else if (!bench.exact())
        dropped = "wrong answer for " + type;
    }
    for (const char* unshuffle : {"unshuffle_whole", "unshuffle_short"}) {
      if (!whole && std::strcmp(unshuffle, "unshuffle_whole") == 0) continue;
      const RunOutcome outcome = bench.scratch(unshuffle);
      if (!outcome.ok)
        verdict.fatal = outcome.message;
      else if (!bench.exact())
        verdict.fatal = std::string("decode_scratch or ") + unshuffle + ": wrong answer for " + type;
      if (!verdict.fatal.empty()) return;
    }
  }
}

std::string test_raw(Device& device) {
  Bench bench(device, 1, 512, 1);
  if (!bench.ready()) return "no memory for the self-test";
  bench.make_raw();
  const RunOutcome outcome = bench.raw();
  if (!outcome.ok) return outcome.message;
  return bench.raw_exact() ? "" : "copy_raw: wrong answer";
}

/** The faster of both designs by the GPU's own clock: the best of a few runs. */
Design faster(Device& device, std::string& choice) {
  Bench bench(device, 2, 8192, kCalibrationBlocks / 6);
  double best[2] = {1e9, 1e9};
  if (bench.ready())
    for (int run = 0; run < kCalibrationRuns; ++run)
      for (const Design design : {Design::uniform, Design::windowed}) {
        const RunOutcome outcome = bench.fused(design);
        double& own = best[static_cast<int>(design)];
        if (outcome.ok && outcome.gpu_seconds > 0) own = std::min(own, outcome.gpu_seconds);
      }
  const Design design = best[1] < best[0] ? Design::windowed : Design::uniform;
  choice = std::string(design_name(design)) + " parse: the faster of both on this GPU";
  return design;
}

}  // namespace

const char* design_name(Design design) { return design == Design::uniform ? "uniform" : "windowed"; }

SelfTest run_self_test(Device& device) {
  SelfTest test;
  test.why = probe(device);
  Verdict verdict;
  if (test.why.empty())
    for (const std::size_t element_bytes : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
      test_blocks(device, element_bytes, verdict);
      if (!verdict.fatal.empty()) break;
    }
  if (test.why.empty()) test.why = verdict.fatal.empty() ? test_raw(device) : verdict.fatal;
  if (!test.why.empty()) return test;
  const bool uniform = verdict.dropped[0].empty(), windowed = verdict.dropped[1].empty();
  if (!uniform && !windowed) {
    test.why = "both designs of the fused kernels fail: " + verdict.dropped[0] + "; " + verdict.dropped[1];
    return test;
  }
  test.passed = true;
  if (uniform && windowed) {
    test.design = faster(device, test.choice);
    return test;
  }
  test.design = uniform ? Design::uniform : Design::windowed;
  test.choice = std::string(design_name(test.design)) + " parse: the other failed its self-test (" +
                verdict.dropped[uniform ? 1 : 0] + ")";
  return test;
}

}  // namespace framelab::metal
