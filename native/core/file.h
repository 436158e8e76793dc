// Owns: positional reads that finish.
// Must not know: chunks.
#pragma once
#include <cstddef>
#include <cstdint>

namespace framelab {

/** `bytes` read before the end of the file, or `error` (an errno) when the system cannot read. */
struct ReadOutcome {
  std::size_t bytes;
  int error;
};

/** Reads `bytes` bytes at `offset` of `fd`; interrupted and short reads go on, the end of the file stops. */
ReadOutcome read_at(int fd, std::uint64_t offset, std::uint8_t* to, std::size_t bytes);

}  // namespace framelab
