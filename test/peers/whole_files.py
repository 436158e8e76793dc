"""Owns: files that h5py and hdf5plugin write, through `load` on every backend: SHA-256 of each frame equals h5py's.

Must not know: how FrameLab reads files.
"""

import fcntl
import hashlib
import json
import sys
import tempfile
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
from _node import run_node

DTYPES = ["<u1", "<u2", "<u4", "<u8", "<i1", "<i2", "<i4", "<i8", "<f4", "<f8", ">u2", ">u4", ">i8", ">f4"]
LIBVERS = ["earliest", "v110", "latest"]
BSLZ4 = hdf5plugin.Bitshuffle(cname="lz4")
# Name, filter arguments of create_dataset.
FILTERS = {
    "bslz4": dict(BSLZ4),
    "bslz4 blocks of 512": dict(hdf5plugin.Bitshuffle(nelems=512, cname="lz4")),
    "bitshuffle alone": dict(hdf5plugin.Bitshuffle(cname="none")),
    "lz4": dict(hdf5plugin.LZ4()),
    "gzip": {"compression": "gzip", "shuffle": True},
    "bslz4 checksum": {**dict(BSLZ4), "fletcher32": True},
    "unfiltered": {},
}
# Frames, height, width, chunk.
SHAPES = [
    ((7, 192, 192), (1, 192, 192)),
    ((3, 229, 65), (1, 229, 65)),
    ((5, 13, 11), (2, 13, 11)),
    ((4, 40, 60), (3, 16, 32)),
    ((9, 3, 2), (1, 3, 2)),
]


def counts(rng, dtype, shape):
    if np.dtype(dtype).kind == "f":
        return rng.normal(size=shape).astype(dtype)
    values = rng.poisson(2.0, shape).astype(dtype)
    values[rng.random(shape) < 0.01] = np.iinfo(dtype).max
    return values


class Cases:
    def __init__(self, folder):
        self.folder = folder
        self.loads, self.expected = [], []

    def add(self, path, frames, options=None):
        native = frames.astype(frames.dtype.newbyteorder("<"))
        digests = [hashlib.sha256(frame.tobytes()).hexdigest() for frame in native]
        self.loads.append({"path": str(path), "options": {"scanShape": None, **(options or {})}})
        self.expected.append({"shape": list(frames.shape), "sha256": digests})

    def single(self, rng, dtype, shape, chunk, name, filters, libver):
        path = self.folder / f"{len(self.loads)}.h5"
        with h5py.File(path, "w", libver=libver) as file:
            written = file.create_dataset(
                "entry/data/data", data=counts(rng, dtype, shape), chunks=chunk, **filters
            )
            assert written.chunks == chunk, name
        with h5py.File(path) as file:
            self.add(path, file["entry/data/data"][()])

    def odd_file(self, rng, user_block, offset_bytes, libver):
        """A user block before the superblock, narrow offsets, and a group of so many members that it is dense."""
        path = self.folder / f"odd{len(self.loads)}.h5"
        creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
        creation.set_userblock(user_block)
        creation.set_sizes(offset_bytes, offset_bytes)
        access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        earliest = h5py.h5f.LIBVER_EARLIEST if libver == "earliest" else h5py.h5f.LIBVER_LATEST
        access.set_libver_bounds(earliest, h5py.h5f.LIBVER_LATEST)
        with h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, creation, access)) as file:
            frames = counts(rng, "<u2", (7, 20, 31))
            file.create_dataset("entry/data/data", data=frames, chunks=(1, 20, 31), **dict(BSLZ4))
            for number in range(40):
                file[f"entry/data/note{number}"] = number
                file["entry/data/data"].attrs[f"note{number}"] = "many attributes are dense too"
        self.add(path, frames)

    def master(self, rng, dtype, parts, libver):
        stem = f"master{len(self.loads)}"
        stack = counts(rng, dtype, (sum(parts), 30, 50))
        first = 0
        path = self.folder / f"{stem}_master.h5"
        with h5py.File(path, "w", libver=libver) as master:
            for number, frames in enumerate(parts, 1):
                data = f"{stem}_data_{number:06}.h5"
                with h5py.File(self.folder / data, "w", libver=libver) as file:
                    part = stack[first : first + frames]
                    file.create_dataset("entry/data/data", data=part, chunks=(1, 30, 50), **dict(BSLZ4))
                master[f"entry/data/data_{number:06}"] = h5py.ExternalLink(data, "/entry/data/data")
                first += frames
            master["entry/instrument/detector/detectorSpecific/ntrigger"] = len(stack)
            master["entry/instrument/detector/detectorSpecific/nimages"] = 1
        self.add(path, stack)
        chosen = [len(stack) - 1, 0, 2]
        self.add(path, stack[chosen], {"frames": chosen})


def main():
    rng = np.random.default_rng(20)
    with tempfile.TemporaryDirectory() as name:
        cases = Cases(Path(name))
        for number, dtype in enumerate(DTYPES):
            for each, filters in FILTERS.items():
                shape, chunk = SHAPES[number % len(SHAPES)]
                cases.single(rng, dtype, shape, chunk, each, filters, LIBVERS[number % 3])
        for shape, chunk in SHAPES:
            for libver in LIBVERS:
                cases.single(rng, "<u2", shape, chunk, "bslz4", FILTERS["bslz4"], libver)
        for libver in LIBVERS:
            cases.master(rng, "<u2", [5, 5, 3], libver)
            cases.master(rng, "<u4", [1] * 30, libver)
            for user_block, offset_bytes in [(0, 4), (512, 8), (4096, 4)]:
                cases.odd_file(rng, user_block, offset_bytes, libver)
        given, result = Path(name) / "cases.json", Path(name) / "result.json"
        given.write_text(json.dumps(cases.loads))
        # A writer's lock keeps nobody from reading: none is asked for.
        locked = [open(path, "rb") for path in Path(name).glob("*.h5")]
        for file in locked:
            fcntl.flock(file, fcntl.LOCK_EX)
        run_node("load-frames", given, result)
        for file in locked:
            file.close()
        results = json.loads(result.read_text())
    return report(cases, results)


def report(cases, results):
    failures, checked = 0, {}
    for load, expected, backends in zip(cases.loads, cases.expected, results, strict=True):
        for got in backends:
            checked[got["backend"]] = checked.get(got["backend"], 0) + 1
            # A backend asked for by name may refuse a filter; the reference runs every one.
            refused = got.get("error") == "BackendUnavailableError" and got["backend"] != "reference"
            exact = got.get("shape") == expected["shape"] and got.get("sha256") == expected["sha256"]
            if not (exact or refused):
                failures += 1
                print("differs:", load, got.get("error"), got["backend"])
    print(f"{len(results)} files and selections on {checked}: {failures} differ")
    return 1 if failures or not checked.get("reference") else 0


if __name__ == "__main__":
    sys.exit(main())
