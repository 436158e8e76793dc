"""Owns: the demo acquisition as h5py and hdf5plugin read it: every frame exact, and the damaged one refused.

Must not know: how the demo is written, or FrameLab's own readers.
"""

import tempfile
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401  (registers the filters)
import numpy as np
from _node import run_node

DAMAGED = 37


def read(master: str, source: np.ndarray) -> list[int]:
    """Compares every frame behind the master's links; gives the frames that the C filter refuses."""
    refused = []
    with h5py.File(Path("demo") / master) as file:
        data = file["entry/data"]
        stacks = [data[name] for name in sorted(data)]
        assert [len(stack) for stack in stacks] == [86, 86, 84], [stack.shape for stack in stacks]
        assert all(stack.dtype == np.dtype("<u2") for stack in stacks)
        specific = file["entry/instrument/detector/detectorSpecific"]
        assert (specific["nimages"][()], specific["ntrigger"][()]) == (1, 256)
        places = [(stack, i) for stack in stacks for i in range(len(stack))]
        for frame, (stack, i) in enumerate(places):
            try:
                counts = stack[i]
            except OSError:
                refused.append(frame)
                continue
            assert np.array_equal(counts, source[frame]), f"{master}, frame {frame} differs"
    return refused


with tempfile.TemporaryDirectory() as folder:
    result = Path(folder) / "frames"
    run_node("write-demo-frames", result, result)
    frames = np.fromfile(result, "<u2").reshape(256, 192, 192)
assert read("demo_master.h5", frames) == []
assert read("damaged_master.h5", frames) == [DAMAGED]
print(f"256 frames exact twice, frame {DAMAGED} refused")
