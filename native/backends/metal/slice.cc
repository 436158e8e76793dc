// Owns: buffers, dispatches and verdicts of slice.h.
// Must not know: files, Objective-C.
#include "backends/metal/slice.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace framelab::metal {

namespace {

/** Buffers grow by whole steps, so that slices of like size use the same ones. */
constexpr std::size_t kGrowthBytes = std::size_t{1} << 16;

constexpr Road kInOrder[kRoads] = {Road::fused, Road::scratch_whole, Road::scratch_short, Road::raw};

}  // namespace

/** Memory that the GPU uses is not given back before its end, or before the wait for it has run out. */
Slice::~Slice() {
  std::string why;
  if (running_) finish(why);
  if (failed_) return;
  try {
    machine_.shelf->put(std::move(buffers_));
  } catch (const std::bad_alloc&) {
    // Then they are freed.
  }
}

bool Slice::reserve(std::unique_ptr<Buffer>& buffer, std::size_t bytes) {
  if (buffer != nullptr && buffer->bytes() >= bytes) return true;
  buffer.reset();
  buffer = machine_.device->allocate((bytes / kGrowthBytes + 1) * kGrowthBytes);
  return buffer != nullptr;
}

std::uint8_t* Slice::begin(std::size_t stored_bytes) {
  table_.clear();
  chunks_.clear();
  sent_.clear();
  window_.reset();
  stored_bytes_ = stored_bytes;
  if (!reserve(buffers_.stored, stored_bytes + kStoredPadding)) return nullptr;
  return static_cast<std::uint8_t*>(buffers_.stored->contents());
}

bool Slice::output_through_copy(std::size_t bytes, std::uint8_t* output) {
  copy_to_ = output;
  return reserve(buffers_.staging, bytes);
}

Framed Slice::add(const ChunkPlace& place, std::size_t at, std::size_t bytes, std::uint64_t target) {
  const auto* const stored = static_cast<const std::uint8_t*>(buffers_.stored->contents());
  const bool raw = stored_raw(format_, place.filter_mask);
  const auto frame = static_cast<std::uint32_t>(chunks_.size());
  bool trailing = false;
  const Framed framed = table_.add(stored, at, bytes, raw, frame, target, trailing);
  if (framed != Framed::too_large) chunks_.push_back({place, target, framed == Framed::refused, trailing});
  return framed;
}

bool Slice::prepare() {
  const std::size_t count = table_.count();
  const std::size_t words = 2 + (chunks_.size() + 31) / 32;
  const bool memory =
      reserve(buffers_.blocks, count * sizeof(Block)) && reserve(buffers_.damage, words * 4) &&
      reserve(buffers_.scratch, table_.scratch_bytes() + 16) && reserve(buffers_.accepted, count * 4);
  if (!memory) return false;
  table_.write(static_cast<Block*>(buffers_.blocks->contents()));
  auto* const report = static_cast<std::uint32_t*>(buffers_.damage->contents());
  std::memset(report, 0, words * 4);
  report[0] = UINT32_MAX;
  return true;
}

Dispatch Slice::dispatch(std::string kernel, std::vector<const Buffer*> buffers, std::uint32_t first,
                         std::uint32_t count, std::uint32_t groups) const {
  Dispatch made;
  made.kernel = std::move(kernel);
  for (const Buffer* buffer : buffers) made.buffers.push_back({buffer, 0});
  const BatchParams params = {stored_bytes_,
                              output()->bytes(),
                              table_.scratch_bytes(),
                              first + count,
                              first,
                              static_cast<std::uint32_t>(chunks_.size()),
                              table_.longest()};
  made.params = bytes_of(params);
  made.groups = groups;
  return made;
}

void Slice::add_dispatches(std::vector<Dispatch>& to, Road road, std::uint32_t first,
                           std::uint32_t count) const {
  const std::string type = "_u" + std::to_string(8 * format_.filter_element_bytes);
  if (road == Road::raw || road == Road::fused) {
    const std::string kernel =
        road == Road::raw ? "copy_raw" : "fused_" + std::string(design_name(machine_.design)) + type;
    to.push_back(dispatch(kernel,
                          {buffers_.stored.get(), buffers_.blocks.get(), output(), buffers_.damage.get()},
                          first, count, count));
    return;
  }
  const std::uint32_t groups = (count + kScratchGroups - 1) / kScratchGroups;
  to.push_back(dispatch("decode_scratch",
                        {buffers_.stored.get(), buffers_.blocks.get(), buffers_.scratch.get(),
                         buffers_.damage.get(), nullptr, buffers_.accepted.get()},
                        first, count, groups));
  const std::string unshuffle = road == Road::scratch_whole ? "unshuffle_whole" : "unshuffle_short";
  to.push_back(dispatch(unshuffle + type,
                        {buffers_.scratch.get(), buffers_.blocks.get(), output(), buffers_.accepted.get()},
                        first, count, count));
}

/** Cuts the table into command buffers of about 100 ms, wherever it falls. */
void Slice::send() {
  const std::uint32_t most = machine_.pace.blocks();
  std::vector<Dispatch> work;
  std::uint32_t blocks = 0, begin = 0;
  const auto flush = [&] {
    // Room first: what is committed and cannot be kept would run on behind the end of the job.
    sent_.reserve(sent_.size() + 1);
    if (blocks > 0) sent_.push_back({machine_.device->commit(std::move(work)), blocks});
    work.clear();
    blocks = 0;
  };
  for (const Road road : kInOrder) {
    const std::uint32_t end = begin + table_.count(road);
    while (begin < end) {
      const std::uint32_t count = std::min(end - begin, most - blocks);
      add_dispatches(work, road, begin, count);
      begin += count;
      blocks += count;
      if (blocks == most) flush();
    }
  }
  flush();
}

bool Slice::commit(std::string& why) {
  if (!prepare()) {
    why = "the device has no memory for a part of a batch";
    return false;
  }
  running_ = true;
  send();
  return true;
}

bool Slice::finish(std::string& why) {
  running_ = false;
  for (const Sent& sent : sent_) {
    // What is already lost is not waited for again.
    const std::string lost = machine_.device->lost();
    if (!lost.empty()) {
      if (why.empty()) why = lost;
      break;
    }
    const RunOutcome outcome = sent.commands->wait(machine_.wait_seconds);
    if (outcome.ok) machine_.pace.measured(sent.blocks, outcome.gpu_seconds);
    if (!outcome.ok && why.empty()) why = outcome.message;
  }
  sent_.clear();
  if (!why.empty()) {
    failed_ = true;
    return false;
  }
  const auto* const bits = static_cast<const std::uint32_t*>(buffers_.damage->contents()) + 2;
  const auto* const staged =
      copies() ? static_cast<const std::uint8_t*>(buffers_.staging->contents()) : nullptr;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    SliceChunk& chunk = chunks_[i];
    chunk.refused = chunk.refused || (bits[i / 32] >> (i % 32) & 1) != 0;
    if (staged != nullptr && !chunk.refused)
      std::memcpy(copy_to_ + chunk.place.target, staged + chunk.target, format_.chunk_bytes);
  }
  window_.reset();
  return true;
}

}  // namespace framelab::metal
