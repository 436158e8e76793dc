// Owns: the slices of batch.h: where they are cut, reading them, and their order.
// Must not know: Node-API, Objective-C, kernels.
#include "backends/metal/batch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/file.h"

namespace framelab::metal {

namespace {

/** Decoded bytes of a slice that is copied. */
constexpr std::size_t kSliceCopiedBytes = std::size_t{64} << 20;
/** Places of chunks in copied memory: every element type and 16-byte stores fit. */
constexpr std::size_t kPlaceBytes = 16;
/** Parts of the recommended working set, of which a slice's output takes one at most, and its stored bytes: four slices may
 * be in flight, two of each of two batches. */
constexpr std::uint64_t kPartOfWorkingSet = 4;

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

MetalBatchJob::MetalBatchJob(Batch batch, Machine machine, std::function<void()> settled)
    : DecodeJob(std::move(batch), std::move(settled)),
      machine_(std::move(machine)),
      slices_{{machine_, batch_.format}, {machine_, batch_.format}} {
  find_own_pages();
  order_by_placement();
}

/**
 * Another batch may be decoded into the same output meanwhile, or its damaged frames be zeroed, and Metal leaves the
 * contents of a buffer undefined to which the CPU and the GPU write at once, be it to different bytes. So buffers lie
 * over whole pages that are this batch's alone: those of its longest row of chunks that lie one behind the other.
 */
void MetalBatchJob::find_own_pages() {
  std::size_t low = 0, high = 0, begin = 0, end = 0;
  for (const ChunkPlace& chunk : batch_.chunks) {
    if (chunk.target != end) begin = chunk.target;
    end = chunk.target + batch_.format.chunk_bytes;
    if (end - begin <= high - low) continue;
    low = begin;
    high = end;
  }
  const auto output = reinterpret_cast<std::uintptr_t>(batch_.output);
  own_begin_ = rounded_up(output + low, page_bytes());
  own_end_ = (output + high) / page_bytes() * page_bytes();
}

/** Byte of the output, at most `target`, at which a page starts: there is one for a chunk that is `on_pages`. */
std::size_t MetalBatchJob::page_start(std::size_t target) const {
  const auto address = reinterpret_cast<std::uintptr_t>(batch_.output) + target;
  return target - address % page_bytes();
}

/** Whether a chunk lies on the batch's own pages, on an element, and in one buffer. */
bool MetalBatchJob::on_pages(const ChunkPlace& chunk) const {
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(batch_.output) + chunk.target;
  const std::size_t bytes = batch_.format.chunk_bytes;
  return at >= own_begin_ && at + bytes <= own_end_ && at % batch_.format.filter_element_bytes == 0 &&
         bytes <= machine_.device->facts().max_buffer_bytes - 2 * page_bytes();
}

/** Copied chunks come last: slices end in order, so that the GPU is done with the output before one is copied into it. */
void MetalBatchJob::order_by_placement() {
  std::vector<ChunkPlace> ordered, copied;
  ordered.reserve(readable_.size());
  for (const ChunkPlace& chunk : readable_) (on_pages(chunk) ? ordered : copied).push_back(chunk);
  ordered.insert(ordered.end(), copied.begin(), copied.end());
  readable_ = std::move(ordered);
}

/** As many chunks as stored bytes, blocks, one buffer and the device's memory allow; one at least. */
MetalBatchJob::Cut MetalBatchJob::next_cut() const {
  const std::size_t bytes = batch_.format.chunk_bytes;
  const DeviceFacts& facts = machine_.device->facts();
  const std::size_t most_blocks = machine_.pace.blocks();
  const std::size_t blocks = bytes / kFusedBlockBytes + 1;
  const std::size_t most_span = std::min(facts.max_buffer_bytes, facts.working_set_bytes / kPartOfWorkingSet);
  Cut cut{next_, next_, !(no_copy_ && on_pages(readable_[next_])), SIZE_MAX, 0};
  std::size_t stored = 0;
  for (std::size_t i = next_; i < readable_.size(); ++i) {
    const ChunkPlace& chunk = readable_[i];
    const std::size_t count = i - next_ + 1;
    const std::size_t low = cut.copies ? 0 : std::min(cut.low, page_start(chunk.target));
    const std::size_t high = std::max(cut.high, chunk.target + bytes);
    stored += bytes_needed(chunk);
    const bool other_kind = !cut.copies && !on_pages(chunk);
    const bool too_long = cut.copies ? count > kSliceCopiedBytes / bytes : high - low > most_span;
    const bool full = stored > kSliceStoredBytes || count > most_blocks / blocks || too_long;
    if (i > next_ && (other_kind || full)) break;
    cut = {next_, i + 1, cut.copies, low, high};
  }
  return cut;
}

std::vector<ReadRun> MetalBatchJob::runs_of(const Cut& cut) const {
  std::vector<ReadRun> runs;
  for (std::size_t i = cut.first; i < cut.last; ++i)
    add_to_runs(runs, i, readable_[i].address, bytes_needed(readable_[i]), kReadBytes);
  return runs;
}

/** Gives a slice its output. A window covers whole pages of the batch's own, and many windows lie over one output. */
bool MetalBatchJob::place(Slice& slice, const Cut& cut) {
  if (!cut.copies) {
    const std::size_t low = page_start(cut.low);
    const std::size_t bytes = rounded_up(cut.high - low, page_bytes());
    std::unique_ptr<Buffer> window = machine_.device->wrap(batch_.output + low, bytes);
    if (window != nullptr) {
      slice.output_to(std::move(window));
      return true;
    }
    no_copy_ = false;
  }
  if (!no_copy_) outcome_.copied += cut.last - cut.first;
  const std::size_t each = rounded_up(batch_.format.chunk_bytes, kPlaceBytes);
  return slice.output_through_copy((cut.last - cut.first) * each, batch_.output);
}

bool MetalBatchJob::read(const ReadRun& run, std::uint8_t* to, std::size_t& got) {
  if (batch_.memory != nullptr) {
    std::memcpy(to, batch_.memory + run.address, run.bytes);
    got = run.bytes;
    return true;
  }
  const ReadOutcome outcome = read_at(batch_.fd, run.address, to, run.bytes);
  got = outcome.bytes;
  if (outcome.error != 0) fail(outcome.error);
  return outcome.error == 0;
}

/** Reads the runs, one behind the other, and frames their chunks. */
void MetalBatchJob::fill(Slice& slice, const Cut& cut, const std::vector<ReadRun>& runs,
                         std::uint8_t* stored) {
  const std::size_t each = rounded_up(batch_.format.chunk_bytes, kPlaceBytes);
  const std::size_t low = cut.copies || slice.copies() ? 0 : page_start(cut.low);
  std::size_t base = 0, placed = 0;
  for (const ReadRun& run : runs) {
    std::size_t got = 0;
    if (!read(run, stored + base, got)) return;
    for (std::size_t i = run.first; i < run.last; ++i) {
      const ChunkPlace& chunk = readable_[i];
      const auto at = static_cast<std::size_t>(chunk.address - run.address);
      const std::size_t size = bytes_needed(chunk);
      // The file may have become shorter since it was opened.
      if (at > got || size > got - at) {
        count(chunk, true);
        continue;
      }
      const std::uint64_t target = slice.copies() ? each * placed++ : chunk.target - low;
      if (slice.add(chunk, base + at, size, target) == Framed::too_large) later_.push_back(chunk);
    }
    base += run.bytes;
  }
}

/** Cuts, reads and sends the next slice. */
void MetalBatchJob::start(Slice& slice) {
  const Cut cut = next_cut();
  next_ = cut.last;
  const std::vector<ReadRun> runs = runs_of(cut);
  std::size_t stored_bytes = 0;
  for (const ReadRun& run : runs) stored_bytes += run.bytes;
  const std::uint64_t allowed = machine_.device->facts().working_set_bytes / kPartOfWorkingSet;
  if (batch_.format.chunk_bytes > allowed || stored_bytes > allowed)
    return break_down("chunks of " + std::to_string(batch_.format.chunk_bytes) + " bytes, stored in " +
                      std::to_string(stored_bytes) + ", are more than the device recommends to use at once");
  std::uint8_t* const stored = slice.begin(stored_bytes);
  if (stored == nullptr || !place(slice, cut))
    return break_down("the device has no memory for a part of a batch");
  fill(slice, cut, runs, stored);
  std::string why;
  if (!stopped() && !slice.commit(why)) break_down(why);
}

void MetalBatchJob::finish(Slice& slice) {
  std::string why;
  if (!slice.finish(why)) return break_down(why);
  for (const SliceChunk& chunk : slice.chunks()) {
    if (chunk.trailing && !chunk.refused) trailing_.fetch_add(1, std::memory_order_relaxed);
    count(chunk.place, chunk.refused);
  }
}

/** The first reason stays. */
void MetalBatchJob::break_down(const std::string& why) {
  if (outcome_.failure.empty()) outcome_.failure = why;
  outcome_.lost = outcome_.lost || !machine_.device->lost().empty();
  fail(EIO);
}

bool MetalBatchJob::step(ThreadScratch& scratch) noexcept {
  try {
    const bool more = next_ < readable_.size() && !stopped();
    if (more) start(slices_[turn_]);
    turn_ ^= 1U;
    // The slice before this one: the GPU is at this one now.
    if (slices_[turn_].running()) finish(slices_[turn_]);
    if (more || slices_[turn_ ^ 1U].running()) return true;
    for (std::size_t i = 0; i < later_.size() && !stopped(); ++i)
      read_and_decode(later_, {i, i + 1, later_[i].address, bytes_needed(later_[i])}, scratch);
  } catch (...) {
    // Only memory can be lacking here. Nothing may run when the job has ended.
    fail(ENOMEM);
    std::string why;
    for (Slice& slice : slices_)
      if (slice.running()) slice.finish(why);
    outcome_.lost = !machine_.device->lost().empty();
  }
  return false;
}

}  // namespace framelab::metal
