// Owns: one piece of a batch on the GPU: its buffers, its dispatches, and which of its chunks were refused.
// Must not know: files, how a batch is cut.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "backends/batch.h"
#include "backends/metal/block_table.h"
#include "backends/metal/device.h"
#include "backends/metal/runtime.h"
#include "backends/metal/shelf.h"

namespace framelab::metal {

/** A chunk of a slice. */
struct SliceChunk {
  ChunkPlace place;
  /** Bytes of the slice's output at which it starts. */
  std::uint64_t target;
  bool refused;
  bool trailing;
};

/** What a slice is run with. */
struct Machine {
  std::shared_ptr<Device> device;
  std::shared_ptr<Shelf> shelf;
  Design design;
  Pace& pace;
  double wait_seconds;
};

/**
 * Used again and again: buffers grow and stay, for later slices of the device too. After a failure, in words, it is
 * not used any more.
 */
class Slice {
 public:
  Slice(const Machine& machine, const ChunkFormat& format)
      : machine_(machine), format_(format), table_(format), buffers_(machine.shelf->take()) {}
  ~Slice();
  Slice(const Slice&) = delete;
  Slice& operator=(const Slice&) = delete;

  /** Empties it, with room for `bytes` stored bytes. Null when the device has no memory. */
  std::uint8_t* begin(std::size_t stored_bytes);
  /** Output through `window`: whole pages of it. */
  void output_to(std::unique_ptr<Buffer> window) { window_ = std::move(window); }
  /** Output through memory of its own, copied to `output` at the end. False when the device has no memory. */
  bool output_through_copy(std::size_t bytes, std::uint8_t* output);
  bool copies() const { return window_ == nullptr; }

  /** Adds a chunk whose stored bytes are at `at`. */
  Framed add(const ChunkPlace& place, std::size_t at, std::size_t bytes, std::uint64_t target);
  /** Sends all of it. False, and why. */
  bool commit(std::string& why);
  bool running() const { return running_; }
  /** Waits, copies, and leaves each chunk's verdict in `chunks`. False, and why. */
  bool finish(std::string& why);
  const std::vector<SliceChunk>& chunks() const { return chunks_; }

 private:
  struct Sent {
    std::unique_ptr<Commands> commands;
    std::uint32_t blocks;
  };

  bool reserve(std::unique_ptr<Buffer>& buffer, std::size_t bytes);
  bool prepare();
  void send();
  void add_dispatches(std::vector<Dispatch>& to, Road road, std::uint32_t first, std::uint32_t count) const;
  Dispatch dispatch(std::string kernel, std::vector<const Buffer*> buffers, std::uint32_t first,
                    std::uint32_t count, std::uint32_t groups) const;
  const Buffer* output() const { return window_ ? window_.get() : buffers_.staging.get(); }

  const Machine& machine_;
  const ChunkFormat& format_;
  BlockTable table_;
  std::vector<SliceChunk> chunks_;
  SliceBuffers buffers_;
  std::unique_ptr<Buffer> window_;
  std::size_t stored_bytes_ = 0;
  std::uint8_t* copy_to_ = nullptr;
  std::vector<Sent> sent_;
  bool running_ = false;
  bool failed_ = false;
};

}  // namespace framelab::metal
