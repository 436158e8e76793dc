// Owns: memory between two pages that may not be touched, with canaries in what is left of its own pages.
// Must not know: decoders.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace framelab::fuzz {

/** Its memory ends right before a page that faults; bytes in front are canaries, with a page that faults
 * before them. */
class Guarded {
 public:
  explicit Guarded(std::size_t capacity) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    inner_ = (capacity + page - 1) / page * page;
    void* const all = mmap(nullptr, inner_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<std::uint8_t*>(all) + page;
    if (mprotect(begin_, inner_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::memset(begin_, kCanary, inner_);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  /** The last `bytes` bytes, filled with `poison`; at most `capacity`. */
  std::uint8_t* last(std::size_t bytes, std::uint8_t poison) {
    std::uint8_t* const at = begin_ + inner_ - bytes;
    std::memset(at, poison, bytes);
    used_ = bytes;
    return at;
  }

  /** The bytes in front of what `last` gave are as they were. Looks at 4 KiB: a stray store is near. */
  bool intact() const {
    const std::size_t before = inner_ - used_;
    const std::size_t seen = before < 4096 ? before : 4096;
    for (std::size_t i = 0; i < seen; ++i) {
      if (begin_[before - 1 - i] != kCanary) return false;
    }
    return true;
  }

  /** Sets the canaries anew, for a next `last` of another size. */
  void reset() { std::memset(begin_ + inner_ - used_, kCanary, used_); }

 private:
  static constexpr std::uint8_t kCanary = 0xc5;
  std::uint8_t* begin_ = nullptr;
  std::size_t inner_ = 0;
  std::size_t used_ = 0;
};

}  // namespace framelab::fuzz
