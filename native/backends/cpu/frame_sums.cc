// Owns: adding the frames of decoded chunks to sums: a number a frame, or one a pixel; exact integers, whatever the
// number of threads.
// Must not know: Node-API, files, masks' shapes, why frames are added.
//
// Each thread adds to sums of its own, block by block while a block is in the cache. Integers are exact, so that their
// order does not matter, and a chunk that is refused at a later block is taken back by decoding its first blocks again.
// A maximum cannot be taken back: with one, a chunk is decoded whole, into the thread's own memory, before it is added.
#include "backends/cpu/frame_sums.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace framelab {

namespace {

/** Values of a run that are summed in one go. */
constexpr std::size_t kRunPart = 4096;

/** Sums of one frame over the pixels of one target. */
struct FrameSum {
  std::int64_t sum = 0;
  std::size_t flagged = 0;
  __int128 down = 0;
  __int128 across = 0;
};

/** What one thread has added. */
template <class T>
struct Partial {
  std::vector<Narrow<T>> sums;
  std::vector<T> largest;
  std::vector<std::uint32_t> flagged;
  /** Frames in `sums`, and in all. */
  std::size_t narrow_frames = 0;
  std::size_t frames = 0;
  /** Targets of each frame of the chunk under way: [frame][target]. */
  std::vector<FrameSum> under_way;
  std::vector<std::size_t> left_out;
};

template <class T>
class Sums : public FrameSums {
 public:
  explicit Sums(SumPlan plan) : plan_(std::move(plan)) {
    for (const FrameTarget& target : plan_.per_frame) {
      std::size_t pixels = 0;
      for (const PixelRun& run : target.runs) pixels += run.count;
      pixels_.push_back(pixels);
    }
  }

  Verdict add(const Kernels& kernels, const ChunkFormat& format, std::uint32_t filter_mask, std::size_t index,
              StoredChunk stored, ThreadScratch& scratch) override {
    const std::int64_t* const slots = &plan_.slots[index * plan_.chunk_frames];
    std::unique_ptr<Partial<T>> partial = lease();
    partial->under_way.assign(plan_.chunk_frames * plan_.per_frame.size(), FrameSum{});
    if (partial->narrow_frames + plan_.chunk_frames > kMostNarrow) flush(*partial);
    Verdict verdict{};
    if (plan_.pattern.largest == nullptr && decodes_blocks(format, filter_mask)) {
      Adder<1> adder(*this, kernels, *partial, slots);
      verdict = decode_blocks(kernels, format, stored, SIZE_MAX, adder, scratch.block, scratch.elements);
      if (verdict.reason != Reason::ok && adder.end > 0) {
        Adder<-1> taker(*this, kernels, *partial, slots);
        decode_blocks(kernels, format, stored, adder.end, taker, scratch.block, scratch.elements);
      }
    } else {
      std::uint8_t* const elements = scratch.elements.reserve(format.chunk_bytes);
      verdict = decode_chunk(kernels, format, filter_mask, stored, elements, scratch.block);
      Adder<1> adder(*this, kernels, *partial, slots);
      if (verdict.reason == Reason::ok) adder.take(elements, 0, format.chunk_bytes);
    }
    if (verdict.reason == Reason::ok) settle(*partial, slots);
    give_back(std::move(partial));
    return verdict;
  }

  void merge() override {
    for (const auto& partial : free_) {
      flush(*partial);
      merge_pattern(*partial);
      for (std::size_t t = 0; t < plan_.per_frame.size(); ++t) {
        *plan_.per_frame[t].flagged += static_cast<double>(partial->left_out[t]);
      }
    }
  }

 private:
  /** Adds (1) or takes back (-1) elements of a chunk. */
  template <int kSign>
  struct Adder : BlockSink {
    Adder(Sums& all, const Kernels& kernels, Partial<T>& to, const std::int64_t* of)
        : sums(all), loops(loops_of<T>(*kernels.sums)), partial(to), slots(of) {}

    void take(const std::uint8_t* elements, std::size_t offset, std::size_t bytes) override {
      const T* values = reinterpret_cast<const T*>(elements);
      std::size_t at = offset / sizeof(T);
      std::size_t left = bytes / sizeof(T);
      end = offset + bytes;
      while (left > 0) {
        const std::size_t frame = at / sums.plan_.frame_pixels;
        const std::size_t pixel = at % sums.plan_.frame_pixels;
        const std::size_t count = std::min(left, sums.plan_.frame_pixels - pixel);
        if (slots[frame] >= 0) {
          if (sums.plan_.pattern.flagged != nullptr)
            sums.template add_pattern<kSign>(loops, partial, values, pixel, count);
          if (kSign > 0) sums.add_frame(loops, partial, frame, values, pixel, count);
        }
        values += count;
        at += count;
        left -= count;
      }
    }

    Sums& sums;
    const ElementLoops<T>& loops;
    Partial<T>& partial;
    const std::int64_t* slots;
    /** Bytes of the chunk that were taken. */
    std::size_t end = 0;
  };

