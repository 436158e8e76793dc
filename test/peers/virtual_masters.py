"""Owns: virtual masters that h5py writes, through `load` on every backend: SHA-256 of each frame equals h5py's.

Must not know: how FrameLab reads mappings.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
from _node import run_node

LIBVERS = ["earliest", "v108", "v110", "v112", "latest"]
BSLZ4 = dict(hdf5plugin.Bitshuffle(cname="lz4"))
IMAGES, THRESHOLDS, HEIGHT, WIDTH = 5, 3, 12, 7
FILES = 4
PATH = "entry/data/data"


class Cases:
    def __init__(self, folder):
        self.folder = folder
        self.loads, self.expected = [], []

    def sources(self, stem, rng, leading, dtype="<u4"):
        """Data files of one shape; long names, which HDF5 2 stores once."""
        for number in range(FILES):
            with h5py.File(self.folder / f"{stem}_data_{number:06}.h5", "w") as file:
                frames = rng.poisson(3, (*leading, HEIGHT, WIDTH)).astype(dtype)
                frames.flat[number] = np.iinfo(dtype).max
                chunk = (*(1 for _ in leading), HEIGHT, WIDTH)
                file.create_dataset(PATH, data=frames, chunks=chunk, **BSLZ4)

    def add(self, path, frames, stored, options=None):
        """Expects `frames`, as h5py reads them through the virtual dataset, in the type of the sources."""
        exact = frames.astype(stored)
        assert (exact == frames).all()
        self.loads.append({"path": str(path), "options": {"scanShape": None, **(options or {})}})
        digests = [hashlib.sha256(np.ascontiguousarray(frame).tobytes()).hexdigest() for frame in exact]
        self.expected.append({"shape": list(exact.shape), "sha256": digests})

    def add_all(self, path, stored):
        with h5py.File(path) as file:
            frames = file[PATH][()]
        if frames.ndim == 3:
            self.add(path, frames, stored)
            return
        self.add(path, frames[:, 0], stored)
        for threshold in range(frames.shape[1]):
            self.add(path, frames[:, threshold], stored, {"threshold": threshold + 1})


def name(stem, number):
    return f"{stem}_data_{number:06}.h5"


def by_file(cases, rng, libver, dtype):
    """[images, thresholds, rows, cols] and [images, rows, cols], each file a run of images."""
    for leading in [(IMAGES, THRESHOLDS), (IMAGES,)]:
        stem = f"{libver}_{dtype}_{len(leading)}"
        cases.sources(stem, rng, leading)
        layout = h5py.VirtualLayout((FILES * IMAGES, *leading[1:], HEIGHT, WIDTH), dtype)
        for number in range(FILES):
            source = h5py.VirtualSource(name(stem, number), PATH, (*leading, HEIGHT, WIDTH))
            layout[number * IMAGES : (number + 1) * IMAGES] = source
        path = cases.folder / f"{stem}_master.h5"
        with h5py.File(path, "w", libver=(libver, "latest")) as file:
            file.create_virtual_dataset(PATH, layout, fillvalue=99)
        cases.add_all(path, "<u4")


def by_threshold(cases, rng, libver):
    """A file a threshold, flat files of all thresholds in turn, and a part of a file."""
    stem = f"{libver}_threshold"
    cases.sources(stem, rng, (IMAGES * 2,))
    shape = (IMAGES * 2, HEIGHT, WIDTH)
    layout = h5py.VirtualLayout((IMAGES * 2, THRESHOLDS, HEIGHT, WIDTH), "<u4")
    for threshold in range(THRESHOLDS):
        layout[:, threshold] = h5py.VirtualSource(name(stem, threshold), PATH, shape)
    path = cases.folder / f"{stem}_a_master.h5"
    with h5py.File(path, "w", libver=(libver, "latest")) as file:
        file.create_virtual_dataset(PATH, layout)
    cases.add_all(path, "<u4")

    layout = h5py.VirtualLayout((IMAGES, 2, HEIGHT, WIDTH), "<u4")
    flat = h5py.VirtualSource(name(stem, 0), PATH, shape)
    layout[:, 0] = flat[0::2]
    layout[:, 1] = flat[1::2]
    path = cases.folder / f"{stem}_b_master.h5"
    with h5py.File(path, "w", libver=(libver, "latest")) as file:
        file.create_virtual_dataset(PATH, layout)
    cases.add_all(path, "<u4")

    layout = h5py.VirtualLayout((6, HEIGHT, WIDTH), "<u8")
    layout[:4] = h5py.VirtualSource(name(stem, 1), PATH, shape)[3:7]
    layout[4:] = h5py.VirtualSource(name(stem, 1), PATH, shape)[0:2]
    path = cases.folder / f"{stem}_c_master.h5"
    with h5py.File(path, "w", libver=(libver, "latest")) as file:
        file.create_virtual_dataset(PATH, layout)
    cases.add_all(path, "<u4")


def same_file(cases, rng, libver):
    path = cases.folder / f"{libver}_same.h5"
    with h5py.File(path, "w", libver=(libver, "latest")) as file:
        layout = h5py.VirtualLayout((2 * IMAGES, HEIGHT, WIDTH), "<u2")
        for part in range(2):
            frames = rng.poisson(3, (IMAGES, HEIGHT, WIDTH)).astype("<u2")
            source = file.create_dataset(f"part{part}", data=frames, chunks=(1, HEIGHT, WIDTH), **BSLZ4)
            layout[part * IMAGES : (part + 1) * IMAGES] = h5py.VirtualSource(source)
        file.create_virtual_dataset(PATH, layout)
    cases.add_all(path, "<u2")


def unlimited(cases, rng, libver):
    """Files by number, and one growing file, with unlimited selections."""
    everything = h5py.h5s.UNLIMITED
    stem = f"{libver}_numbered"
    cases.sources(stem, rng, (IMAGES,))
    for number in range(FILES):
        (cases.folder / name(stem, number)).rename(cases.folder / f"{stem}_{number}.h5")
    source = h5py.h5s.create_simple((IMAGES, HEIGHT, WIDTH))
    grown = h5py.h5s.create_simple((IMAGES, HEIGHT, WIDTH), (everything, HEIGHT, WIDTH))
    numbered = grown.copy()
    numbered.select_hyperslab((0, 0, 0), (everything, 1, 1), (IMAGES, 1, 1), (IMAGES, HEIGHT, WIDTH))
    grown.select_hyperslab((0, 0, 0), (1, 1, 1), None, (everything, HEIGHT, WIDTH))
    for kind, file_name, space, selected in [
        ("numbered", f"{stem}_%b.h5", numbered, source),
        ("grown", f"{libver}_grown_data.h5", grown, grown),
    ]:
        if kind == "grown":
            with h5py.File(cases.folder / file_name, "w") as file:
                frames = rng.poisson(3, (13, HEIGHT, WIDTH)).astype("<u4")
                shape = (None, HEIGHT, WIDTH)
                file.create_dataset(PATH, data=frames, maxshape=shape, chunks=(1, HEIGHT, WIDTH), **BSLZ4)
        path = cases.folder / f"{libver}_{kind}_master.h5"
        with h5py.File(path, "w", libver=(libver, "latest")) as file:
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_virtual(space, file_name.encode(), PATH.encode(), selected)
            group = file.create_group("entry/data")
            h5py.h5d.create(group.id, b"data", h5py.h5t.NATIVE_UINT32, space, creation)
        cases.add_all(path, "<u4")


def main():
    rng = np.random.default_rng(31)
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(Path(folder))
        for libver in LIBVERS:
            for dtype in ["<u4", "<i8", ">u8", "<f8"]:
                by_file(cases, rng, libver, dtype)
            by_threshold(cases, rng, libver)
            same_file(cases, rng, libver)
            unlimited(cases, rng, libver)
        given, result = Path(folder) / "cases.json", Path(folder) / "result.json"
        given.write_text(json.dumps(cases.loads))
        run_node("load-frames", given, result)
        results = json.loads(result.read_text())
        return report(cases, results)


def report(cases, results):
    failures, checked = 0, 0
    for load, expected, backends in zip(cases.loads, cases.expected, results, strict=True):
        for got in backends:
            checked += 1
            if got.get("shape") != expected["shape"] or got.get("sha256") != expected["sha256"]:
                failures += 1
                print("differs:", load, got.get("shape"), got.get("error"), got["backend"])
    print(f"{checked} loads of {len(results)} virtual datasets and thresholds: {failures} differ")
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
