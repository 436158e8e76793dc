// Owns: one batch of chunks of one file, or of memory: which are refused unread, which are read together, and
// their decoding.
// Must not know: Node-API, acquisitions, frames.
#include "backends/cpu/batch.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/file.h"

namespace framelab {

namespace {

/** Stored bytes of a read: large enough to hide the call, small enough to be decoded from the second-level
 * cache. */
constexpr std::size_t kRunBytes = std::size_t{256} << 10;
/** Bytes between two chunks that are cheaper to read than to skip. */
constexpr std::uint64_t kGapBytes = 4096;
/** Wide loads may touch this much behind the last chunk of a read. */
constexpr std::size_t kReadPadding = 64;
/** Reads for each thread, at least, where the batch is large enough: the last ones end together. */
constexpr std::size_t kRunsPerThread = 4;

}  // namespace

BatchJob::BatchJob(Batch batch, unsigned threads, std::function<void()> settled)
    : batch_(std::move(batch)), settled_(std::move(settled)) {
  outcome_.refused.assign((batch_.chunks.size() + 7) / 8, 0);
  refuse_unreadable();
  plan_runs(threads);
}

/** What no read is needed for: chunks outside the file or memory, raw chunks of another size. */
void BatchJob::refuse_unreadable() {
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

std::size_t BatchJob::bytes_needed(const ChunkPlace& chunk) const {
  return stored_bytes_needed(batch_.format, chunk.stored_bytes);
}

void BatchJob::plan_runs(unsigned threads) {
  std::size_t total = 0;
  for (const ChunkPlace& chunk : readable_) total += bytes_needed(chunk);
  const std::size_t most = std::min(kRunBytes, total / (kRunsPerThread * threads) + 1);
  for (std::size_t i = 0; i < readable_.size(); ++i) {
    const std::uint64_t address = readable_[i].address;
    const std::size_t bytes = bytes_needed(readable_[i]);
    if (!runs_.empty()) {
      Run& run = runs_.back();
      const std::uint64_t end = run.address + run.bytes;
      // Compared before it is added: an address is at most the file's size, a sum of two is not.
      if (address >= end && address - end <= kGapBytes && run.bytes < most && bytes <= most - run.bytes) {
        run.bytes = static_cast<std::size_t>(address - run.address) + bytes;
        run.last = i + 1;
        continue;
      }
    }
    runs_.push_back({i, i + 1, address, bytes});
  }
}

bool BatchJob::stopped() const {
  return stop_.load(std::memory_order_relaxed) || error_.load(std::memory_order_relaxed) != 0 ||
         __atomic_load_n(batch_.control.cancel, __ATOMIC_RELAXED) != 0;
}

bool BatchJob::step(ThreadScratch& scratch) noexcept {
  const std::size_t i = next_run_.fetch_add(1, std::memory_order_relaxed);
  if (i >= runs_.size()) return false;
  if (stopped()) {
    stop_.store(true, std::memory_order_relaxed);
    return false;
  }
  try {
    const Run& run = runs_[i];
    if (batch_.memory == nullptr) {
      run_from_file(run, scratch);
    } else {
      // Every readable chunk lies inside the memory, so that the run does.
      const std::uint8_t* const end = batch_.memory + batch_.file_bytes;
      decode_run(run, {batch_.memory + run.address, run.bytes, end}, scratch);
    }
  } catch (...) {
    // Only memory can be lacking here.
    fail(ENOMEM);
  }
  return true;
}

void BatchJob::run_from_file(const Run& run, ThreadScratch& scratch) {
  std::uint8_t* const bytes = scratch.stored.reserve(run.bytes + kReadPadding);
  const ReadOutcome read = read_at(batch_.fd, run.address, bytes, run.bytes);
  if (read.error != 0) {
    fail(read.error);
    return;
  }
  // A file may have become shorter since it was opened.
  decode_run(run, {bytes, read.bytes, bytes + run.bytes + kReadPadding}, scratch);
}

void BatchJob::decode_run(const Run& run, RunBytes bytes, ThreadScratch& scratch) {
  for (std::size_t i = run.first; i < run.last; ++i) {
    if (stopped()) {
      stop_.store(true, std::memory_order_relaxed);
      return;
    }
    const ChunkPlace& chunk = readable_[i];
    const std::size_t at = static_cast<std::size_t>(chunk.address - run.address);
    const std::size_t size = bytes_needed(chunk);
    if (at > bytes.bytes || size > bytes.bytes - at) {
      count(chunk, true);
    } else {
      decode(chunk, {bytes.data + at, size, bytes.readable}, scratch);
    }
  }
}

void BatchJob::decode(const ChunkPlace& chunk, StoredChunk stored, ThreadScratch& scratch) {
  const Verdict verdict = batch_.sums ? batch_.sums->add(*batch_.kernels, batch_.format, chunk.filter_mask,
                                                         chunk.index, stored, scratch)
                                      : decode_chunk(*batch_.kernels, batch_.format, chunk.filter_mask,
                                                     stored, batch_.output + chunk.target, scratch.block);
  if (verdict.trailing) trailing_.fetch_add(1, std::memory_order_relaxed);
  count(chunk, verdict.reason != Reason::ok);
}

void BatchJob::count(const ChunkPlace& chunk, bool refused) {
  if (refused) {
    const auto bit = static_cast<std::uint8_t>(1U << (chunk.index & 7));
    __atomic_fetch_or(&outcome_.refused[chunk.index >> 3], bit, __ATOMIC_RELAXED);
    __atomic_fetch_add(batch_.control.chunks_refused, 1, __ATOMIC_RELAXED);
  }
  __atomic_fetch_add(batch_.control.chunks_done, 1, __ATOMIC_RELAXED);
}

void BatchJob::fail(int error) {
  int none = 0;
  error_.compare_exchange_strong(none, error);
}

void BatchJob::finished() noexcept {
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

void BatchJob::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  settled_condition_.wait(lock, [this] { return is_settled_; });
}

}  // namespace framelab
