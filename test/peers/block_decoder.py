"""Owns: the reference's LZ4 block decoder against liblz4's safe one, with exactly the differences that are meant.

Must not know: chunks, bit planes, how the reference decodes.

liblz4 1.9.4 accepts a match offset of 0, which the reference refuses. The reference accepts, when the block is exactly
full, four ends that liblz4 refuses: right behind a match, a last run of fewer than 5 literals behind a match, an empty
last sequence (a run of none), and a match that starts in the last 12 bytes of the block.
"""

import base64
import json
import random
import struct
import sys
import tempfile
from collections import Counter
from pathlib import Path

import lz4
import lz4.block
from _node import run_node

CASES = 60_000
BOUNDS = {
    "literal-length-overrun", "literals-past-stream", "literals-past-block", "offset-truncated", "offset-zero",
    "offset-before-block", "match-length-overrun", "match-past-block", "wrong-size",
}  # fmt: skip
# Differences that are meant, with how many of the cases at least must show each: a class nobody meets proves nothing.
LEAST_SEEN = {
    "liblz4 takes offset 0": 100,
    "ends right behind a match": 100,
    "short last run": 100,
    "empty last sequence": 100,
    "match in the last 12 bytes": 100,
}


def extension(length: int) -> bytes:
    if length < 15:
        return b""
    return b"\xff" * ((length - 15) // 255) + bytes([(length - 15) % 255])


def sequence(literals: bytes, offset: int | None = None, match: int = 4) -> bytes:
    code = 0 if offset is None else match - 4
    token = bytes([min(len(literals), 15) << 4 | min(code, 15)])
    head = token + extension(len(literals)) + literals
    return head if offset is None else head + struct.pack("<H", offset) + extension(code)


def source_bytes(rng: random.Random, size: int) -> bytes:
    """What a block of bit planes looks like: runs of zeros, repeats, some noise."""
    out = bytearray()
    while len(out) < size:
        kind = rng.random()
        if kind < 0.4:
            out += bytes(rng.randrange(1, 200))
        elif kind < 0.7 and out:
            start = rng.randrange(len(out))
            out += out[start : start + rng.randrange(1, 60)]
        else:
            out += rng.randbytes(rng.randrange(1, 30))
    return bytes(out[:size])


def crafted(rng: random.Random, size: int) -> bytes:
    """Sequences that obey the format's lengths, with free ends and offsets that are mostly right."""
    out, written = b"", 0
    while True:
        literals = rng.randbytes(min(rng.choice([0, 0, 1, 2, 4, 5, 14, 15, 16, 300]), size - written))
        written += len(literals)
        room = size - written
        if room < 4 or rng.random() < 0.1:
            last = rng.random()
            if last < 0.5:
                literals += rng.randbytes(room)
            return out + (b"" if not literals and last > 0.7 else sequence(literals))
        kind = rng.random()
        match = rng.choice([4, 5, 8, 18, 19, 20, 273, 274, room, max(4, room - rng.randrange(7))])
        match = match if kind < 0.03 else min(match, room)
        offset = 0 if kind > 0.97 else rng.randrange(1, max(2, written + (2 if kind > 0.95 else 0)))
        out += sequence(literals, offset, match)
        written += match
        if written > size or written == size and rng.random() < 0.6:
            return out + rng.choice([b"", b"\x00", b"\x05"])


def mutated(rng: random.Random, stream: bytes) -> bytes:
    out = bytearray(stream)
    for _ in range(rng.randrange(1, 4)):
        kind = rng.randrange(4)
        at = rng.randrange(len(out) + 1)
        if kind == 0 and out:
            out[at % len(out)] = rng.randrange(256)
        elif kind == 1:
            del out[at:]
        elif kind == 2:
            out[at:at] = rng.choice([b"\x00", b"\xff", b"\xff\xff\xff", rng.randbytes(3)])
        else:
            del out[at : at + rng.randrange(1, 5)]
    return bytes(out)


def make_cases(rng: random.Random) -> list[tuple[int, bytes]]:
    cases = []
    for _ in range(CASES):
        size = rng.choice([1, 4, 5, 12, 13, 16, 17, 64, 128, 500, 1024, 4096, 8192])
        kind = rng.random()
        if kind < 0.2:
            stream = lz4.block.compress(source_bytes(rng, size), store_size=False)
        elif kind < 0.6:
            stream = crafted(rng, size)
        elif kind < 0.7:
            stream = rng.randbytes(rng.randrange(40))
        else:
            valid = lz4.block.compress(source_bytes(rng, size), store_size=False)
            stream = mutated(rng, rng.choice([valid, crafted(rng, size)]))
        if rng.random() < 0.03:
            size = max(1, size + rng.choice([-8, -1, 1, 8]))
        cases.append((size, stream))
    return cases


def liblz4_decode(stream: bytes, size: int) -> bytes | None:
    """The block, or None when liblz4 refuses it or does not fill it."""
    if not stream:
        return None
    try:
        block = lz4.block.decompress(stream, uncompressed_size=size)
    except lz4.block.LZ4BlockError:
        return None
    return block if len(block) == size else None


def read_length(stream: bytes, at: int, nibble: int) -> tuple[int, int]:
    length = nibble
    while nibble == 15:
        length += stream[at]
        at += 1
        if stream[at - 1] != 255:
            break
    return length, at


def meant_ends(stream: bytes, size: int) -> set[str]:
    """Which of the ends that only the reference accepts a stream has. It is known to parse and to fill the block."""
    found = set()
    at = written = 0
    after_match = False
    while at < len(stream):
        token = stream[at]
        literals, at = read_length(stream, at + 1, token >> 4)
        at += literals
        written += literals
        if at == len(stream):
            if after_match and literals < 5:
                found.add("short last run" if literals else "empty last sequence")
            return found
        if written > size - 12:
            found.add("match in the last 12 bytes")
        at += 2
        match, at = read_length(stream, at, token & 15)
        written += match + 4
        after_match = True
    found.add("ends right behind a match")
    return found


def classify(size: int, stream: bytes, reason: str | None, block: bytes | None) -> set[str] | None:
    """The meant differences of a case (an empty set where both agree), or None: unexplained."""
    theirs = liblz4_decode(stream, size)
    if theirs is None and reason is None:
        return meant_ends(stream, size) or None
    if theirs is not None and reason is not None:
        return {"liblz4 takes offset 0"} if reason == "offset-zero" else None
    return set() if theirs == block else None


def reference_verdicts(cases: list[tuple[int, bytes]]) -> list[tuple[str | None, bytes | None]]:
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder, "cases.bin"), Path(folder, "verdicts.jsonl")
        records = [struct.pack("<II", size, len(stream)) + stream for size, stream in cases]
        given.write_bytes(struct.pack("<I", len(cases)) + b"".join(records))
        run_node("decode-blocks", given, result)
        verdicts = [json.loads(line) for line in result.read_text().splitlines()]
    return [(reason, None if block is None else base64.b64decode(block)) for reason, block in verdicts]


def main() -> int:
    version = lz4.library_version_string()
    if version != "1.9.4":
        print(f"the differences are stated against liblz4 1.9.4, this is {version}")
        return 1
    cases = make_cases(random.Random(20260101))
    verdicts = reference_verdicts(cases)
    seen, reasons, unexplained = Counter(), Counter(), 0
    for (size, stream), (reason, block) in zip(cases, verdicts, strict=True):
        reasons[reason] += 1
        classes = classify(size, stream, reason, block)
        if classes is None:
            unexplained += 1
            print(f"unexplained: {size} bytes from {stream.hex()}: the reference says {reason or 'exact'}")
        seen.update(classes or ())
    print(f"{len(cases)} blocks against liblz4 {version}: {reasons[None]} accepted, {unexplained} unexplained")
    print("meant differences:", dict(seen))
    rare = [name for name, least in LEAST_SEEN.items() if seen[name] < least]
    rare += [bound for bound in BOUNDS if reasons[bound] == 0]
    if rare:
        print("seen too rarely to count as tested:", ", ".join(rare))
    return 1 if unexplained or rare else 0


if __name__ == "__main__":
    sys.exit(main())
