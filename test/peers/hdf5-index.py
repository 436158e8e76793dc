"""Judges the chunk index reader against h5py: every index kind, grown, shrunk, sparse, masked, in odd files.

h5py writes the files and says where HDF5 finds each chunk (get_chunk_info); build/test/peers/hdf5-dump.js says what
FrameLab reads. Run from the repository's root by `npm run test:peers`.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

import h5py
import hdf5plugin
import numpy as np

DUMP = os.path.join("build", "test", "peers", "hdf5-dump.js")
LIBVERS = ["earliest", "v108", "v110", "v112", "v114", "v200", "latest"]
ALL_ONES = 2**64 - 1


class Cases:
    """Collects files to judge, each with the index kind that it must exercise (None: whatever HDF5 picked)."""

    def __init__(self, folder):
        self.folder = folder
        self.cases = []
        self.numbers = itertools.count()

    def path(self):
        return os.path.join(self.folder, f"case-{next(self.numbers):04}.h5")

    def add(self, name, path, dataset="d", kind=None):
        self.cases.append({"name": name, "file": path, "dataset": dataset, "kind": kind})


def low_level_file(path, version=None, offsets=None, user_block=0, istore_k=None):
    """A file with creation properties that h5py.File does not offer all of."""
    fcpl = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    if offsets:
        fcpl.set_sizes(*offsets)
    if user_block:
        fcpl.set_userblock(user_block)
    if istore_k and hasattr(fcpl, "set_istore_k"):
        fcpl.set_istore_k(istore_k)
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    low = {
        None: h5py.h5f.LIBVER_EARLIEST,
        "v110": h5py.h5f.LIBVER_V110,
        "latest": h5py.h5f.LIBVER_LATEST,
    }[version]
    fapl.set_libver_bounds(low, h5py.h5f.LIBVER_LATEST)
    return h5py.File(h5py.h5f.create(os.fsencode(path), h5py.h5f.ACC_TRUNC, fcpl=fcpl, fapl=fapl))


def fill(dataset, rng, share):
    """Writes a random share of the chunks, in random order, each with its own numbers."""
    grid = [-(-n // c) for n, c in zip(dataset.shape, dataset.chunks)]
    places = list(itertools.product(*map(range, grid)))
    rng.shuffle(places)
    for place in places[: max(1, int(len(places) * share))]:
        where = tuple(slice(p * c, (p + 1) * c) for p, c in zip(place, dataset.chunks))
        shape = dataset[where].shape
        dataset[where] = np.random.default_rng(rng.getrandbits(32)).integers(0, 200, shape, dtype="u2")


def small_grids(cases, rng):
    """Every libver, filter and maximum shape on small grids of one to three axes."""
    shapes = [
        ((5,), (2,)),
        ((7, 5), (2, 3)),
        ((6, 4, 4), (1, 4, 4)),
        ((5, 7, 3), (2, 2, 2)),
    ]
    filters = {"raw": {}, "gzip": {"compression": 1}, "bslz4": dict(hdf5plugin.Bitshuffle())}
    for libver in LIBVERS:
        for shape, chunks in shapes:
            bigger = tuple(2 * n + 3 for n in shape)
            maxima = {"fixed": shape, "roomy": bigger, "all": (None,) * len(shape)}
            for axis in range(len(shape)):
                maxima[f"axis{axis}"] = tuple(None if i == axis else n for i, n in enumerate(bigger))
            for filter_name, keywords in filters.items():
                for max_name, maximum in maxima.items():
                    path = cases.path()
                    with h5py.File(path, "w", libver=(libver, "latest")) as f:
                        d = f.create_dataset(
                            "d", shape, "u2", chunks=chunks, maxshape=maximum, fillvalue=7, **keywords
                        )
                        fill(d, rng, rng.choice([0.3, 0.7, 1.0]))
                    cases.add(f"{libver} {shape} {filter_name} max {max_name}", path)


def single_and_implicit(cases):
    for libver in ["v110", "latest"]:
        for name, keywords in {"raw": {}, "gzip": {"compression": 1}}.items():
            path = cases.path()
            with h5py.File(path, "w", libver=(libver, "latest")) as f:
                f.create_dataset("d", data=np.arange(60, dtype="u2").reshape(3, 4, 5), chunks=(3, 4, 5), **keywords)
                f.create_dataset("empty", (3, 4, 5), "u2", chunks=(3, 4, 5), **keywords)
            cases.add(f"{libver} single chunk {name}", path, kind="single-chunk")
            cases.add(f"{libver} single chunk {name} never written", path, "empty", kind="single-chunk")
        path = cases.path()
        with h5py.File(path, "w", libver=(libver, "latest")) as f:
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_chunk((1, 3, 4))
            plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            space = h5py.h5s.create_simple((9, 6, 8), (9, 10, 8))
            h5py.h5d.create(f.id, b"d", h5py.h5t.NATIVE_UINT16, space, dcpl=plist)
            f["d"][...] = 5
        cases.add(f"{libver} implicit", path, kind="implicit")


def many_chunks(cases, rng):
    """Grids where paging, super blocks and deep trees occur."""
    plans = [
        ("earliest", (30000, 2), (1, 2), (None, 2), "btree-v1"),
        ("v110", (30000, 2), (1, 2), (30000, 2), "fixed-array"),
        ("v110", (3000, 2), (1, 2), (70001, 2), "fixed-array"),
        ("v110", (60000, 2), (1, 2), (None, 2), "extensible-array"),
        ("v110", (40, 1200), (1, 1), (40, None), "extensible-array"),
        ("v110", (30, 40, 30), (1, 2, 1), (41, None, 33), "extensible-array"),
        ("v110", (30000, 2), (1, 2), (None, None), "btree-v2"),
        ("latest", (20, 30, 40), (1, 1, 1), (None, None, 40), "btree-v2"),
        ("latest", (20000, 2), (1, 2), (None, 2), "extensible-array"),
        # Data blocks of an extensible array are paged from slot 131,060 on.
        ("v110", (400000, 2), (1, 2), (None, 2), "extensible-array"),
        ("latest", (50, 8000), (1, 1), (50, None), "extensible-array"),
    ]
    for libver, shape, chunks, maximum, kind in plans:
        for filtered in [False, True]:
            for share in [1.0, 0.03] if np.prod(shape) < 200000 else [0.01, 0.0002]:
                path = cases.path()
                with h5py.File(path, "w", libver=(libver, "latest")) as f:
                    keywords = {"compression": 1} if filtered else {}
                    d = f.create_dataset("d", shape, "u1", chunks=chunks, maxshape=maximum, **keywords)
                    if share == 1.0 and not filtered:
                        d[...] = 3
                    else:
                        grid = [-(-n // c) for n, c in zip(shape, chunks)]
                        total = int(np.prod(grid))
                        numbers = range(total) if share == 1.0 else sorted(rng.sample(range(total), int(total * share)))
                        chunk_bytes = int(np.prod(chunks))
                        for n in numbers:
                            where = [int(i) * c for i, c in zip(np.unravel_index(n, grid), chunks)]
                            payload = (n * 2654435761 % 2**32).to_bytes(4, "big")
                            payload = payload[:chunk_bytes] if not filtered else payload + bytes(n % 9)
                            d.id.write_direct_chunk(where, payload, n % 2 if filtered else 0)
                cases.add(f"{kind} {shape} max {maximum} filtered {filtered} share {share}", path, kind=kind)


def grown_and_shrunk(cases, rng):
    for libver in LIBVERS:
        for axis, maximum in [(0, (None, 6)), (1, (12, None)), (0, (None, None)), (0, (400, 40))]:
            path = cases.path()
            with h5py.File(path, "w", libver=(libver, "latest")) as f:
                d = f.create_dataset("d", (4, 6), "u2", chunks=(1, 2), maxshape=maximum, compression=1)
                fill(d, rng, 1.0)
                for size in [40, 9, 170, 60]:
                    d.resize(size if axis == 0 or maximum[axis] is None else min(size, maximum[axis]), axis=axis)
                    fill(d, rng, 0.5)
            cases.add(f"{libver} grown and shrunk on axis {axis} max {maximum}", path)


def masks_and_sizes(cases):
    """write_direct_chunk: any filter mask and any stored size."""
    for libver in LIBVERS:
        for maximum in [(12, 16), (None, 16), (None, None)]:
            path = cases.path()
            with h5py.File(path, "w", libver=(libver, "latest")) as f:
                d = f.create_dataset(
                    "d", (12, 16), "u2", chunks=(1, 16), maxshape=maximum, shuffle=True, compression=1, fletcher32=True
                )
                for row in [0, 1, 2, 5, 7, 11]:
                    d.id.write_direct_chunk((row, 0), bytes(range(10 + row)), row)
            cases.add(f"{libver} masks max {maximum}", path)


def odd_files(cases, rng):
    for version in [None, "v110", "latest"]:
        for offsets in [(4, 4), (8, 8), (4, 8), (8, 4)]:
            for user_block in [0, 512, 2048]:
                path = cases.path()
                with low_level_file(path, version, offsets, user_block) as f:
                    for name, maximum in {"d": (9, 8), "e": (None, 8), "b": (None, None)}.items():
                        d = f.create_dataset(name, (9, 8), ">u2", chunks=(2, 4), maxshape=maximum, compression=1)
                        fill(d, rng, 0.6)
                    f.create_dataset("flat", data=np.arange(12, dtype="i4").reshape(3, 4))
                if user_block:
                    with open(path, "r+b") as raw:
                        raw.write(b"a user block ".ljust(user_block, b"."))
                # HDF5 loses "unlimited" in lengths of 4 bytes, and then cannot open its own extensible array.
                names = ["d", "b", "flat"] if version and offsets[1] == 4 else ["d", "e", "b", "flat"]
                for name in names:
                    cases.add(f"{version} sizes {offsets} user block {user_block}", path, name)
    for k in [1, 5, 200]:
        path = cases.path()
        with low_level_file(path, istore_k=k) as f:
            d = f.create_dataset("d", (600, 2), "u1", chunks=(1, 1), maxshape=(None, 2))
            d[...] = 1
        cases.add(f"version 1 B-tree K {k}", path, kind="btree-v1")


def not_chunked(cases):
    for libver in LIBVERS:
        path = cases.path()
        with h5py.File(path, "w", libver=(libver, "latest")) as f:
            f.create_dataset("d", data=np.arange(24, dtype="<f4").reshape(2, 3, 4))
            f.create_dataset("never", (2, 3, 4), ">f8", fillvalue=2.5)
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_layout(h5py.h5d.COMPACT)
            space = h5py.h5s.create_simple((2, 3, 4))
            h5py.h5d.create(f.id, b"compact", h5py.h5t.STD_I16BE, space, dcpl=plist)
            f["compact"][...] = np.arange(24).reshape(2, 3, 4)
            for i in range(40):
                f["d"].attrs[f"attribute {i}"] = "so that the header needs continuation blocks " * 3
        for name in ["d", "never", "compact"]:
            cases.add(f"{libver} {name}", path, name)


def refused(cases):
    """Layouts whose data lie in other files: the error says which."""
    for libver in ["earliest", "latest"]:
        path = cases.path()
        with h5py.File(path, "w", libver=(libver, "latest")) as f:
            source = f.create_dataset("source", data=np.zeros((4, 4), "u2"))
            layout = h5py.VirtualLayout((2, 4, 4), "u2")
            layout[0] = h5py.VirtualSource(source)
            f.create_virtual_dataset("v", layout)
            f.create_dataset("x", (4, 4), "u2", external=[("elsewhere.raw", 0, 32)])
        cases.add(f"{libver} virtual", path, "v", kind="refused: a virtual dataset")
        cases.add(f"{libver} external", path, "x", kind="refused: a list of external raw data files")


def expected_table(dataset):
    """Number of chunks, and chunk number -> (address, bytes, filter mask), as HDF5 lists them."""
    grid = [-(-n // c) for n, c in zip(dataset.shape, dataset.chunks)]
    table = {}

    def visit(info):
        place = [o // c for o, c in zip(info.chunk_offset, dataset.chunks)]
        inside = all(p < g for p, g in zip(place, grid))  # HDF5 also lists chunks beyond the present extent
        if inside and info.byte_offset is not None and info.byte_offset != ALL_ONES:
            number = int(np.ravel_multi_index(place, grid))
            table[number] = (info.byte_offset, info.size, info.filter_mask)

    dataset.id.chunk_iter(visit)
    return int(np.prod(grid)), table


def lists_wrong_places(dataset):
    """HDF5's chunk lists take an extensible array's slots for row-major chunk numbers: right for axis 0 only."""
    unlimited = [axis for axis, extent in enumerate(dataset.maxshape) if extent is None]
    return len(unlimited) == 1 and unlimited[0] > 0


def judge_by_reading(case, dataset, answer):
    """HDF5 reads every chunk's stored bytes; they are what lies at FrameLab's address."""
    grid = [-(-n // c) for n, c in zip(dataset.shape, dataset.chunks)]
    read = {}
    with open(case["file"], "rb") as raw:
        for (first, count), table in zip(case["ranges"], answer["tables"]):
            for i in range(count):
                number = first + i
                if number not in read:
                    place = [int(p) * c for p, c in zip(np.unravel_index(number, grid), dataset.chunks)]
                    try:
                        read[number] = dataset.id.read_direct_chunk(place)
                    except (ValueError, OSError, RuntimeError, MemoryError):
                        read[number] = None  # never written
                want, got = read[number], None
                if table["address"][i] is not None:
                    raw.seek(table["address"][i])
                    got = (table["filterMask"][i], raw.read(int(table["bytes"][i])))
                if want != got:
                    yield f"chunk {number} in range {first}+{count}: {got}, h5py reads {want}"
                    break


def judge(case, answer):
    """Problems of one case, as sentences."""
    if "refused" in answer:
        kind = case["kind"] or ""
        if not (kind.startswith("refused: ") and kind.removeprefix("refused: ") in answer["refused"]):
            yield answer["refused"]
        return
    facts = answer["facts"]
    with h5py.File(case["file"], "r") as f:
        d = f[case["dataset"]]
        layout = facts["layout"]
        unlimited = 2 ** (8 * facts["lengthBytes"]) - 1
        maximum = [None if extent == unlimited else extent for extent in d.maxshape]
        if facts["shape"] != list(d.shape) or facts["maxShape"] != maximum:
            yield f"shape {facts['shape']} max {facts['maxShape']}"
        if facts["fillValue"] != np.asarray(d.fillvalue, d.dtype).tobytes().hex():
            yield f"fill value {facts['fillValue']}"
        kind = layout["index"]["kind"] if layout["kind"] == "chunked" else layout["kind"]
        if case["kind"] and kind != case["kind"]:
            yield f"index kind {kind}, wanted {case['kind']}"
        if d.chunks is None:
            user_block = f.userblock_size
            offset = d.id.get_offset()
            with open(case["file"], "rb") as raw:
                if layout["address"] is None:
                    stored = None
                else:
                    raw.seek(layout["address"])
                    stored = raw.read(layout["bytes"])
            if offset is not None and layout["kind"] == "contiguous" and offset != layout["address"]:
                yield f"contiguous at {layout['address']}, h5py says {offset} (user block {user_block})"
            if stored is None and d.id.get_space_status() != h5py.h5d.SPACE_STATUS_NOT_ALLOCATED:
                yield "no address"
            if stored is not None and stored != d[...].tobytes():
                yield "other bytes"
            return
        if layout["chunkShape"] != list(d.chunks):
            yield f"chunk shape {layout['chunkShape']}"
        if lists_wrong_places(d) or int(np.prod(d.shape)) < 100:
            yield from judge_by_reading(case, d, answer)
        if lists_wrong_places(d):
            return
        total, expected = expected_table(d)
        for (first, count), table in zip(case["ranges"], answer["tables"]):
            for i in range(count):
                want = expected.get(first + i)
                got = (table["address"][i], table["bytes"][i], table["filterMask"][i])
                if (want or (None, 0, 0)) != got:
                    yield f"chunk {first + i} of {total} in range {first}+{count}: {got}, h5py says {want}"
                    break


def add_ranges(case, rng):
    """The whole grid and a few ranges of it."""
    with h5py.File(case["file"], "r") as f:
        d = f[case["dataset"]]
        case["ranges"] = []
        if d.chunks is None:
            return
        total = int(np.prod([-(-n // c) for n, c in zip(d.shape, d.chunks)]))
        if total <= 20000 or not lists_wrong_places(d):
            case["ranges"].append([0, total])
        for _ in range(4):
            first = rng.randrange(total)
            case["ranges"].append([first, rng.randint(1, min(total - first, 200))])
        case["ranges"].append([total - 1, 1])


def main():
    rng = random.Random(20260101)
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(folder)
        small_grids(cases, rng)
        single_and_implicit(cases)
        many_chunks(cases, rng)
        grown_and_shrunk(cases, rng)
        masks_and_sizes(cases)
        odd_files(cases, rng)
        not_chunked(cases)
        refused(cases)
        for case in cases.cases:
            add_ranges(case, rng)
        manifest = os.path.join(folder, "manifest.json")
        with open(manifest, "w") as out:
            json.dump(cases.cases, out)
        failures, kinds = 0, {}
        with subprocess.Popen(["node", DUMP, manifest], stdout=subprocess.PIPE, text=True) as node:
            for case, line in zip(cases.cases, node.stdout):
                answer = json.loads(line)
                layout = answer["facts"]["layout"] if "facts" in answer else {"kind": "refused"}
                kind = layout["index"]["kind"] if layout["kind"] == "chunked" else layout["kind"]
                kinds[kind] = kinds.get(kind, 0) + 1
                for problem in judge(case, answer):
                    failures += 1
                    print(f"{case['name']}: {problem}")
        if sum(kinds.values()) != len(cases.cases):
            failures += 1
            print(f"only {sum(kinds.values())} of {len(cases.cases)} datasets were read")
    print(f"hdf5-index: {len(cases.cases)} datasets, {failures} problems; {kinds}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
