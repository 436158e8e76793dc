// Owns: page-aligned memory for decoded frames, on huge pages where the system gives them, and keeping it for
// reuse.
// Must not know: JavaScript, frames.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace framelab {

struct Mapping {
  std::uint8_t* data;
  /** Bytes mapped, at least what was asked for. */
  std::size_t size;
  /** False: memory of an earlier output, with its contents. */
  bool zeroed;
};

/** Asks for huge pages in the page-aligned inside of the range. A system without them ignores it. */
void advise_huge_pages(std::uint8_t* data, std::size_t bytes);

/** Mappings of the whole process. */
class Mappings {
 public:
  static Mappings& shared();
  /** Throws std::bad_alloc. */
  Mapping take(std::size_t bytes);
  /** Unmaps, or keeps for the next `take` while the kept ones stay within the limit. */
  void give(Mapping mapping);
  /** Most bytes that are kept for reuse; 0, the default, keeps none. Gives back what is over. */
  void keep_at_most(std::size_t bytes);
  /** Bytes mapped now, kept ones included. */
  std::size_t mapped_bytes();

 private:
  void drop_over(std::size_t limit);

  std::mutex mutex_;
  std::vector<Mapping> kept_;
  std::size_t kept_bytes_ = 0;
  std::size_t limit_ = 0;
  std::size_t mapped_ = 0;
};

}  // namespace framelab
