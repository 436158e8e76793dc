# Owns: h5py with hdf5plugin as a contender of the load bench, in one process and in several.
# Must not know: the other contenders.
import json
import multiprocessing
import sys
import time
from multiprocessing import resource_tracker, shared_memory

import h5py
import hdf5plugin  # noqa: F401  registers the filters
import numpy as np


def parts_of(request, count):
    """Splits all frames evenly: a list of (path, first in file, last in file, first in output) for each process."""
    parts = [[] for _ in range(count)]
    begin = 0
    for path, frames in zip(request["dataFiles"], request["filesOf"]):
        for i, part in enumerate(parts):
            first = max(begin, request["frames"] * i // count)
            last = min(begin + frames, request["frames"] * (i + 1) // count)
            if first < last:
                part.append((path, first - begin, last - begin, first))
        begin += frames
    return parts


def read(part, dataset, out):
    for path, first, last, target in part:
        with h5py.File(path, "r") as file:
            selected = np.s_[first:last]
            file[dataset].read_direct(out, selected, np.s_[target : target + last - first])


class Shared:
    """An array in memory that several processes see."""

    def __init__(self, shape):
        self.memory = shared_memory.SharedMemory(create=True, size=int(np.prod(shape)) * 2)
        self.array = np.ndarray(shape, np.uint16, self.memory.buf)

    def drop(self):
        self.array = None
        self.memory.close()
        self.memory.unlink()


def work(tasks, done):
    attached = None
    for part, dataset, name, shape in iter(tasks.get, None):
        if attached is None or attached.name != name:
            if attached is not None:
                attached.close()
            attached = shared_memory.SharedMemory(name=name)
        try:
            read(part, dataset, np.ndarray(shape, np.uint16, attached.buf))
            done.put(None)
        except Exception as error:
            done.put(str(error))


class Crew:
    """Processes that stay: their start is no part of a load."""

    def __init__(self, count):
        # Forked before h5py opens a file, with the filters registered; all share one tracker of shared memory, which
        # must run before them.
        resource_tracker.ensure_running()
        context = multiprocessing.get_context("fork")
        self.count = count
        self.done = context.SimpleQueue()
        self.tasks = [context.SimpleQueue() for _ in range(count)]
        for tasks in self.tasks:
            context.Process(target=work, args=(tasks, self.done), daemon=True).start()

    def load(self, request, shared):
        for tasks, part in zip(self.tasks, parts_of(request, self.count)):
            tasks.put((part, request["dataset"], shared.memory.name, shared.array.shape))
        failures = [text for text in (self.done.get() for _ in range(self.count)) if text]
        if failures:
            raise RuntimeError(failures[0])


class Loader:
    def __init__(self, processes):
        self.crew = Crew(processes) if processes > 1 else None
        self.kept = None

    def fresh(self, shape):
        return Shared(shape) if self.crew else np.empty(shape, np.uint16)

    def answer(self, request):
        shape = (request["frames"], request["height"], request["width"])
        reuse = request["output"] == "reused"
        if reuse and self.kept is None:
            self.kept = self.fresh(shape)
        start = time.perf_counter()
        out = self.kept if reuse else self.fresh(shape)
        if self.crew:
            self.crew.load(request, out)
        else:
            read(parts_of(request, 1)[0], request["dataset"], out)
        ms = (time.perf_counter() - start) * 1e3
        array = out.array if self.crew else out
        total = int(array.sum(dtype=np.uint64))
        del array
        if not reuse and self.crew:
            out.drop()
        return {"ms": ms, "sum": total}

    def drop(self):
        if self.kept is not None and self.crew:
            self.kept.drop()
        self.kept = None


def main():
    loader = Loader(int(sys.argv[1]))
    print(json.dumps({"ready": True}), flush=True)
    kept_for = None
    for line in sys.stdin:
        request = json.loads(line)
        if request["path"] != kept_for:
            loader.drop()
            kept_for = request["path"]
        try:
            print(json.dumps(loader.answer(request)), flush=True)
        except Exception as error:
            print(json.dumps({"failed": str(error).splitlines()[0]}), flush=True)
    loader.drop()


main()
