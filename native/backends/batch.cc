// Owns: what batch.h says that every native decoder of a batch does alike.
// Must not know: Node-API, acquisitions, how chunks are decoded.
#include "backends/batch.h"

#include <utility>

#include "core/file.h"

namespace framelab {

namespace {

/** Bytes between two chunks that are cheaper to read than to skip. */
constexpr std::uint64_t kGapBytes = 4096;
/** Wide loads may touch this much behind the last chunk of a read. */
constexpr std::size_t kReadPadding = 64;

}  // namespace

DecodeJob::DecodeJob(Batch batch, std::function<void()> settled)
    : batch_(std::move(batch)), settled_(std::move(settled)) {
  outcome_.refused.assign((batch_.chunks.size() + 7) / 8, 0);
  refuse_unreadable();
}

/** What no read is needed for: chunks outside the file or memory, raw chunks of another size. */
void DecodeJob::refuse_unreadable() {
  readable_.reserve(batch_.chunks.size());
  for (const ChunkPlace& chunk : batch_.chunks) {
    const bool inside =
        chunk.address <= batch_.file_bytes && chunk.stored_bytes <= batch_.file_bytes - chunk.address;
    const bool exact =
        stored_raw(batch_.format, chunk.filter_mask) || batch_.format.layout == Layout::bitshuffle;
    if (!inside || (exact && chunk.stored_bytes != batch_.format.chunk_bytes)) {
      count(chunk, true);
    } else {
      readable_.push_back(chunk);
    }
  }
}

bool DecodeJob::stopped() {
  if (__atomic_load_n(batch_.control.cancel, __ATOMIC_RELAXED) != 0) cancel();
  return stop_.load(std::memory_order_relaxed) || error_.load(std::memory_order_relaxed) != 0;
}

void DecodeJob::read_and_decode(const std::vector<ChunkPlace>& list, const ReadRun& run,
                                ThreadScratch& scratch) {
  if (batch_.memory != nullptr) {
    // Every readable chunk lies inside the memory, so that the run does.
    decode_run(list, run, {batch_.memory + run.address, run.bytes, batch_.memory + batch_.file_bytes},
               scratch);
    return;
  }
  std::uint8_t* const bytes = scratch.stored.reserve(run.bytes + kReadPadding);
  const ReadOutcome read = read_at(batch_.fd, run.address, bytes, run.bytes);
  if (read.error != 0) {
    fail(read.error);
    return;
  }
  // A file may have become shorter since it was opened.
  decode_run(list, run, {bytes, read.bytes, bytes + run.bytes + kReadPadding}, scratch);
}

void DecodeJob::decode_run(const std::vector<ChunkPlace>& list, const ReadRun& run, RunBytes bytes,
                           ThreadScratch& scratch) {
  for (std::size_t i = run.first; i < run.last; ++i) {
    if (stopped()) return;
    const ChunkPlace& chunk = list[i];
    const std::size_t at = static_cast<std::size_t>(chunk.address - run.address);
    const std::size_t size = bytes_needed(chunk);
    if (at > bytes.bytes || size > bytes.bytes - at) {
      count(chunk, true);
    } else {
      decode(chunk, {bytes.data + at, size, bytes.readable}, scratch);
    }
  }
}

void DecodeJob::decode(const ChunkPlace& chunk, StoredChunk stored, ThreadScratch& scratch) {
  const Verdict verdict = batch_.sums ? batch_.sums->add(*batch_.kernels, batch_.format, chunk.filter_mask,
                                                         chunk.index, stored, scratch)
                                      : decode_chunk(*batch_.kernels, batch_.format, chunk.filter_mask,
                                                     stored, batch_.output + chunk.target, scratch.block);
  if (verdict.trailing) trailing_.fetch_add(1, std::memory_order_relaxed);
  count(chunk, verdict.reason != Reason::ok);
}

void DecodeJob::count(const ChunkPlace& chunk, bool refused) {
  if (refused) {
    const auto bit = static_cast<std::uint8_t>(1U << (chunk.index & 7));
    __atomic_fetch_or(&outcome_.refused[chunk.index >> 3], bit, __ATOMIC_RELAXED);
    __atomic_fetch_add(batch_.control.chunks_refused, 1, __ATOMIC_RELAXED);
  }
  __atomic_fetch_add(batch_.control.chunks_done, 1, __ATOMIC_RELAXED);
}

void DecodeJob::fail(int error) {
  int none = 0;
  error_.compare_exchange_strong(none, error);
}

void DecodeJob::finished() noexcept {
  outcome_.error = error_.load();
  outcome_.cancelled = stop_.load();
  outcome_.trailing = trailing_.load();
  for (const std::uint8_t bits : outcome_.refused) outcome_.any_refused = outcome_.any_refused || bits != 0;
  if (batch_.sums && outcome_.error == 0 && !outcome_.cancelled) batch_.sums->merge();
  settled_();
  const std::lock_guard<std::mutex> lock(mutex_);
  is_settled_ = true;
  settled_condition_.notify_all();
}

void DecodeJob::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  settled_condition_.wait(lock, [this] { return is_settled_; });
}

void add_to_runs(std::vector<ReadRun>& runs, std::size_t index, std::uint64_t address, std::size_t bytes,
                 std::size_t most) {
  if (!runs.empty()) {
    ReadRun& run = runs.back();
    const std::uint64_t end = run.address + run.bytes;
    // Compared before it is added: an address is at most the file's size, a sum of two is not.
    if (address >= end && address - end <= kGapBytes && run.bytes < most && bytes <= most - run.bytes) {
      run.bytes = static_cast<std::size_t>(address - run.address) + bytes;
      run.last = index + 1;
      return;
    }
  }
  runs.push_back({index, index + 1, address, bytes});
}

}  // namespace framelab
