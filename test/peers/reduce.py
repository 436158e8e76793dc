"""Owns: reductions of h5py-written files, from paths, loaded and encoded frames, against NumPy on h5py's frames.

Must not know: how FrameLab reduces frames.
"""

import base64
import hashlib
import json
import sys
import tempfile
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
from _node import run_node

DETECTOR = "entry/instrument/detector/detectorSpecific"
SENTINELS = {"u2": [2**16 - 1, 2**16 - 2], "u4": [2**32 - 1, 2**32 - 2]}
SCAN, SIZE = (4, 6), (37, 50)
FRAMES = SCAN[0] * SCAN[1]
DISK = {"center": [18.0, 24.5], "radius": 9.5}
ANNULUS = {"center": [18.0, 24.5], "inner": 9.5, "outer": 16.0}
# Type and byte order of the file, chunk.
FILES = [
    ("<u1", (1, 37, 50)),
    ("<u2", (1, 37, 50)),
    (">u2", (3, 16, 32)),
    ("<u4", (1, 37, 50)),
    ("<u4", (2, 37, 50)),
    ("<u8", (1, 37, 50)),
    ("<i1", (1, 37, 50)),
    (">i2", (1, 37, 50)),
    ("<i4", (5, 20, 25)),
    ("<i8", (1, 37, 50)),
    ("<f4", (1, 37, 50)),
    (">f8", (1, 37, 50)),
]


def native(kind):
    return np.dtype(kind).newbyteorder("=")


def counts(rng, kind):
    """Values over the whole range of the type, so that sums pass 2^32 and 2^53 where they can."""
    dtype = native(kind)
    if dtype.kind == "f":
        values = rng.gamma(2.0, 3.0, (FRAMES, *SIZE)).astype(dtype)
        values[rng.random(values.shape) < 0.02] = np.nan
        values[rng.random(values.shape) < 0.01] = np.inf
        return values
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, (FRAMES, *SIZE), dtype, endpoint=True)
    for sentinel in SENTINELS.get(dtype.str[1:], []):
        values[rng.random(values.shape) < 0.02] = sentinel
        values[:, 5, 5] = sentinel  # A pixel that was never measured.
    return values


def pixel_mask(rng):
    return np.where(rng.random(SIZE) < 0.03, rng.integers(1, 2**31, SIZE), 0).astype("u4")


def measured(frames, mask):
    good = np.broadcast_to(mask == 0, frames.shape).copy()
    if frames.dtype.kind == "f":
        return good & np.isfinite(frames)
    for sentinel in SENTINELS.get(frames.dtype.str[1:], []):
        good &= frames != sentinel
    return good


def to_float(value):
    """An exact total, rounded once."""
    return float(value)


def total(frames, good, axis):
    """Sums of what was measured: exact Python integers for integer types; NaN where nothing was."""
    if frames.dtype.kind == "f":
        sums = np.where(good, frames, 0).sum(axis=axis, dtype="f8")
    else:
        exact = np.where(good, frames, 0).astype(object).sum(axis=axis)
        sums = np.vectorize(to_float, otypes="d")(exact)
    return np.where(good.sum(axis=axis) > 0, sums, np.nan)


def mean_pattern(frames, good):
    with np.errstate(invalid="ignore", divide="ignore"):
        return total(frames, good, 0) / good.sum(axis=0)


def max_pattern(frames, good):
    lowest = -np.inf if frames.dtype.kind == "f" else np.iinfo(frames.dtype).min
    largest = np.where(good, frames, frames.dtype.type(lowest)).max(axis=0)
    return np.where(good.any(axis=0), largest.astype("f8"), np.nan)


def center_of_mass(frames, good):
    weights = np.where(good, frames, 0).astype("f8")
    rows, cols = np.indices(SIZE)
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = weights.sum(axis=(1, 2))
        return np.stack([(weights * at).sum(axis=(1, 2)) / sums for at in (rows, cols)], axis=-1)


def distance2(center):
    rows, cols = np.indices(SIZE)
    return (rows - center[0]) ** 2 + (cols - center[1]) ** 2


