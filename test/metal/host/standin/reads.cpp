// Owns: counting the file reads of the host's native code, and where they put the bytes.
// Must not know: files, the host.
#include "reads.h"

#include <sys/types.h>

#include <atomic>

#include "faults.h"

namespace {

std::atomic<long> all{0}, straight{0};

ssize_t counted(void *to, ssize_t got) {
    if (got > 0) all += got;
    if (got > 0 && standin::is_shared(to, size_t(got))) straight += got;
    return got;
}

}  // namespace

standin::Reads standin::reads() { return {all, straight}; }

extern "C" {
ssize_t __real_pread(int, void *, size_t, off_t);
ssize_t __real_pread64(int, void *, size_t, off_t);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at) {
    return counted(to, __real_pread(fd, to, bytes, at));
}
ssize_t __wrap_pread64(int fd, void *to, size_t bytes, off_t at) {
    return counted(to, __real_pread64(fd, to, bytes, at));
}
}