  std::unique_ptr<Partial<T>> lease() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Partial<T>> partial = std::move(free_.back());
        free_.pop_back();
        return partial;
      }
      ++partials_;
      // Giving back must not need memory.
      free_.reserve(partials_);
    }
    auto partial = std::make_unique<Partial<T>>();
    const PatternTarget& pattern = plan_.pattern;
    if (pattern.sums != nullptr) partial->sums.assign(plan_.frame_pixels, 0);
    if (pattern.largest != nullptr) {
      partial->largest.assign(plan_.frame_pixels, std::numeric_limits<T>::lowest());
    }
    if (pattern.flagged != nullptr) partial->flagged.assign(plan_.frame_pixels, 0);
    partial->left_out.assign(plan_.per_frame.size(), 0);
    return partial;
  }

  void give_back(std::unique_ptr<Partial<T>> partial) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(partial));
  }

  template <int kSign>
  void add_pattern(const ElementLoops<T>& loops, Partial<T>& partial, const T* values, std::size_t pixel,
                   std::size_t count) {
    const auto add = kSign > 0 ? loops.add_values : loops.take_values;
    const auto count_flagged = kSign > 0 ? loops.count_flagged : loops.uncount_flagged;
    if (plan_.pattern.sums != nullptr) add(&partial.sums[pixel], values, count);
    if (plan_.pattern.largest != nullptr) loops.take_largest(&partial.largest[pixel], values, count);
    if (!loops.all_measured(values, count)) count_flagged(&partial.flagged[pixel], values, count);
  }

  /** Adds pixels [pixel, pixel + count) of a frame of the chunk to every target. */
  void add_frame(const ElementLoops<T>& loops, Partial<T>& partial, std::size_t frame, const T* values,
                 std::size_t pixel, std::size_t count) {
    const std::size_t targets = plan_.per_frame.size();
    for (std::size_t t = 0; t < targets; ++t) {
      const FrameTarget& target = plan_.per_frame[t];
      FrameSum& sum = partial.under_way[frame * targets + t];
      auto run = std::upper_bound(
          target.runs.begin(), target.runs.end(), pixel,
          [](std::size_t at, const PixelRun& of) { return at < std::size_t{of.first} + of.count; });
      for (; run != target.runs.end() && run->first < pixel + count; ++run) {
        const std::size_t from = std::max<std::size_t>(run->first, pixel);
        const std::size_t to = std::min(std::size_t{run->first} + run->count, pixel + count);
        for (std::size_t at = from; at < to; at += kRunPart) {
          const std::size_t part = std::min(to - at, kRunPart);
          const T* const piece = values + (at - pixel);
          const std::int64_t total = loops.sum_values(piece, part, sum.flagged);
          sum.sum += total;
          if (!target.center) continue;
          sum.down += static_cast<__int128>(total) * static_cast<std::int64_t>(at / plan_.width);
          sum.across += loops.sum_places(piece, part);
          sum.across += static_cast<__int128>(total) * static_cast<std::int64_t>(at % plan_.width);
        }
      }
    }
  }

  /** The chunk is accepted: its frames count. */
  void settle(Partial<T>& partial, const std::int64_t* slots) {
    const std::size_t targets = plan_.per_frame.size();
    for (std::size_t f = 0; f < plan_.chunk_frames; ++f) {
      if (slots[f] < 0) continue;
      ++partial.frames;
      ++partial.narrow_frames;
      for (std::size_t t = 0; t < targets; ++t) {
        const FrameSum& sum = partial.under_way[f * targets + t];
        const FrameTarget& target = plan_.per_frame[t];
        partial.left_out[t] += sum.flagged;
        if (!target.center) {
          if (sum.flagged < pixels_[t]) target.values[slots[f]] = static_cast<double>(sum.sum);
        } else if (sum.sum != 0) {
          const double total = static_cast<double>(sum.sum);
          target.values[2 * slots[f]] = static_cast<double>(sum.down) / total;
          target.values[2 * slots[f] + 1] = static_cast<double>(sum.across) / total;
        }
      }
    }
  }

  /** Narrow sums to the plan's wide ones. */
  void flush(Partial<T>& partial) {
    partial.narrow_frames = 0;
    if (plan_.pattern.sums == nullptr) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = 0; i < plan_.frame_pixels; ++i) {
      plan_.pattern.sums[i] += partial.sums[i];
      partial.sums[i] = 0;
    }
  }

  void merge_pattern(const Partial<T>& partial) {
    const PatternTarget& pattern = plan_.pattern;
    if (pattern.flagged == nullptr) return;
    *pattern.frames += static_cast<double>(partial.frames);
    for (std::size_t i = 0; i < plan_.frame_pixels; ++i) {
      pattern.flagged[i] += partial.flagged[i];
      if (pattern.largest == nullptr || partial.flagged[i] == partial.frames) continue;
      pattern.largest[i] = std::max(pattern.largest[i], static_cast<double>(partial.largest[i]));
    }
  }

  const SumPlan plan_;
  /** Pixels of each target. */
  std::vector<std::size_t> pixels_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Partial<T>>> free_;
  std::size_t partials_ = 0;
};

}  // namespace

std::unique_ptr<FrameSums> open_frame_sums(SumPlan plan) {
  switch (plan.element) {
    case Element::u8:
      return std::make_unique<Sums<std::uint8_t>>(std::move(plan));
    case Element::u16:
      return std::make_unique<Sums<std::uint16_t>>(std::move(plan));
    case Element::u32:
      return std::make_unique<Sums<std::uint32_t>>(std::move(plan));
    case Element::i8:
      return std::make_unique<Sums<std::int8_t>>(std::move(plan));
    case Element::i16:
      return std::make_unique<Sums<std::int16_t>>(std::move(plan));
    case Element::i32:
      break;
  }
  return std::make_unique<Sums<std::int32_t>>(std::move(plan));
}

}  // namespace framelab
