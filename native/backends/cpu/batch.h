// Owns: the decoding of a batch on the CPU: which chunks are read together, and their decoding.
// Must not know: Node-API, acquisitions, frames.
#pragma once
#include <atomic>
#include <functional>
#include <vector>

#include "backends/batch.h"

namespace framelab {

/** Decodes a batch on the pool, a run of chunks a step. */
class BatchJob : public DecodeJob {
 public:
  /** Throws std::bad_alloc. */
  BatchJob(Batch batch, unsigned threads, std::function<void()> settled);

  bool step(ThreadScratch& scratch) noexcept override;

 private:
  void plan_runs(unsigned threads);
  std::vector<ReadRun> runs_;
  std::atomic<std::size_t> next_run_{0};
};

}  // namespace framelab
