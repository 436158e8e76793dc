# Owns: h5py with NumPy as a contender of the streams bench, doing what FrameLab does, and a plain read of the bytes.
# Must not know: the other contenders.
import json
import sys
import time

import h5py
import hdf5plugin  # noqa: F401  registers the filters
import numpy as np

BATCH_FRAMES = 512
READ_BYTES = 8 * 2**20


class Clock:
    """Adding for the check is not timed where it is no part of the work."""

    def __init__(self):
        self.ms = 0.0

    def time(self, work):
        start = time.perf_counter()
        result = work()
        self.ms += (time.perf_counter() - start) * 1e3
        return result


def batches(request, clock):
    for path in request["dataFiles"]:
        with clock.time(lambda path=path: h5py.File(path, "r")) as file:
            data = file[request["dataset"]]
            for first in range(0, len(data), BATCH_FRAMES):
                yield clock.time(lambda first=first: data[first : first + BATCH_FRAMES])


def stream(request, clock):
    return sum(int(batch.sum(dtype=np.uint64)) for batch in batches(request, clock)), {}


def reduce(request, clock):
    rows, cols = np.mgrid[: request["height"], : request["width"]]
    (row, col), radius = request["center"], request["radius"]
    mask = (rows - row) ** 2 + (cols - col) ** 2 < radius**2
    pattern = np.zeros((request["height"], request["width"]), np.uint64)
    images = []

    def add(batch):
        pattern[...] += batch.sum(axis=0, dtype=np.uint64)
        images.append(batch[:, mask].sum(axis=1, dtype=np.uint64))

    for batch in batches(request, clock):
        clock.time(lambda batch=batch: add(batch))
    image = np.concatenate(images)
    weighted = int((image * np.arange(1, len(image) + 1, dtype=np.uint64)).sum())
    return int(pattern.sum()), {"image": weighted}


def encoded(request, clock):
    total = 0
    for path in request["dataFiles"]:
        # The file's bytes in memory, read when it is opened.
        with h5py.File(path, "r", driver="core", backing_store=False) as file:
            data = file[request["dataset"]]
            for i in range(len(data)):
                total += int(clock.time(lambda i=i: data[i]).sum(dtype=np.uint64))
    return total, {}


def read(request, clock):
    """The stored bytes of the data files into the same memory again; nothing is decoded, so nothing can be added."""
    memory = memoryview(bytearray(READ_BYTES))
    for path in request["dataFiles"]:
        with open(path, "rb", buffering=0) as file:
            while clock.time(lambda file=file: file.readinto(memory)):
                pass
    return request["sum"], {}


# Checking a file with h5py is reading it.
WORKS = {"stream": stream, "verify": stream, "reduce": reduce, "encoded": encoded, "read": read}

print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    clock = Clock()
    try:
        total, facts = WORKS[request["output"]](request, clock)
        print(json.dumps({"ms": clock.ms, "sum": total, "facts": facts}), flush=True)
    except Exception as error:
        print(json.dumps({"failed": str(error).splitlines()[0]}), flush=True)
