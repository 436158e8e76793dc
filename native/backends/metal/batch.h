// Owns: a batch on the GPU: cut into slices, of which one is read while the one before is decoded.
// Must not know: Node-API, Objective-C, kernels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/batch.h"
#include "backends/metal/slice.h"

namespace framelab::metal {

/** Stored bytes of a slice: enough to hide the start of a command buffer, and a few in a batch. */
constexpr std::size_t kSliceStoredBytes = std::size_t{16} << 20;
/** Stored bytes that are read at a time: small enough that their framing is walked in the cache. */
constexpr std::size_t kReadBytes = std::size_t{256} << 10;

/**
 * Decodes a batch of layout `bitshuffle_lz4` with elements of 1, 2 or 4 bytes. Steps are taken by one thread at a
 * time: submit it with `parallel` 1. Output on whole pages that are this batch's alone is the GPU's own memory at once; what
 * lies beside them, and all of it where the device refuses, is copied.
 */
class MetalBatchJob : public DecodeJob {
 public:
  /** Throws std::bad_alloc. */
  MetalBatchJob(Batch batch, Machine machine, std::function<void()> settled);

  bool step(ThreadScratch& scratch) noexcept override;
  bool waits() const noexcept override { return true; }

 private:
  /** Chunks [first, last) of `readable_`, and the span of their targets. */
  struct Cut {
    std::size_t first;
    std::size_t last;
    bool copies;
    std::size_t low;
    std::size_t high;
  };

  std::size_t page_start(std::size_t target) const;
  bool on_pages(const ChunkPlace& chunk) const;
  void find_own_pages();
  void order_by_placement();
  Cut next_cut() const;
  std::vector<ReadRun> runs_of(const Cut& cut) const;
  bool place(Slice& slice, const Cut& cut);
  void fill(Slice& slice, const Cut& cut, const std::vector<ReadRun>& runs, std::uint8_t* stored);
  bool read(const ReadRun& run, std::uint8_t* to, std::size_t& got);
  void start(Slice& slice);
  void finish(Slice& slice);
  void break_down(const std::string& why);

  const Machine machine_;
  /** Addresses: no byte between them is another batch's, or outside the output. */
  std::uintptr_t own_begin_ = 0;
  std::uintptr_t own_end_ = 0;
  bool no_copy_ = true;
  std::size_t next_ = 0;
  Slice slices_[2];
  unsigned turn_ = 0;
  /** Chunks whose blocks no kernel takes: decoded on the CPU, after the GPU. */
  std::vector<ChunkPlace> later_;
};

}  // namespace framelab::metal
