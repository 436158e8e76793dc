"""Owns: a scan that is larger than the memory of the process that explores it, every value against NumPy on h5py's frames.

Must not know: how FrameLab streams, adds or holds frames.
"""

import base64
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np

SCAN, SIZE = (96, 100), (192, 192)
FRAMES = SCAN[0] * SCAN[1]
DISK = {"center": [95.5, 97.0], "radius": 30.5}
DAMAGED = [17, 5003]
DIFFERENT = 600
# The decoded scan is 708 MB; Node itself takes about 100 MB of these.
LIMIT_BYTES = 450 * 2**20
DETECTOR = "entry/instrument/detector/detectorSpecific"


def chunks_of(folder):
    """Stored chunks of different frames: a bright disk over sparse counts, dead pixels among them."""
    rng = np.random.default_rng(6)
    rows, cols = np.mgrid[: SIZE[0], : SIZE[1]]
    with h5py.File(folder / "chunks.h5", "w") as file:
        data = file.create_dataset("data", (DIFFERENT, *SIZE), "<u2", chunks=(1, *SIZE), **hdf5plugin.Bitshuffle())
        for i in range(DIFFERENT):
            center = 90 + 12 * rng.random(2)
            inside = (rows - center[0]) ** 2 + (cols - center[1]) ** 2 < 900
            frame = rng.poisson(np.where(inside, 0.4, 0.02)).astype("u2")
            frame[40, 41:44] = 2**16 - 1
            frame[rng.integers(0, 192), rng.integers(0, 192)] = 2**16 - 2
            data[i] = frame
        return [data.id.read_direct_chunk((i, 0, 0))[1] for i in range(DIFFERENT)]


def write(folder):
    """A master and three data files."""
    stored = chunks_of(folder)
    order = np.random.default_rng(7).integers(0, DIFFERENT, FRAMES)
    cuts = [0, 3000, 6500, FRAMES]
    master = folder / "large_master.h5"
    with h5py.File(master, "w") as file:
        for number, (first, end) in enumerate(zip(cuts, cuts[1:]), 1):
            name = f"large_data_{number:06d}.h5"
            with h5py.File(folder / name, "w") as part:
                data = part.create_dataset(
                    "entry/data/data", (end - first, *SIZE), "<u2", chunks=(1, *SIZE), **hdf5plugin.Bitshuffle()
                )
                for i in range(first, end):
                    chunk = stored[order[i]]
                    if i in DAMAGED:
                        # Literals that lead out of the block: the C filter refuses them, too.
                        chunk = chunk[:16] + b"\xff" * 44 + chunk[60:]
                    data.id.write_direct_chunk((i - first, 0, 0), chunk)
            file[f"entry/data/data_{number:06d}"] = h5py.ExternalLink(name, "/entry/data/data")
        file["entry/data"].attrs["scan_shape"] = np.array(SCAN, "i8")
        file[f"{DETECTOR}/nimages"] = np.uint64(1)
        file[f"{DETECTOR}/ntrigger"] = np.uint64(FRAMES)
    return master


def frames_of(master):
    """Every frame as h5py reads it; None for those that the C filter refuses."""
    with h5py.File(master) as file:
        group = file["entry/data"]
        for name in sorted(group):
            data = group[name]
            for i in range(len(data)):
                try:
                    yield data[i]
                except OSError:
                    yield None


class Judge:
    """NumPy's values, frame by frame: the judge has no room for the scan either."""

    def __init__(self, master):
        rows, cols = np.mgrid[: SIZE[0], : SIZE[1]]
        (y, x), radius = DISK["center"], DISK["radius"]
        mask = (rows - y) ** 2 + (cols - x) ** 2 < radius**2
        self.sha256 = []
        self.disk = np.full(FRAMES, np.nan)
        self.com = np.full((FRAMES, 2), np.nan)
        self.sum = np.zeros(SIZE, np.int64)
        count = np.zeros(SIZE, np.int64)
        self.max = np.full(SIZE, np.nan)
        for i, frame in enumerate(frames_of(master)):
            self.sha256.append(None if frame is None else hashlib.sha256(frame.tobytes()).hexdigest())
            if frame is None:
                continue
            good = frame < 2**16 - 2
            values = np.where(good, frame, 0).astype(np.int64)
            inside = values * mask
            self.disk[i] = inside.sum()
            self.com[i] = (inside * rows).sum() / inside.sum(), (inside * cols).sum() / inside.sum()
            self.sum += values
            count += good
            self.max = np.fmax(self.max, np.where(good, frame, np.nan))
        self.sum = np.where(count > 0, self.sum, np.nan)
        self.mean = np.divide(self.sum, count, out=np.full(SIZE, np.nan), where=count > 0)

    def check(self, results):
        for name, found in results.items():
            wanted = getattr(self, name)
            if name in ("disk", "com"):
                wanted = wanted.reshape(*SCAN, *wanted.shape[1:])
            values = np.frombuffer(base64.b64decode(found["base64"]), "f8").reshape(found["shape"])
            assert values.shape == wanted.shape, (name, values.shape)
            assert np.array_equal(values, wanted, equal_nan=True), name


def explore(folder, master):
    given, result = folder / "given.json", folder / "result.json"
    given.write_text(json.dumps({"path": str(master), "disk": DISK}))
    # Private memory, which is what a process allocates; Node reserves more addresses than it ever uses.
    limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (LIMIT_BYTES, LIMIT_BYTES))  # noqa: E731
    script = Path("build") / "test" / "peers" / "larger-than-memory.js"
    subprocess.run(["node", str(script), str(given), str(result)], check=True, preexec_fn=limit)
    return json.loads(result.read_text())


with tempfile.TemporaryDirectory() as name:
    path = write(Path(name))
    found = explore(Path(name), path)
    judge = Judge(path)

decoded = FRAMES * SIZE[0] * SIZE[1] * 2
assert decoded > LIMIT_BYTES
if sys.platform == "linux":  # Other systems do not hold a process to this limit.
    assert found["whole"] == "MemoryLimitError", found["whole"]
assert found["shape"] == [*SCAN, *SIZE]
assert [i for i, sha in enumerate(judge.sha256) if sha is None] == DAMAGED
assert sorted(found["damaged"]) == DAMAGED
assert found["streamed"] == judge.sha256
assert found["read"] == judge.sha256
for kind in ("reduced", "summed", "held"):
    judge.check(found[kind])
assert found["peakKilobytes"] * 1024 < decoded
print(
    f"{FRAMES} frames, {decoded / 1e6:.0f} MB, stored in {found['stored'] / 1e6:.0f} MB, explored exactly within "
    f"{LIMIT_BYTES / 1e6:.0f} MB of private memory; {found['peakKilobytes'] / 1e3:.0f} MB resident at most"
)
