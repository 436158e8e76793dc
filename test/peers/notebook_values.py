"""Owns: the named values of the repository's notebooks, each against NumPy on h5py's frames.

Must not know: how FrameLab gets them. The notebooks themselves are compared with the same expectations elsewhere.
"""

import hashlib
import json
import subprocess
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401  registers the filters
import numpy as np

EXPECTED = Path("test") / "notebooks" / "expected"
CENTER = (96, 96)


def frames_of(master):
    with h5py.File(master) as file:
        group = file["entry/data"]
        return np.concatenate([group[name][()] for name in sorted(group)])


def values_of(notebook):
    cells = json.loads((EXPECTED / f"{notebook}.json").read_text())["cells"]
    return {name: found["value"] for cell in cells for name, found in cell["values"].items()}


def judge(notebook, wanted):
    found = values_of(notebook)
    assert sorted(found) == sorted(wanted), (notebook, sorted(found))
    for name, value in wanted.items():
        if isinstance(value, np.ndarray):
            array = found[name]["$array"]
            assert array["dtype"] == f"{value.dtype.kind}{8 * value.dtype.itemsize}", (name, array["dtype"])
            assert array["shape"] == list(value.shape), (name, array["shape"])
            assert array["sha256"] == hashlib.sha256(value.tobytes()).hexdigest(), name
        else:
            assert found[name] == value, (name, found[name], value)
    return len(wanted)


def explored(frames):
    """What 03-explore-a-scan computes: a scan of 48 x 48 positions."""
    rows, cols = np.mgrid[:192, :192]
    square = (rows - CENTER[0]) ** 2 + (cols - CENTER[1]) ** 2
    counts = frames.astype(np.int64)
    scan = (48, 48)

    def image(mask):
        return (counts * mask).sum(axis=(1, 2))

    inside = counts * (square < 40**2)
    total = inside.sum(axis=(1, 2))
    com = [(inside * rows).sum(axis=(1, 2)) / total, (inside * cols).sum(axis=(1, 2)) / total]
    grid = frames.reshape(*scan, 192, 192)
    growing = [image(square < radius**2).sum() / len(frames) for radius in range(5, 50, 5)]
    return {
        "every fourth position of the middle": np.ascontiguousarray(grid[12:36:4, 12:36:4]),
        "counts of each frame": counts.sum(axis=(1, 2)).astype("f8"),
        "mean pattern": counts.sum(axis=0) / len(frames),
        "bright field": image(square < 30**2).reshape(scan).astype("f8"),
        "dark field": image((square >= 40**2) & (square < 90**2)).reshape(scan).astype("f8"),
        "centre of mass": np.stack(com, axis=-1).reshape(*scan, 2),
        "one pixel": int(grid[24, 24, 96, 96]),
        "one pattern": np.ascontiguousarray(grid[24, 24]),
        "means inside growing disks": np.array(growing),
    }


subprocess.run(["node", "scripts/make-demo.mjs", "--large"], check=True, stdout=subprocess.DEVNULL)
demo = Path("demo")
judged = judge("03-explore-a-scan", explored(frames_of(demo / "large_master.h5")))
digest = hashlib.sha256(frames_of(demo / "demo_master.h5").tobytes()).hexdigest()
judged += judge("04-compare-backends", {"digest": digest})
print(f"{judged} named values of the notebooks are NumPy's")
