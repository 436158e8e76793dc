// Owns: the buffers of slices between two batches: memory that was touched before costs no page faults.
// Must not know: what is in them, who uses them.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/metal/device.h"

namespace framelab::metal {

/** What one slice works with, of any size; null until it is needed. */
struct SliceBuffers {
  std::unique_ptr<Buffer> stored, blocks, damage, scratch, accepted, staging;
};

/** Buffers of one device, until the process ends: at most 128 MiB. Safe on any thread. */
class Shelf {
 public:
  /** Buffers that nobody uses, or none yet. */
  SliceBuffers take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kept_.empty()) return {};
    SliceBuffers buffers = std::move(kept_.back());
    kept_.pop_back();
    return buffers;
  }

  /** Keeps buffers that no command buffer uses any more; those beyond what two batches at once take are freed. */
  void put(SliceBuffers buffers) {
    // Copies are rare, and neither a very large chunk nor one of very many blocks must hold memory afterwards.
    buffers.staging.reset();
    std::size_t room = kMostBytes;
    for (std::unique_ptr<Buffer>* buffer :
         {&buffers.damage, &buffers.stored, &buffers.blocks, &buffers.accepted, &buffers.scratch}) {
      if (*buffer == nullptr) continue;
      if ((*buffer)->bytes() > room)
        buffer->reset();
      else
        room -= (*buffer)->bytes();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kept_.size() < kMost) kept_.push_back(std::move(buffers));
  }

 private:
  static constexpr std::size_t kMost = 4;
  /** Of one slice's buffers together: its stored bytes are about 16 MiB. */
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  std::mutex mutex_;
  std::vector<SliceBuffers> kept_;
};

}  // namespace framelab::metal
