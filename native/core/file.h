// Owns: positional reads that finish, and reads for the system's cache.
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

/**
 * Reads `bytes` bytes at `offset` of `fd` for the system's cache alone, as far as they are there and the system can.
 * Returns when they were read. Throws std::bad_alloc.
 */
void read_ahead(int fd, std::uint64_t offset, std::size_t bytes);

}  // namespace framelab
