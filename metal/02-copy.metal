// Owns: the copy engine: literals from the stream and matches inside a block, by the 32 lanes of one SIMD group.
// Must not know: LZ4 tokens, bounds, bit planes. Callers have checked every length and offset.

// A block being decoded, seen as bytes, words and quads, in threadgroup memory (fused kernels) or device memory
// (scratch kernel). `ratios[d]` is ceil(2048 / d) for 0 < d < 32.
struct TileInThreadgroup {
    threadgroup uchar *bytes;
    threadgroup uint *words;
    threadgroup uint4 *quads;
    threadgroup const uint *ratios;
};
struct TileInDevice {
    device uchar *bytes;
    device uint *words;
    device uint4 *quads;
    threadgroup const uint *ratios;
};

static inline TileInThreadgroup tile_in_threadgroup(threadgroup uint4 *quads, threadgroup const uint *ratios) {
    TileInThreadgroup tile;
    tile.bytes = (threadgroup uchar *)quads;
    tile.words = (threadgroup uint *)quads;
    tile.quads = quads;
    tile.ratios = ratios;
    return tile;
}

static inline TileInDevice tile_in_device(device uint4 *quads, threadgroup const uint *ratios) {
    TileInDevice tile;
    tile.bytes = (device uchar *)quads;
    tile.words = (device uint *)quads;
    tile.quads = quads;
    tile.ratios = ratios;
    return tile;
}

static inline void fill_ratios(threadgroup uint *ratios, uint lane) {
    const uint divisor = max(lane, 1u);
    ratios[lane] = (2047u + divisor) / divisor;
    simdgroup_barrier(mem_flags::mem_threadgroup);
}

// n % divisor for n <= 32, 0 < divisor < 32 and ratio = ceil(2048 / divisor); n itself for ratio 0. Exact.
static inline uint small_remainder(uint n, uint divisor, uint ratio) {
    return n - ((n * ratio) >> 11) * divisor;
}

// The 4 bytes that begin `shift` bits (0, 8, 16, 24) into the pair low, high.
static inline uint bytes_across(uint low, uint high, uint shift) {
    return uint(((ulong(high) << 32) | ulong(low)) >> shift);
}

// The 4 bytes at any byte position of word-aligned memory. Loads the 8 bytes around them.
template <typename Words>
static inline uint bytes_at(Words words, uint at) {
    return bytes_across(words[at >> 2], words[(at >> 2) + 1u], (at & 3u) * 8u);
}

// More than 32 literals: bytes up to a word boundary of the tile, whole words, the bytes left.
template <typename Tile>
static inline void copy_long_literals(Tile tile, uint to, device const uint *words, uint from, uint length, uint lane) {
    device const uchar *bytes = (device const uchar *)words;
    const uint head = (0u - to) & 3u;
    if (lane < head) tile.bytes[to + lane] = bytes[from + lane];
    const uint whole = (length - head) >> 2;
    const uint first = (to + head) >> 2;
    const uint source = from + head;
    for (uint i = lane; i < whole; i += kLanes) tile.words[first + i] = bytes_at(words, source + 4u * i);
    const uint tail = (length - head) & 3u;
    if (lane < tail) tile.bytes[to + length - tail + lane] = bytes[from + length - tail + lane];
}

template <typename Tile>
static inline void copy_literals(Tile tile, uint to, device const uint *words, uint from, uint length, uint lane) {
    if (length > kLanes) {
        copy_long_literals(tile, to, words, from, length, lane);
    } else if (lane < length) {
        tile.bytes[to + lane] = ((device const uchar *)words)[from + lane];
    }
}

// A match as the engine takes it: x where the source begins, y minus the offset, z the length, w the offset's ratio
// where the source repeats within 32 bytes, else 0.
template <typename Tile>
static inline uint4 match_entry(Tile tile, uint to, uint offset, uint length) {
    const uint ratio = tile.ratios[offset & 31u];
    return uint4(to - offset, 0u - offset, length, offset < min(length, kLanes) ? ratio : 0u);
}

// The source byte of lane `lane` of a match of at most 32 bytes.
static inline uint short_source(uint4 match, uint lane) {
    return match.x + lane + ((lane * match.w) >> 11) * match.y;
}

// At most 32 bytes: one load and one store a lane. The source bytes [x, x + min(length, offset)) end before the
// destination begins, so the only barrier needed is the one that shows the match to the next.
template <mem_flags Fence, typename Tile>
static inline void copy_short_match(Tile tile, uint4 match, uint from, uint lane) {
    if (lane < match.z) tile.bytes[match.x + lane - match.y] = tile.bytes[from];
    simdgroup_barrier(Fence);
}

