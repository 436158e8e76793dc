// Owns: one data set decoded by every contender: verified first, then timed in turn, round by round.
// Must not know: who the contenders are, what their figures mean.
#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <random>

#include "../../contenders/contender.h"
#include "crew.h"
#include "data_set.h"
#include "plan.h"

namespace bench {

/**
 * A pass is timed in this many parts: what disturbs one part leaves the minimum of the others. Parts are
 * short beside a scheduler's time slice, or a busy machine would slow slow decoders more; with several
 * threads a part must hold many frames for each, as it ends with the last frame while the others wait.
 */
constexpr unsigned kSegmentsAlone = 64;
constexpr unsigned kSegmentsTogether = 4;

struct Contender {
  ContenderSpec spec;
  bench_decoder decoder;
};

/**
 * Output memory of a pass, written once so that no page is new when it is timed. In huge pages where the system
 * gives them, as the outputs of loads and NumPy's arrays are.
 */
class Output {
 public:
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  explicit Output(std::size_t bytes) : bytes_((bytes + kPage - 1) / kPage * kPage) {
    data_ = static_cast<std::uint8_t*>(std::aligned_alloc(kPage, bytes_));
    if (data_ == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
    std::memset(data_, 1, bytes_);
  }
  ~Output() { std::free(data_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::uint8_t* data() const { return data_; }

 private:
  std::size_t bytes_;
  std::uint8_t* data_;
};

/** One data set decoded over and over by all contenders. */
class SetBench {
 public:
  SetBench(const DataSet& set, const Plan& plan, const std::vector<Contender>& contenders,
           std::vector<std::unique_ptr<Crew>>& crews)
      : set_(set),
        plan_(plan),
        contenders_(contenders),
        crews_(crews),
        frames_(std::max<std::size_t>(plan.pass_bytes / set.frame_bytes, kSegmentsAlone)),
        output_(frames_ * set.frame_bytes) {}

  void run() {
    for (const Contender& contender : contenders_) verify(contender);
    const std::size_t entries = contenders_.size() * crews_.size();
    std::vector<Times> times;
    for (std::size_t entry = 0; entry < entries; ++entry) {
      times.emplace_back(plan_.threads[entry % crews_.size()] == 1 ? kSegmentsAlone : kSegmentsTogether);
    }
    std::vector<std::size_t> order(entries);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::minstd_rand random;
    for (unsigned round = 0; round < plan_.rounds; ++round) {
      // Drawn anew: whoever always comes after a pass that leaves the caches full of its writes would be slower.
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t entry : order) {
        time_pass(contenders_[entry / crews_.size()], *crews_[entry % crews_.size()], times[entry]);
      }
    }
    for (std::size_t entry = 0; entry < entries; ++entry) print(entry, times[entry]);
  }

 private:
  /** Milliseconds of each part of a pass, one for each round. */
  using Times = std::vector<std::vector<double>>;

  int decode(const Contender& contender, std::size_t frame) const {
    const std::size_t source = frame % set_.frames();
    const DataSet::Chunk& stored = set_.chunk(source);
    const bench_chunk chunk{stored.data,
                            stored.bytes,
                            set_.readable_bytes(source),
                            output_.data() + frame * set_.frame_bytes,
                            set_.frame_bytes,
                            set_.element_bytes};
    return contender.decoder.decode(contender.decoder.self, &chunk);
  }

  void verify(const Contender& contender) const {
    std::memset(output_.data(), 0xA5, frames_ * set_.frame_bytes);
    for (std::size_t frame = 0; frame < frames_; ++frame) {
      const bool done = decode(contender, frame) == 0;
      const bool same =
          !contender.spec.decodes || std::memcmp(output_.data() + frame * set_.frame_bytes,
                                                 set_.raw(frame % set_.frames()), set_.frame_bytes) == 0;
      if (done && same) continue;
      throw std::runtime_error(contender.spec.name + (done ? " gives other values for " : " refuses ") +
                               set_.name + " frame " + std::to_string(frame));
    }
  }

  void time_pass(const Contender& contender, Crew& crew, Times& times) const {
    const std::size_t parts = times.size();
    std::vector<std::atomic<std::size_t>> next(parts);
    for (std::size_t i = 0; i < parts; ++i) next[i] = frames_ * i / parts;
    const auto part = [&](std::size_t i) {
      const std::size_t end = frames_ * (i + 1) / parts;
      for (std::size_t frame; (frame = next[i].fetch_add(1, std::memory_order_relaxed)) < end;) {
        // Verified above; a refusal here would be timed as speed.
        if (decode(contender, frame) != 0) std::abort();
      }
    };
    crew.run(part, times);
  }

  void print(std::size_t entry, Times& times) const {
    double least = 0;
    double median = 0;
    for (std::vector<double>& part : times) {
      std::sort(part.begin(), part.end());
      least += part.front();
      median += part[part.size() / 2];
    }
    std::printf(
        "{\"set\":\"%s\",\"contender\":\"%s\",\"threads\":%u,\"bytes\":%zu,\"minMs\":%.4f,\"medianMs\":%.4f}"
        "\n",
        set_.name.c_str(), contenders_[entry / crews_.size()].spec.name.c_str(),
        plan_.threads[entry % crews_.size()], frames_ * set_.frame_bytes, least, median);
    std::fflush(stdout);
  }

  const DataSet& set_;
  const Plan& plan_;
  const std::vector<Contender>& contenders_;
  std::vector<std::unique_ptr<Crew>>& crews_;
  const std::size_t frames_;
  Output output_;
};

}  // namespace bench
