"""Owns: crop, flags, bin and narrow of h5py-written files: `load` on every backend against the same work in NumPy.

Must not know: how FrameLab transforms frames.
"""

import hashlib
import itertools
import json
import sys
import tempfile
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
from _node import run_node

BSLZ4 = hdf5plugin.Bitshuffle(cname="lz4")
MASK = "entry/instrument/detector/detectorSpecific/pixel_mask"
SENTINELS = {"u2": [2**16 - 1, 2**16 - 2], "u4": [2**32 - 1, 2**32 - 2]}
# Type of the file, chunk; the mask is left out of one.
FILES = [
    ("u1", (1, 61, 47), True),
    ("u2", (1, 61, 47), True),
    ("u2", (3, 20, 16), False),
    ("u4", (1, 61, 47), True),
    ("i2", (2, 61, 47), True),
    ("i8", (1, 61, 47), True),
    ("f4", (1, 61, 47), True),
]
SHAPE = (7, 61, 47)
CROPS = [None, ((3, 61), (5, 46)), ((60, 61), (0, 47))]
BINS = [None, 2, 4, 8]
TREATMENTS = [None, "zero", "median"]
DTYPES = [None, "u8", "u16"]


def counts(rng, kind):
    values = rng.poisson(3.0, SHAPE).astype(kind)
    if kind == "f4":
        return values + rng.integers(0, 4, SHAPE).astype(kind) / 4
    if kind == "i2":
        values -= 3
    for sentinel in SENTINELS.get(kind, []):
        values[rng.random(SHAPE) < 0.02] = sentinel
    return values


def pixel_mask(rng):
    mask = np.where(rng.random(SHAPE[1:]) < 0.05, rng.integers(1, 2**31, SHAPE[1:]), 0).astype("u4")
    mask[16:24] = 1  # A gap between modules: pixels without an unflagged neighbour.
    return mask


def neighbour_medians(frames, flags):
    """Median of the unflagged 8 neighbours, rounded down for integers; 0 where there is none."""
    values = np.where(flags, np.nan, frames.astype("f8"))
    padded = np.pad(values, [(0, 0), (1, 1), (1, 1)], constant_values=np.nan)
    rows, cols = frames.shape[1:]
    around = [
        padded[:, 1 + y : 1 + y + rows, 1 + x : 1 + x + cols]
        for y, x in itertools.product([-1, 0, 1], repeat=2)
        if (y, x) != (0, 0)
    ]
    stack = np.ma.masked_invalid(np.stack(around))
    medians = np.ma.median(stack, axis=0).filled(0)
    return medians if frames.dtype.kind == "f" else np.floor(medians)


def binned(frames, flags, bin):
    kind = frames.dtype
    wide = kind if kind.kind == "f" or kind.itemsize == 8 else np.dtype(f"{kind.kind}4")
    exact = np.where(flags, 0, frames.astype("f8" if kind.kind == "f" else "i8"))
    rows, cols = (np.arange(0, extent, bin) for extent in frames.shape[1:])
    return np.add.reduceat(np.add.reduceat(exact, rows, axis=1), cols, axis=2).astype(wide)


def narrowed(frames, flags, name):
    """None where a measured value does not fit."""
    narrow = np.dtype({"u8": "u1", "u16": "u2"}[name])
    if frames.dtype == narrow:
        return frames
    highest = np.iinfo(narrow).max - (2 if name == "u16" else 0)
    fits = (frames >= 0) & (frames <= highest) & (frames == np.floor(frames))
    if not np.all(fits | flags):
        return None
    result = np.where(fits, frames, np.iinfo(narrow).max)
    for below, sentinel in enumerate(SENTINELS.get(frames.dtype.str[1:], [])):
        result[~fits & (frames == sentinel)] = np.iinfo(narrow).max - below
    return result.astype(narrow)


def transformed(frames, mask, crop, treatment, bin, dtype):
    if crop:
        rows, cols = (slice(*each) for each in crop)
        frames, mask = frames[:, rows, cols], mask[rows, cols]
    kind = frames.dtype.str[1:]
    flags = np.isin(frames, SENTINELS.get(kind, [])) | (mask != 0)
    if treatment:
        values = 0 if treatment == "zero" else neighbour_medians(frames, flags)
        frames = np.where(flags, values, frames).astype(frames.dtype)
        flags = np.zeros_like(flags)
    if bin:
        frames = binned(frames, flags, bin)
        flags = np.zeros(frames.shape, bool)
    return narrowed(frames, flags, dtype) if dtype else frames


def options_of(crop, treatment, bin, dtype):
    options = {"scanShape": None}
    if crop:
        options["detector"] = {"rows": crop[0], "cols": crop[1]}
    given = {"flagged": treatment, "bin": bin, "dtype": dtype}
    return options | {name: value for name, value in given.items() if value}


def write_file(path, rng, kind, chunk, with_mask):
    mask = pixel_mask(rng)
    with h5py.File(path, "w") as file:
        file.create_dataset("entry/data/data", data=counts(rng, kind), chunks=chunk, **dict(BSLZ4))
        if with_mask:
            file[MASK] = mask
    with h5py.File(path) as file:
        return file["entry/data/data"][()], file[MASK][()] if with_mask else np.zeros_like(mask)


def main():
    rng = np.random.default_rng(7)
    loads, expected = [], []
    with tempfile.TemporaryDirectory() as name:
        for number, (kind, chunk, with_mask) in enumerate(FILES):
            path = Path(name) / f"{number}.h5"
            frames, mask = write_file(path, rng, kind, chunk, with_mask)
            for case in itertools.product(CROPS, TREATMENTS, BINS, DTYPES):
                loads.append({"path": str(path), "options": options_of(*case)})
                expected.append(transformed(frames, mask, *case))
        given, result = Path(name) / "cases.json", Path(name) / "result.json"
        given.write_text(json.dumps(loads))
        run_node("load-frames", given, result)
        results = json.loads(result.read_text())
    return report(loads, expected, results)


def report(loads, expected, results):
    failures, exact, refused = 0, {}, {}
    for load, want, backends in zip(loads, expected, results, strict=True):
        for got in backends:
            if want is None:
                right = got.get("error") == "OptionError"
            else:
                digests = [hashlib.sha256(frame.tobytes()).hexdigest() for frame in want]
                right = got.get("shape") == list(want.shape) and got.get("sha256") == digests
            seen = refused if want is None else exact
            seen[got["backend"]] = seen.get(got["backend"], 0) + 1
            if not right:
                failures += 1
                print("differs:", load, got["backend"], got.get("error"))
    print(f"{len(results)} transforms: exact on {exact}, refused on {refused}; {failures} differ")
    return 1 if failures or not exact.get("reference") or not refused.get("reference") else 0


if __name__ == "__main__":
    sys.exit(main())
