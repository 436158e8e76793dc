// Owns: one growing piece of memory, aligned to a cache line and to AVX-512's vectors.
// Must not know: what it holds. Growing discards the contents.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace framelab {

class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = 64;

  AlignedBuffer() = default;
  ~AlignedBuffer() { std::free(data_); }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;

  /** At least `bytes` bytes. Throws std::bad_alloc. */
  std::uint8_t* reserve(std::size_t bytes) {
    if (bytes <= size_) return data_;
    release();
    if (bytes > SIZE_MAX - kAlignment) throw std::bad_alloc();
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    data_ = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, rounded));
    if (data_ == nullptr) throw std::bad_alloc();
    size_ = rounded;
    return data_;
  }

  /** Gives memory above `keep` bytes back: one huge chunk must not stay for the life of the process. */
  void trim(std::size_t keep) {
    if (size_ > keep) release();
  }

 private:
  void release() {
    std::free(data_);
    data_ = nullptr;
    size_ = 0;
  }

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace framelab
