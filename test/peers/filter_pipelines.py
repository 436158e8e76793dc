"""Owns: chunks that h5py and hdf5plugin wrote through every decoded filter pipeline, against the arrays they hold.

Must not know: how FrameLab lowers or decodes a filter.
"""

import base64
import json
import sys
import tempfile
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401  registers the filters
import numpy as np
from _node import run_node

BITSHUFFLE, LZ4 = 32008, 32004
DTYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"]
COUNTS = [1, 7, 8, 9, 100, 4096, 5003, 20000]


# Filters of each pipeline, in writing order, as calls of the dataset creation list.
PIPELINES: dict[str, list[tuple]] = {
    "none": [],
    "bitshuffle, client data of 3": [("filter", BITSHUFFLE, ())],
    "bitshuffle, no compression": [("filter", BITSHUFFLE, (0, 0))],
    "bitshuffle, blocks of 64, no compression": [("filter", BITSHUFFLE, (64, 0))],
    "bitshuffle+LZ4": [("filter", BITSHUFFLE, (0, 2))],
    "bitshuffle+LZ4, blocks of 512": [("filter", BITSHUFFLE, (512, 2))],
    "bitshuffle+LZ4, level": [("filter", BITSHUFFLE, (0, 2, 0))],
    "bitshuffle+LZ4 behind a checksum": [("filter", BITSHUFFLE, (0, 2)), ("fletcher32",)],
    "bitshuffle, then deflate": [("filter", BITSHUFFLE, (0, 0)), ("deflate", 4)],
    "bitshuffle, then LZ4": [("filter", BITSHUFFLE, (128, 0)), ("filter", LZ4, (1024,))],
    "LZ4": [("filter", LZ4, ())],
    "LZ4, blocks of 1000 bytes": [("filter", LZ4, (1000,))],
    "deflate": [("deflate", 1)],
    "shuffle, deflate": [("shuffle",), ("deflate", 6)],
    "shuffle, deflate, checksum": [("shuffle",), ("deflate", 6), ("fletcher32",)],
    "checksum": [("fletcher32",)],
    "shuffle, LZ4, checksum": [("shuffle",), ("filter", LZ4, ()), ("fletcher32",)],
    "checksum, then deflate": [("fletcher32",), ("deflate", 2)],
}


def values(rng: np.random.Generator, dtype: np.dtype, count: int) -> np.ndarray:
    if dtype.kind == "f":
        return rng.normal(size=count).astype(dtype)
    counts = rng.poisson(2.0, count).astype(dtype)
    counts[rng.random(count) < 0.05] = np.iinfo(dtype).max
    return counts


def write(file: h5py.File, name: str, data: np.ndarray, filters: list[tuple]) -> h5py.Dataset:
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(data.shape)
    for call, *arguments in filters:
        if call == "filter":
            plist.set_filter(arguments[0], h5py.h5z.FLAG_MANDATORY, arguments[1])
        else:
            getattr(plist, f"set_{call}")(*arguments)
    space = h5py.h5s.create_simple(data.shape)
    dataset = h5py.Dataset(h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(data.dtype), space, plist))
    dataset[...] = data
    return dataset


def chunk_case(dataset: h5py.Dataset) -> dict:
    plist = dataset.id.get_create_plist()
    filters = [plist.get_filter(i) for i in range(plist.get_nfilters())]
    mask, stored = dataset.id.read_direct_chunk((0,))
    dtype = dataset.dtype
    return {
        "dtype": f"{dtype.kind}{8 * dtype.itemsize}",
        "littleEndian": dtype.byteorder != ">",
        "chunkElements": dataset.size,
        "filters": [{"id": f[0], "name": f[3].decode(), "values": list(f[2])} for f in filters],
        "filterMask": mask,
        "stored": base64.b64encode(stored).decode(),
    }


def make_cases(folder: Path) -> tuple[list[dict], list[tuple[str, bytes]]]:
    rng = np.random.default_rng(7)
    cases, expected = [], []
    with h5py.File(folder / "pipelines.h5", "w") as file:
        for code in DTYPES:
            for order in "<>" if code[1] != "1" else "<":
                dtype = np.dtype(order + code)
                for pipeline, filters in PIPELINES.items():
                    for count in COUNTS:
                        name = f"{dtype.str} {count} {pipeline}"
                        data = values(rng, dtype, count)
                        cases.append(chunk_case(write(file, name, data, filters)))
                        expected.append((name, data.astype(dtype.newbyteorder("<")).tobytes()))
    return cases, expected


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases, expected = make_cases(folder)
        given, result = folder / "cases.json", folder / "results.json"
        given.write_text(json.dumps(cases))
        run_node("decode-chunks", given, result)
        results = json.loads(result.read_text())
    failed = 0
    for (name, data), found in zip(expected, results, strict=True):
        if found["reasons"] or base64.b64decode(found["bytes"]) != data:
            failed += 1
            print(f"differs: {name}: {found['reasons'] or 'other bytes'}")
    lists = sorted({len(f["values"]) for case in cases for f in case["filters"] if f["id"] == BITSHUFFLE})
    print(f"{len(cases)} chunks of h5py {h5py.__version__}, hdf5plugin {hdf5plugin.version}: {failed} differ")
    print("client data lengths of bitshuffle:", lists)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
