# Owns: h5py with imagecodecs as a contender of the load bench: chunks read as they are stored, decoded by threads.
# Must not know: the other contenders.
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import h5py
import imagecodecs
import numpy as np

HEADER = 12


def decode(stored, frame):
    """One chunk of filter 32008 into a frame: LZ4 block by block, then one bit-unshuffle. Both let other threads run."""
    bytes_ = int.from_bytes(stored[0:8], "big")
    block = int.from_bytes(stored[8:12], "big")
    planes = bytearray(bytes_)
    view = memoryview(planes)
    at = HEADER
    whole = bytes_ // block * block
    for first in range(0, whole, block):
        size = int.from_bytes(stored[at : at + 4], "big")
        imagecodecs.lz4_decode(stored[at + 4 : at + 4 + size], out=view[first : first + block])
        at += 4 + size
    if whole < bytes_:
        size_of = frame.dtype.itemsize
        last = (bytes_ - whole) // (8 * size_of) * 8 * size_of
        if last:
            size = int.from_bytes(stored[at : at + 4], "big")
            imagecodecs.lz4_decode(stored[at + 4 : at + 4 + size], out=view[whole : whole + last])
            at += 4 + size
        view[whole + last :] = stored[at:]
    item = frame.dtype.itemsize
    imagecodecs.bitshuffle_decode(planes, itemsize=item, blocksize=block // item, out=frame.reshape(-1).view(np.uint8))


def load(request, threads, out):
    first = 0
    for path, frames in zip(request["dataFiles"], request["filesOf"]):
        with h5py.File(path, "r") as file:
            dataset = file[request["dataset"]].id
            # HDF5 reads one chunk at a time whoever asks: chunks are read here and decoded by the threads.
            chunks = (memoryview(dataset.read_direct_chunk((i, 0, 0))[1]) for i in range(frames))
            list(threads.map(decode, chunks, out[first : first + frames]))
        first += frames


def main():
    threads = ThreadPoolExecutor(int(sys.argv[1]))
    kept = None
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        shape = (request["frames"], request["height"], request["width"])
        try:
            if request["output"] == "reused" and (kept is None or kept.shape != shape):
                kept = np.empty(shape, np.uint16)
            start = time.perf_counter()
            out = kept if request["output"] == "reused" else np.empty(shape, np.uint16)
            load(request, threads, out)
            ms = (time.perf_counter() - start) * 1e3
            print(json.dumps({"ms": ms, "sum": int(out.sum(dtype=np.uint64))}), flush=True)
        except Exception as error:
            print(json.dumps({"failed": str(error).splitlines()[0]}), flush=True)
        out = None


main()
