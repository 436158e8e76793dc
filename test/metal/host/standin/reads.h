// Owns: what is known of the file reads of this binary's native code.
// Must not know: files, the host.
#pragma once

namespace standin {

struct Reads {
    long bytes;
    // Of them into memory that the device shares: no copy follows.
    long straight;
};
// Since the start. `pread` of everything linked with reads.cpp goes through it (-Wl,--wrap=pread,--wrap=pread64).
Reads reads();

}  // namespace standin
