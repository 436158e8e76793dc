// Owns: the decoding of a batch on the CPU: which chunks are read together, and their decoding.
// Must not know: Node-API, acquisitions, frames.
#include "backends/cpu/batch.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace framelab {

namespace {

/** Stored bytes of a read: large enough to hide the call, small enough to be decoded from the second-level
 * cache. */
constexpr std::size_t kRunBytes = std::size_t{256} << 10;
/** Reads for each thread, at least, where the batch is large enough: the last ones end together. */
constexpr std::size_t kRunsPerThread = 4;

}  // namespace

BatchJob::BatchJob(Batch batch, unsigned threads, std::function<void()> settled)
    : DecodeJob(std::move(batch), std::move(settled)) {
  plan_runs(threads);
}

void BatchJob::plan_runs(unsigned threads) {
  std::size_t total = 0;
  for (const ChunkPlace& chunk : readable_) total += bytes_needed(chunk);
  const std::size_t most = std::min(kRunBytes, total / (kRunsPerThread * threads) + 1);
  for (std::size_t i = 0; i < readable_.size(); ++i)
    add_to_runs(runs_, i, readable_[i].address, bytes_needed(readable_[i]), most);
}

bool BatchJob::step(ThreadScratch& scratch) noexcept {
  const std::size_t i = next_run_.fetch_add(1, std::memory_order_relaxed);
  if (i >= runs_.size() || stopped()) return false;
  try {
    read_and_decode(readable_, runs_[i], scratch);
  } catch (...) {
    // Only memory can be lacking here.
    fail(ENOMEM);
  }
  return true;
}

}  // namespace framelab
