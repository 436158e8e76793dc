// Owns: positional reads that finish, and reads for the system's cache.
// Must not know: chunks.
#include "core/file.h"

#include <unistd.h>
#ifdef __linux__
#include <fcntl.h>
#include <sys/sendfile.h>
#endif

#include <algorithm>
#include <cerrno>
#include <limits>
#include <vector>

namespace framelab {

static_assert(sizeof(off_t) == 8, "files are larger than 2 GiB");

namespace {
/** Systems refuse or cut single reads of 2 GiB and more. */
constexpr std::size_t kLargestRead = std::size_t{1} << 30;
/** Bytes of a read that nobody looks at: they stay in the second-level cache. */
constexpr std::size_t kUnseenRead = std::size_t{256} << 10;

constexpr auto kLargestOffset = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());

#ifdef __linux__
/** Has the system read and drop the bytes: no processor copies them. False where it does not do that for this file. */
bool read_uncopied(int fd, std::uint64_t offset, std::size_t bytes) {
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null < 0) return false;
  auto at = static_cast<off_t>(offset);
  const auto end = static_cast<off_t>(offset + bytes);
  ssize_t got = 1;
  while (at < end && (got > 0 || (got < 0 && errno == EINTR)))
    got = sendfile(null, fd, &at, static_cast<std::size_t>(end - at));
  close(null);
  return got >= 0;
}
#endif
}  // namespace

ReadOutcome read_at(int fd, std::uint64_t offset, std::uint8_t* to, std::size_t bytes) {
  if (offset > kLargestOffset || bytes > kLargestOffset - offset) return {0, EINVAL};
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

void read_ahead(int fd, std::uint64_t offset, std::size_t bytes) {
  if (offset > kLargestOffset || bytes > kLargestOffset - offset) return;
#ifdef __linux__
  if (read_uncopied(fd, offset, bytes)) return;
#endif
  std::vector<std::uint8_t> unseen(std::min(bytes, kUnseenRead));
  for (std::size_t done = 0; done < bytes;) {
    const ReadOutcome read = read_at(fd, offset + done, unseen.data(), std::min(bytes - done, unseen.size()));
    if (read.bytes < unseen.size()) return;
    done += read.bytes;
  }
}

}  // namespace framelab