// Offsets 1, 2 and 4: the match repeats one word; bytes up to a quad boundary, whole quads, the bytes left.
template <typename Tile>
static inline void fill_pattern(Tile tile, uint to, uint offset, uint length, uint lane) {
    const uint from = to - offset;
    const uint b0 = uint(tile.bytes[from]);
    const uint b1 = offset == 1u ? b0 : uint(tile.bytes[from + 1u]);
    const uint b2 = offset == 4u ? uint(tile.bytes[from + 2u]) : b0;
    const uint b3 = offset == 4u ? uint(tile.bytes[from + 3u]) : b1;
    const uint pattern = b0 | (b1 << 8) | (b2 << 16) | (b3 << 24);
    const uint head = (0u - to) & 15u;
    if (lane < head) tile.bytes[to + lane] = uchar(pattern >> (8u * (lane & 3u)));
    const uint turned = rotate(pattern, 32u - 8u * (head & 3u));
    const uint whole = (length - head) >> 4;
    const uint first = (to + head) >> 4;
    for (uint i = lane; i < whole; i += kLanes) tile.quads[first + i] = uint4(turned, turned, turned, turned);
    const uint tail = (length - head) & 15u;
    if (lane < tail) tile.bytes[to + length - tail + lane] = uchar(turned >> (8u * (lane & 3u)));
}

// Source far behind: a pass writes 128 bytes and reads at most 136, which end before the pass's first byte.
template <mem_flags Fence, typename Tile>
static inline void copy_far_match(Tile tile, uint to, uint offset, uint length, uint lane) {
    const uint from = to - offset;
    const uint head = (0u - to) & 3u;
    if (lane < head) tile.bytes[to + lane] = tile.bytes[from + lane];
    const uint whole = (length - head) >> 2;
    const uint first = (to + head) >> 2;
    const uint source = from + head;
    for (uint i = 0u; i < whole; i += kLanes) {
        if (i + lane < whole) tile.words[first + i + lane] = bytes_at(tile.words, source + 4u * (i + lane));
        simdgroup_barrier(Fence);
    }
    const uint tail = (length - head) & 3u;
    if (lane < tail) tile.bytes[to + length - tail + lane] = tile.bytes[from + length - tail + lane];
}

// More than 32 bytes.
template <mem_flags Fence, typename Tile>
static inline void copy_long_match(Tile tile, uint to, uint offset, uint length, uint lane) {
    const uint from = to - offset;
    if (offset <= 2u || offset == 4u) {
        fill_pattern(tile, to, offset, length, lane);
    } else if (offset >= length + 8u || offset >= 160u) {
        copy_far_match<Fence>(tile, to, offset, length, lane);
    } else if (offset >= kLanes) {
        for (uint i = 0u; i < length; i += kLanes) {
            if (i + lane < length) tile.bytes[to + i + lane] = tile.bytes[from + i + lane];
            simdgroup_barrier(Fence);
        }
    } else {
        const uint ratio = tile.ratios[offset];
        const uint turn = small_remainder(kLanes, offset, ratio);
        uint phase = small_remainder(lane, offset, ratio);
        for (uint i = lane; i < length; i += kLanes) {
            tile.bytes[to + i] = tile.bytes[from + phase];
            phase += turn;
            phase = phase >= offset ? phase - offset : phase;
        }
    }
    simdgroup_barrier(Fence);
}

template <mem_flags Fence, typename Tile>
static inline void copy_match(Tile tile, uint4 match, uint lane) {
    if (match.z > kLanes) {
        copy_long_match<Fence>(tile, match.x - match.y, 0u - match.y, match.z, lane);
    } else {
        copy_short_match<Fence>(tile, match, short_source(match, lane), lane);
    }
}

// Executes queue entries [0, count) in order, four a turn: the entries up to the next multiple of 4 have length 0. The
// sources of four short matches are worked out before the first is copied.
static inline void run_queue(TileInThreadgroup tile, threadgroup const uint4 *queue, uint count, uint lane) {
    for (uint i = 0u; i < count; i += 4u) {
        const uint4 a = queue[i], b = queue[i + 1u], c = queue[i + 2u], d = queue[i + 3u];
        if (max(max(a.z, b.z), max(c.z, d.z)) <= kLanes) {
            const uint from_a = short_source(a, lane), from_b = short_source(b, lane);
            const uint from_c = short_source(c, lane), from_d = short_source(d, lane);
            copy_short_match<mem_flags::mem_threadgroup>(tile, a, from_a, lane);
            copy_short_match<mem_flags::mem_threadgroup>(tile, b, from_b, lane);
            copy_short_match<mem_flags::mem_threadgroup>(tile, c, from_c, lane);
            copy_short_match<mem_flags::mem_threadgroup>(tile, d, from_d, lane);
        } else {
            for (uint j = i; j < i + 4u; ++j) copy_match<mem_flags::mem_threadgroup>(tile, queue[j], lane);
        }
    }
}
