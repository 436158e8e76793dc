// Owns: positional reads that finish.
// Must not know: chunks.
#include "core/file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace framelab {

static_assert(sizeof(off_t) == 8, "files are larger than 2 GiB");

namespace {
/** Systems refuse or cut single reads of 2 GiB and more. */
constexpr std::size_t kLargestRead = std::size_t{1} << 30;
}  // namespace

ReadOutcome read_at(int fd, std::uint64_t offset, std::uint8_t* to, std::size_t bytes) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
  if (offset > kMost || bytes > kMost - offset) return {0, EINVAL};
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        pread(fd, to + done, std::min(bytes - done, kLargestRead), static_cast<off_t>(offset + done));
    if (got == 0) break;
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      return {done, errno};
    }
  }
  return {done, 0};
}

}  // namespace framelab