def expected(frames, mask, image, lost):
    good = measured(frames, mask)
    disk = distance2(DISK["center"]) < DISK["radius"] ** 2
    ring = (distance2(ANNULUS["center"]) >= ANNULUS["inner"] ** 2) & (
        distance2(ANNULUS["center"]) < ANNULUS["outer"] ** 2
    )
    kept = np.setdiff1d(np.arange(FRAMES), lost)
    by_frame = {
        "disk": total(frames, good & disk, (1, 2)),
        "annulus": total(frames, good & ring, (1, 2)),
        "image": total(frames, good & (image != 0), (1, 2)),
        "com": center_of_mass(frames, good),
        "comDisk": center_of_mass(frames, good & disk),
    }
    for values in by_frame.values():
        values[lost] = np.nan
    scanned = {name: values.reshape(*SCAN, *values.shape[1:]) for name, values in by_frame.items()}
    patterns = {
        "sum": total(frames[kept], good[kept], 0),
        "mean": mean_pattern(frames[kept], good[kept]),
        "max": max_pattern(frames[kept], good[kept]),
    }
    return scanned | patterns


class Cases:
    def __init__(self, folder):
        self.folder, self.given, self.wanted = folder, [], []

    def add(self, rng, kind, chunk, lost=()):
        """A file of its own; `lost` frames are damaged (one a chunk)."""
        path = self.folder / f"{len(self.given)}.h5"
        values, mask = counts(rng, kind), pixel_mask(rng)
        with h5py.File(path, "w") as file:
            stored = file.create_dataset(
                "entry/data/data",
                data=values.astype(kind),
                chunks=chunk,
                **hdf5plugin.Bitshuffle(cname="lz4"),
            )
            file["entry/data"].attrs["scan_shape"] = SCAN
            file[f"{DETECTOR}/pixel_mask"] = mask
            for frame in lost:
                place = stored.id.get_chunk_info_by_coord((frame, 0, 0))
                self.spoil(path, file, place)
        with h5py.File(path) as file:
            whole = [i for i in range(FRAMES) if i not in lost]
            frames = np.zeros((FRAMES, *SIZE), native(kind))
            frames[whole] = file["entry/data/data"][whole]
        image = rng.integers(0, 2, SIZE)
        self.given.append(
            {"path": str(path), "options": {}, "disk": DISK, "annulus": ANNULUS, "image": image.tolist()}
        )
        digests = [hashlib.sha256(frame.tobytes()).hexdigest() for frame in frames]
        self.wanted.append((kind, expected(frames, mask, image, list(lost)), list(lost), digests))

    @staticmethod
    def spoil(path, file, place):
        file.flush()
        with open(path, "r+b") as raw:
            raw.seek(place.byte_offset + 12)  # The length of the first block.
            raw.write(b"\xff" * 4)


def differs(name, kind, got, wanted):
    array = np.frombuffer(base64.b64decode(got["base64"]), "f8").reshape(got["shape"])
    if array.shape != wanted.shape:
        return f"shape {array.shape} for {wanted.shape}"
    # Floats, and the quotients of moments, depend on the order of adding; everything else is exact.
    if np.dtype(kind).kind == "f" or name.startswith("com"):
        # Signed values cancel: a quotient is as exact as its sum.
        same = np.isclose(array, wanted, rtol=1e-9, atol=0, equal_nan=True)
        if name.startswith("com") and np.dtype(kind).kind == "i":
            same |= np.isclose(array, wanted, rtol=1e-6)
    else:
        same = (array == wanted) | (np.isnan(array) & np.isnan(wanted))
    return None if same.all() else f"{(~same).sum()} of {same.size} values"


def report(cases, results):
    failures, checked = 0, {}
    for given, (kind, wanted, lost, digests), own in zip(cases.given, cases.wanted, results, strict=True):
        for result in own:
            key = f"{result['backend']} {result['source']}"
            checked[key] = checked.get(key, 0) + 1
            faults = {name: differs(name, kind, result["arrays"][name], wanted[name]) for name in wanted}
            if result["damaged"] != lost or result["missing"]:
                faults["lost"] = f"{result['damaged']} for {lost}"
            if result["source"] == "encoded" and result["sha256"] != digests:
                faults["frames"] = "SHA-256"
            for name, fault in faults.items():
                if fault:
                    failures += 1
                    print("differs:", given["path"], kind, key, name, fault)
    print(f"{len(results)} files on {checked}: {failures} results differ")
    return 1 if failures or not checked.get("reference encoded") else 0


def main():
    rng = np.random.default_rng(6)
    with tempfile.TemporaryDirectory() as name:
        cases = Cases(Path(name))
        for kind, chunk in FILES:
            cases.add(rng, kind, chunk)
        cases.add(rng, "<u2", (1, *SIZE), lost=(3, 17))
        cases.add(rng, "<u4", (1, *SIZE), lost=(0, 23))
        given, result = Path(name) / "cases.json", Path(name) / "result.json"
        given.write_text(json.dumps(cases.given))
        run_node("reduce-files", given, result)
        results = json.loads(result.read_text())
    return report(cases, results)


if __name__ == "__main__":
    sys.exit(main())
