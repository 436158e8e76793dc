// Owns: one batch of chunks of one file, or of memory, and what every native decoder of one does alike: refusing
// unread, counting, cancelling, ending. Must not know: Node-API, acquisitions, how chunks are decoded.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/cpu/chunk.h"
#include "backends/cpu/frame_sums.h"
#include "core/pool.h"

namespace framelab {

/** One stored chunk as the index gives it: nothing here is trusted but `target`, which the caller has
 * checked. */
struct ChunkPlace {
  std::uint64_t address;
  std::uint64_t stored_bytes;
  std::uint32_t filter_mask;
  /** Index of the chunk in the batch. */
  std::uint32_t index;
  /** Byte of the output at which the decoded chunk starts: it fits. Of no meaning to sums. */
  std::size_t target;
};

/** Words shared with JavaScript: read and written atomically, counters only grow. */
struct SharedControl {
  std::int32_t* cancel;
  std::int32_t* chunks_done;
  std::int32_t* chunks_refused;
};

struct Batch {
  /** The stored bytes, where they are in memory already; null: they are read from `fd`. */
  const std::uint8_t* memory;
  int fd;
  /** Bytes of the file, or of `memory`: nothing at or behind this address is looked at. */
  std::uint64_t file_bytes;
  ChunkFormat format;
  std::vector<ChunkPlace> chunks;
  /** Where chunks are decoded to; not used where there are `sums`. */
  std::uint8_t* output;
  /** Given: chunks are added to these as they are decoded, and kept nowhere. */
  std::unique_ptr<FrameSums> sums;
  SharedControl control;
  /** What runs on the CPU runs with these. */
  const Kernels* kernels;
};

/** What a finished batch leaves behind. */
struct BatchOutcome {
  bool cancelled = false;
  /** Bit i & 7 of byte i >> 3 is set for each refused chunk i. */
  std::vector<std::uint8_t> refused;
  bool any_refused = false;
  /** Accepted chunks with stored bytes behind everything that they need. */
  std::size_t trailing = 0;
  /** Set when the system failed: an errno, or ENOMEM. */
  int error = 0;
  /** Set beside `error` when it is the decoder that failed: why, in words. */
  std::string failure;
  /** Chunks that went through memory of their own, since the GPU would not take the output's. */
  std::size_t copied = 0;
  /** The GPU did not answer: it may still write the output, which must stay mapped. */
  bool lost = false;
};

/** Neighbouring chunks that one read fetches: chunks [first, last) of a list. */
struct ReadRun {
  std::size_t first;
  std::size_t last;
  std::uint64_t address;
  std::size_t bytes;
};

/** The decoding of a batch on the pool. `settled` is called once, on a pool thread. */
class DecodeJob : public Job {
 public:
  void finished() noexcept override;

  /** Stops at the next chunk, as JavaScript's cancel word does. */
  void cancel() noexcept { stop_.store(true, std::memory_order_relaxed); }
  /** Returns when `settled` has returned: no thread uses the output any more. */
  void wait();
  /** Valid once `settled` is called. */
  BatchOutcome& outcome() { return outcome_; }

 protected:
  /** Throws std::bad_alloc. */
  DecodeJob(Batch batch, std::function<void()> settled);

  std::size_t bytes_needed(const ChunkPlace& chunk) const {
    return stored_bytes_needed(batch_.format, chunk.stored_bytes);
  }
  /** Whether to stop; remembers a cancel of JavaScript's. */
  bool stopped();
  void count(const ChunkPlace& chunk, bool refused);
  /** Reads a run of `list`, decodes its chunks on the calling thread and counts them. Throws std::bad_alloc. */
  void read_and_decode(const std::vector<ChunkPlace>& list, const ReadRun& run, ThreadScratch& scratch);
  void fail(int error);

  Batch batch_;
  /** The chunks that are read, in the order of the batch. */
  std::vector<ChunkPlace> readable_;
  std::atomic<std::size_t> trailing_{0};
  BatchOutcome outcome_;

 private:
  /** The bytes of a run that are there, and memory behind them that wide loads may touch. */
  struct RunBytes {
    const std::uint8_t* data;
    std::size_t bytes;
    const std::uint8_t* readable;
  };

  void refuse_unreadable();
  void decode_run(const std::vector<ChunkPlace>& list, const ReadRun& run, RunBytes bytes,
                  ThreadScratch& scratch);
  void decode(const ChunkPlace& chunk, StoredChunk stored, ThreadScratch& scratch);

  std::atomic<bool> stop_{false};
  std::atomic<int> error_{0};
  std::function<void()> settled_;

  std::mutex mutex_;
  std::condition_variable settled_condition_;
  bool is_settled_ = false;
};

/** Adds chunk `index`, `bytes` at `address`, to the last run where it lies close behind it and at most `most` bytes come
 * together; else opens a run. */
void add_to_runs(std::vector<ReadRun>& runs, std::size_t index, std::uint64_t address, std::size_t bytes,
                 std::size_t most);

}  // namespace framelab
