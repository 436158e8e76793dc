# Owns: two things done to files by the system alone: reading them once, in order, and dropping them from its cache.
# Must not know: HDF5, the other contenders.
import json
import mmap
import os
import sys
import time

STEP = 4 << 20


def read(paths):
    """Bytes of all files and the milliseconds that reading them into one buffer takes."""
    # On a page, as files are in the system's cache: 16 bytes behind one, Zen 3 copies five times slower.
    buffer = mmap.mmap(-1, STEP)
    total = 0
    start = time.perf_counter()
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while count := file.readinto(buffer):
                total += count
    return total, (time.perf_counter() - start) * 1e3


def evict(paths):
    for path in paths:
        file = os.open(path, os.O_RDONLY)
        # Pages that were never written to disk cannot be dropped.
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def main():
    if sys.argv[1] == "evict":
        evict(sys.argv[2:])
        return
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        total, ms = read([*request["dataFiles"]])
        print(json.dumps({"ms": ms, "sum": total}), flush=True)


main()
