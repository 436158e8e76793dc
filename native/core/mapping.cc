// Owns: page-aligned memory for decoded frames, on huge pages where the system gives them, and keeping it for
// reuse.
// Must not know: JavaScript, frames.
#include "core/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace framelab {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  if (bytes > SIZE_MAX - unit) throw std::bad_alloc();
  return (bytes + unit - 1) / unit * unit;
}

std::uint8_t* map(std::size_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::uint8_t*>(data);
}

/** A mapping that starts on a huge page's boundary: the rest of a larger one is unmapped again. */
std::uint8_t* map_on_huge_pages(std::size_t bytes) {
  std::uint8_t* const whole = map(round_up(bytes, kHugePage) + kHugePage);
  const std::size_t total = round_up(bytes, kHugePage) + kHugePage;
  const auto start = reinterpret_cast<std::uintptr_t>(whole);
  const std::size_t before = (kHugePage - start % kHugePage) % kHugePage;
  std::uint8_t* const data = whole + before;
  if (before != 0) munmap(whole, before);
  if (total - before > bytes) munmap(data + bytes, total - before - bytes);
  advise_huge_pages(data, bytes);
  return data;
}

}  // namespace

void advise_huge_pages([[maybe_unused]] std::uint8_t* data, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  const std::size_t page = page_bytes();
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(data) % page) % page;
  if (bytes < before + kHugePage) return;
  madvise(data + before, (bytes - before) / page * page, MADV_HUGEPAGE);
#endif
}

Mappings& Mappings::shared() {
  // Never destroyed: outputs may be given back while the process exits.
  static auto* const mappings = new Mappings();
  return *mappings;
}

Mapping Mappings::take(std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::size_t size = round_up(bytes == 0 ? 1 : bytes, page_bytes());
  for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
    // A much larger one would hold memory that the new owner does not use.
    if (kept->size < size || kept->size / 2 > size) continue;
    const Mapping found = *kept;
    kept_bytes_ -= found.size;
    kept_.erase(kept);
    return found;
  }
  std::uint8_t* const data = size >= kHugePage ? map_on_huge_pages(size) : map(size);
  mapped_ += size;
  return {data, size, true};
}

void Mappings::give(Mapping mapping) {
  const std::lock_guard<std::mutex> lock(mutex_);
  mapping.zeroed = false;
  kept_.push_back(mapping);
  kept_bytes_ += mapping.size;
  drop_over(limit_);
}

void Mappings::keep_at_most(std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  limit_ = bytes;
  drop_over(limit_);
}

std::size_t Mappings::mapped_bytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return mapped_;
}

/** Oldest first. */
void Mappings::drop_over(std::size_t limit) {
  std::size_t dropped = 0;
  while (kept_bytes_ > limit) {
    const Mapping& oldest = kept_[dropped++];
    munmap(oldest.data, oldest.size);
    kept_bytes_ -= oldest.size;
    mapped_ -= oldest.size;
  }
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(dropped));
}

}  // namespace framelab
